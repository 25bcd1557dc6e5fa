import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Exit, Logger } from "effect"
import { makePlayer } from "./buyers.ts"
import { ClientRecord } from "./ClientRecord.ts"
import { checks, type Violation } from "./checks.ts"
import * as Database from "./Database.ts"
import { type Door, openDoor } from "./Door.ts"
import { carryOut, type Done, startServer, type Targets } from "./faults.ts"
import { type Gateway, makeGateway } from "./Gateway.ts"
import * as Guard from "./Guard.ts"
import { type Options, readOptions } from "./options.ts"
import { makeProgram, type Program, runProgram, type Variables } from "./Program.ts"
import { longestProofMillis, patience, swift } from "./patience.ts"
import { awaitQuiet, type Seen } from "./quiet.ts"
import { describeViolations, type Outcome, summary } from "./report.ts"
import { scheduleOf } from "./schedule.ts"
import { storyOf } from "./story.ts"

const serverFile = "packages/runtime-http/src/main.js"
const reconcileFile = "packages/runtime-http/src/reconcile.ts"
const simulatorsFile = "scripts/simulators.ts"

/** A short run's requests end sooner, so that what a kill leaves behind can be asked about within its minute. */
const shortLimits = { SARRAF_PROVIDER_TIMEOUT_MS: "3500", SARRAF_REQUEST_TIMEOUT_MS: "12000" }
/** What a short run waits at most after the last fault; a long one waits as the contract has it (section 4). */
const shortQuietMillis = 25_000
const longQuietMillis = 120_000 + longestProofMillis

const say = (line: string) => console.log(line)
/** With the seconds since the program began. */
const sayWhen = (line: string) => say(`${(performance.now() / 1000).toFixed(1).padStart(7)} s  ${line}`)

const trying = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))) })

const stopping = (program: Program) => Effect.promise(() => program.stop())

const temporaryFolder = Effect.gen(function* () {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sarraf-crash-")))
  const guard = Guard.start(folder)
  yield* Effect.addFinalizer((exit) =>
    Effect.sync(() => {
      // Whoever breaks a run off does not want what it left.
      if (Exit.hasInterrupts(exit)) rmSync(folder, { recursive: true, force: true })
      guard.finished()
    })
  )
  return { folder, guard }
})

/** The simulators in a process of their own, behind a door. */
const outside = Effect.fnUntraced(function* (folder: string, guard: Guard.Guard, notifyUrl: string, door: Door) {
  const program = yield* Effect.acquireRelease(
    Effect.sync(() =>
      makeProgram({
        file: simulatorsFile,
        variables: { SARRAF_NOTIFY_URL: notifyUrl },
        ready: /SARRAF_SIMULATORS_URL=/,
        log: join(folder, "simulators.log"),
        guard
      })
    ),
    stopping
  )
  const port = yield* trying(program.start)
  door.open(0, port)
  return { program, door, port }
})

/** Everything that a run needs, for as long as its scope is open. */
const install = Effect.fnUntraced(function* (options: Options, folder: string, guard: Guard.Guard) {
  const database = yield* Database.start(folder)
  const newDoor = Effect.acquireRelease(trying(openDoor), ({ close }) => Effect.promise(close))
  const door = yield* newDoor
  const simulators =
    options.simulators === "inside" ? undefined : yield* outside(folder, guard, door.url, yield* newDoor)
  const variables: Variables = {
    DATABASE_URL: database.url,
    SARRAF_DATA_DIR: join(folder, "data"),
    SARRAF_BASE_URL: door.url,
    SARRAF_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...(simulators === undefined ? {} : { SARRAF_SIMULATORS_URL: simulators.door.url }),
    ...(options.short ? shortLimits : {})
  }
  const servers = yield* Effect.forEach(Array.from({ length: options.processes }), (_, index) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        makeProgram({
          file: serverFile,
          variables,
          ready: /Sarraf is ready at /,
          log: join(folder, `server-${index}.log`),
          guard
        })
      ),
      stopping
    )
  )
  const targets: Targets = { database, door, servers, simulators }
  yield* trying(() => Promise.all(servers.map((_, index) => startServer(targets, index))))
  return { targets, variables }
})

/** Spreads payments over these providers by the organization's own policy, where cost would take all to one. */
const spread = async (url: string, providers: ReadonlyArray<string>): Promise<void> => {
  const weights = Object.fromEntries(providers.map((provider) => [provider, 1]))
  const answer = await fetch(new URL("/api/routing-policy", url), {
    method: "PUT",
    headers: { authorization: "Bearer key_test_sandbox", "content-type": "application/json" },
    body: JSON.stringify({ rules: [{ name: "all alike", action: { type: "split", weights } }] })
  })
  if (answer.status !== 200) throw new Error(`The routing policy was not taken: ${await answer.text()}`)
}

/** All clients, each with one story after another. */
const pay = async ({ clients, seed }: Options, gateway: Gateway, isOver: () => boolean): Promise<void> => {
  const play = makePlayer(gateway, isOver, new Date().getUTCFullYear() + 3)
  const client = async (_: unknown, index: number) => {
    for (let number = 0; !isOver(); number++) await play(storyOf(seed, index, number))
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Breaks what the schedule has while clients pay, who go on until the last of it runs again. */
const breakWhilePaying = async (targets: Targets, options: Options, gateway: Gateway): Promise<Done> => {
  const from = Date.now()
  let areFaultsOver = false
  const isOver = () => areFaultsOver && Date.now() >= from + options.payMillis
  const breaking = carryOut(targets, scheduleOf(options), from, sayWhen).finally(() => {
    areFaultsOver = true
  })
  const [done] = await Promise.all([breaking, pay(options, gateway, isOver)])
  return done
}

/** What the gateway's own report says of the books; a line for each difference, and its last line. */
const reconcile = async (
  folder: string,
  variables: Variables,
  port: number,
  guard: Guard.Guard,
  { excused, snapshot }: Pick<Seen, "snapshot"> & { readonly excused: ReadonlySet<string> }
) => {
  const { output } = await runProgram(
    reconcileFile,
    ["--report", "--days", "1"],
    { ...variables, PORT: `${port}` },
    guard
  )
  writeFileSync(join(folder, "reconcile.log"), output)
  const lines = output.trim().split("\n")
  const found: ReadonlyArray<Violation> = lines.slice(0, -1).flatMap((message) => {
    const [paymentId] = /^txn_\w+/.exec(message) ?? []
    if (paymentId === undefined || excused.has(paymentId)) return []
    const story = snapshot.kept.get(paymentId)?.payment.merchantReference
    return [{ message, paymentIds: [paymentId], stories: story === undefined ? [] : [story] }]
  })
  const last = lines.at(-1) ?? ""
  const isReport = /^\d+ compared, /.test(last)
  return { last, found: isReport ? found : [...found, { message: output, paymentIds: [], stories: [] }] }
}

/** Servers do not end by themselves, and end with 0 when they are asked to. */
const stopServers = async ({ servers }: Targets): Promise<ReadonlyArray<Violation>> => {
  const codes = await Promise.all(servers.map(({ stop }) => stop()))
  return servers.flatMap(({ unasked }, index) => {
    const none = { paymentIds: [], stories: [] }
    return [
      ...(unasked() > 0 ? [{ message: `server ${index} ended ${unasked()} times by itself`, ...none }] : []),
      ...(codes[index] === 0 ? [] : [{ message: `server ${index} ended with ${codes[index]} on SIGTERM`, ...none }])
    ]
  })
}

const bigintsAsText = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value)

const writeEvidence = (folder: string, { done, snapshot, violations }: Outcome): void => {
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value, bigintsAsText, 1))
  write("payments.json", [...snapshot.kept.values()])
  write("orders.json", snapshot.orders)
  write("faults.json", { ...done, counts: Object.fromEntries(done.counts) })
  write("violations.json", Object.fromEntries(violations))
}

const survive = Effect.fnUntraced(function* (options: Options, folder: string, guard: Guard.Guard) {
  const { targets, variables } = yield* install(options, folder, guard)
  const { door } = targets
  const record = new ClientRecord(folder)
  const gateway = makeGateway(door.url, record)
  yield* trying(() => spread(door.url, options.short ? swift : [...patience.keys()]))
  sayWhen("clients begin")
  const done = yield* trying(() => breakWhilePaying(targets, options, gateway))
  const quietFrom = Date.now()
  sayWhen("quiet: waiting for the gateway to settle what is open")
  const outages = options.simulators === "inside" ? done.outages : null
  const quietUntil = quietFrom + (options.short ? shortQuietMillis : longQuietMillis)
  const seen = yield* trying(() => awaitQuiet(targets.database.sql, gateway, { outages, until: quietUntil }))
  const quietMillis = Date.now() - quietFrom
  sayWhen("checking")
  const excused = new Set([...seen.unfinished.keys(), ...seen.forgotten])
  const reconciled = yield* trying(() => reconcile(folder, variables, door.port, guard, { ...seen, excused }))
  const stopped = yield* trying(() => stopServers(targets))
  const evidence = { seed: options.seed, exchanges: record.exchanges, ...seen }
  const violations = new Map<string, ReadonlyArray<Violation>>([
    ...Object.entries(checks).map(([name, check]) => [name, check(evidence)] as const),
    ["reconcile --report finds no difference", reconciled.found],
    ["servers end only when they are told to", stopped]
  ])
  return { options, ...evidence, done, quietMillis, violations, reconciled: reconciled.last } satisfies Outcome
})

const program = Effect.gen(function* () {
  const options = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
  })
  const { kills, payMillis, seed } = options
  const given = process.argv.slice(2).join(" ")
  const again = given.includes("--seed") ? given : `--seed ${seed} ${given}`.trimEnd()
  say(
    `seed ${seed}: ${kills} kills and ${kills} other faults in ${payMillis / 1000} s. Again with: npm run crash -- ${again}`
  )
  const { folder, guard } = yield* temporaryFolder
  mkdirSync(join(folder, "data"))
  const outcome = yield* Effect.scoped(survive(options, folder, guard)).pipe(
    Effect.tapCause(() => Effect.sync(() => say(`The run with seed ${seed} came to no end; its folder is ${folder}.`)))
  )
  const broken = [...outcome.violations].filter(([, found]) => found.length > 0)
  for (const [name, found] of broken) say(`\n${describeViolations(name, found, outcome)}`)
  say(`\n${summary(outcome)}`)
  if (broken.length > 0 || options.keep) {
    writeEvidence(folder, outcome)
    say(`\nseed ${seed}; its folder is ${folder}`)
  } else rmSync(folder, { recursive: true, force: true })
  if (broken.length > 0) process.exitCode = 1
}).pipe(
  Effect.scoped,
  // What the embedded server logs about its end is what this run does to it.
  Effect.provide(Logger.layer([]))
)

NodeRuntime.runMain(program)
