import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Sample } from "./report.ts"

/** Where the shell would find it. */
const program = "pgbench"

/** The two writes of the baseline, and nothing else: no HTTP, no Node. */
const script = `\\set n random(1, 9000000000000000000)
INSERT INTO baseline_payments (id, merchant_reference, status, amount_minor, currency, card_first6, card_last4,
  card_exp_month, card_exp_year, buyer_name, buyer_email, billing_address)
VALUES ('pgbench-' || :n, 'bench-' || :n, 'PENDING', 14990, 'TRY', '411111', '1111', 12, 2034, 'Ada Lovelace',
  'ada@example.com', 'Buyukdere Cad. 1, Istanbul, TR');
UPDATE baseline_payments SET status = 'AUTHORIZED', authorized_minor = amount_minor, provider = 'isbank',
  psp_response_code = '00', updated_at = now()
WHERE id = 'pgbench-' || :n RETURNING *;
`

/**
 * A line of pgbench's log for each transaction: `0 199 2241 0 1175850568 995598`, client, number, microseconds, file and
 * time. A client writes its first line when its first transaction ends.
 */
export const readLog = (text: string): ReadonlyArray<number> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Number(line.split(" ")[2]) / 1000)

/** Transactions a second without the time that connecting took, as pgbench prints it. */
export const readRate = (output: string): number | undefined => {
  const found = /^tps = ([\d.]+)/m.exec(output)?.[1]
  return found === undefined ? undefined : Number(found)
}

const percentile = (sorted: ReadonlyArray<number>, percent: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0

/** The reason why there is no pgbench to compare with, undefined where there is. */
export const missing = () => {
  const { error, status } = spawnSync(program, ["--version"])
  return error !== undefined || status !== 0 ? "pgbench is not installed (it comes with PostgreSQL)" : undefined
}

const run = (args: ReadonlyArray<string>) =>
  Effect.callback<string, BenchFailed>((resume) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    const fail = (how: string) =>
      resume(Effect.fail(new BenchFailed({ message: `pgbench failed, ${how}:\n${output}` })))
    child.once("error", ({ message }) => fail(message))
    child.once("close", (code) => (code === 0 ? resume(Effect.succeed(output)) : fail(`with status ${code}`)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The same two writes by as many clients, in the database of the baseline, for some seconds. */
export const measurePgbench = Effect.fn("bench.measurePgbench")(function* (
  at: { readonly host: string; readonly folder: string },
  clients: number,
  seconds: number
) {
  const folder = join(at.folder, "pgbench")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const file = join(folder, "script.sql")
  writeFileSync(file, script)
  const output = yield* run([
    ...["--host", at.host, "--username", "sarraf", "--no-vacuum", "--protocol", "prepared", "--file", file],
    ...["--client", String(clients), "--jobs", String(Math.min(clients, 2)), "--time", String(seconds)],
    ...["--log", "--log-prefix", join(folder, "log"), "baseline"]
  ])
  const logs = readdirSync(folder).filter((name) => name.startsWith("log"))
  const millis = logs.flatMap((name) => readLog(readFileSync(join(folder, name), "utf8")))
  const rps = readRate(output)
  if (rps === undefined || millis.length === 0) return yield* new BenchFailed({ message: `pgbench said:\n${output}` })
  const sorted = millis.toSorted((left, right) => left - right)
  const sample: Sample = {
    rps,
    p50Millis: percentile(sorted, 50),
    p99Millis: percentile(sorted, 99),
    cpuMicros: undefined,
    peakMegabytes: undefined
  }
  return sample
})
