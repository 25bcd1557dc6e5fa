import type { Exchange } from "./ClientRecord.ts"
import type { Violation } from "./checks.ts"
import type { Done } from "./faults.ts"
import type { Options } from "./options.ts"
import type { Snapshot } from "./Snapshot.ts"
import type { Unfinished } from "./unfinished.ts"

/** Everything that a run came to. */
export interface Outcome {
  readonly options: Options
  readonly exchanges: ReadonlyArray<Exchange>
  readonly snapshot: Snapshot
  readonly unfinished: ReadonlyMap<string, Unfinished>
  readonly forgotten: ReadonlySet<string>
  readonly done: Done
  /** From the last fault and the last request to the last look, in milliseconds. */
  readonly quietMillis: number
  /** By check; empty where it holds. */
  readonly violations: ReadonlyMap<string, ReadonlyArray<Violation>>
  /** The last line of the reconciler's report. */
  readonly reconciled: string
}

/** Told in full; of the rest there is only a number. */
const toldMax = 5

const count = <A>(items: ReadonlyArray<A>, nameOf: (item: A) => string): string => {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, times]) => `${name}: ${times}`)
    .join(", ")
}

const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}

const seconds = (millis: number): string => (millis / 1000).toFixed(1)

const instant = (millis: number): string => (Number.isFinite(millis) ? new Date(millis).toISOString() : "never")

/** How a request was answered: by status, with the code of a problem. */
const answerOf = ({ answered }: Exchange): string => {
  if (answered === null) return "hung up"
  if (answered.status === null) return "no answer"
  return answered.code === null ? `${answered.status}` : `${answered.status} ${answered.code}`
}

/** The table at the end of a run. */
export const summary = (outcome: Outcome): string => {
  const { done, exchanges, forgotten, options, quietMillis, reconciled, snapshot, unfinished, violations } = outcome
  const payments = [...snapshot.kept.values()].map(({ payment }) => payment)
  const reviews = payments.filter(({ needsReview }) => needsReview !== null)
  const faults = [...done.counts].map(([kind, times]) => `${kind}: ${times}`).join(", ")
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["seed", `${options.seed}`],
    ["requests", `${exchanges.length} (${count(exchanges, ({ sent }) => sent.asked)})`],
    [
      "answers",
      count(
        exchanges.filter(({ sent }) => sent.asked !== "visit"),
        answerOf
      )
    ],
    ["payments", `${payments.length} (${count(payments, ({ authorization }) => authorization)})`],
    [
      "operations",
      count(
        payments.flatMap(({ operations }) => operations),
        ({ status, type }) => `${type} ${status}`
      )
    ],
    [
      "providers",
      count(
        payments.flatMap(({ attempts }) => attempts),
        ({ provider }) => provider
      )
    ],
    ["faults", faults],
    ["restarts", `${done.restarts} of servers`],
    ["skipped", done.skipped.length === 0 ? "nothing" : done.skipped.join("; ")],
    ["settled after quiet", `${seconds(quietMillis)} s`],
    ["still waiting", `${unfinished.size}`],
    ["needs a person", `${reviews.length}`],
    ["lost by the sandbox", forgotten.size === 0 ? "nothing" : [...forgotten].join(", ")],
    ["reconcile --report", reconciled]
  ]
  const waiting = [...unfinished.values()].map(
    ({ dueAt, paymentId, why }) => `  ${paymentId} ${why} (${instant(dueAt)})`
  )
  const reviewed = reviews.map(({ id, needsReview }) => `  ${id} ${needsReview}`)
  const lines = [...violations].map(
    ([name, found]) => [name, found.length === 0 ? "holds" : `BROKEN ${found.length} times`] as const
  )
  return [table(rows), ...waiting, ...reviewed, "", table(lines)].join("\n")
}

const isOf = ({ sent }: Exchange, { paymentIds, stories }: Violation): boolean =>
  stories.includes(sent.story) || (sent.paymentId !== null && paymentIds.includes(sent.paymentId))

const time = (millis: number): string => new Date(millis).toISOString().slice(11, 23)

/** A request and its answer in a line; in full they are in `record.jsonl`. */
const lineOf = (exchange: Exchange): string => {
  const { answered, sent } = exchange
  const { asked, at, currency, key, minor, number } = sent
  const told = answered?.told ?? null
  const state =
    told === null
      ? ""
      : `${told.transactionId} ${told.status}, captured ${told.capturedAmount}, refunded ${told.refundedAmount}`
  const operation = told?.operation === undefined ? "" : `, ${told.operation.operationId} ${told.operation.status}`
  const asks = `${time(at)} ${number} ${asked} ${minor ?? ""} ${currency ?? ""} under ${key ?? "no key"}`
  return `    ${asks} → ${answered === null ? "" : time(answered.at)} ${answerOf(exchange)} ${state}${operation}`
}

/** What a line has room for; in full they are in `payments.json`. */
const eventMax = 240

/** A broken check: what is wrong, the payment's events, and what its client sent and heard. */
export const describeViolations = (
  name: string,
  found: ReadonlyArray<Violation>,
  { exchanges, options, snapshot }: Pick<Outcome, "exchanges" | "options" | "snapshot">
): string => {
  const told = found.slice(0, toldMax).map((violation) => {
    const events = violation.paymentIds.flatMap((id) =>
      (snapshot.kept.get(id)?.events ?? []).map(
        ({ at, data, type }) => `    ${time(Number(at))} ${id} ${type} ${JSON.stringify(data).slice(0, eventMax)}`
      )
    )
    const lines = exchanges.filter((exchange) => isOf(exchange, violation)).map(lineOf)
    return [`  ${violation.message}`, "  events:", ...events, "  its client:", ...lines].join("\n")
  })
  const rest = found.length - told.length
  return [
    `BROKEN: ${name} (seed ${options.seed})`,
    ...told,
    ...(rest > 0 ? [`  and ${rest} more, all in violations.json`] : [])
  ].join("\n")
}
