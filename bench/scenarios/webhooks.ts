import { join } from "node:path"
import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import * as Gateway from "../Gateway.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import type { ServerProcess } from "../ServerProcess.ts"
import { aimAtMost, type Figure, figure } from "../studyReport.ts"
import * as Receiver from "../webhooks/Receiver.ts"
import type { Received } from "../webhooks/receive.ts"
import * as StoredDeliveries from "../webhooks/StoredDeliveries.ts"
import type { Study, StudyRun } from "./Study.ts"

/** Deliveries for each number of endpoints, beside the warm-up. */
const drained = 10_000
const endpointCounts = [1, 10, 1_000]
const perSecondMin = 1_000

const idleEvents = 60
const idlePauseMillis = 250
const idleMillisMax = 50

const besidePerSecond = 500
const besideSeconds = 10
/** Between two commits of events, each of some deliveries. */
const besideStepMillis = 20

interface Stage extends StudyRun {
  readonly gateway: ServerProcess
  readonly receiver: Effect.Success<typeof Receiver.start>
  readonly stored: Effect.Success<ReturnType<typeof StoredDeliveries.open>>
  readonly settle: Effect.Effect<unknown, BenchFailed>
}

type Line = Readonly<Record<string, Figure>>

const percentile = (values: ReadonlyArray<number>, part: number) =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))]

const line = (name: string, more: Line): Line => ({
  case: name,
  per_second: null,
  first_third: null,
  middle_third: null,
  last_third: null,
  p50_ms: null,
  p99_ms: null,
  cpu_us: null,
  rss_mb: null,
  rss_mb_half: null,
  rss_mb_end: null,
  ...more
})

/** Waits until so many have come; what came then, and the service's memory when half of it had. */
const received = Effect.fnUntraced(function* ({ gateway, receiver }: Stage, count: number) {
  let middle: number | undefined
  for (;;) {
    const report = yield* receiver.report
    if (report.count >= count / 2) middle ??= gateway.residentMegabytes()
    if (report.count >= count) return { ...report, middle }
    yield* Effect.sleep("100 millis")
  }
})

const rateOf = (tenths: ReadonlyArray<number>) =>
  tenths.length === 0 ? 0 : (tenths.reduce((sum, each) => sum + each, 0) / tenths.length) * 10

const thirds = ({ tenths }: Received) => {
  const third = Math.ceil(tenths.length / 3)
  return [0, 1, 2].map((part) => rateOf(tenths.slice(part * third, (part + 1) * third)))
}

/** How quickly a backlog is handed over that waits for so many endpoints. */
const drain = Effect.fnUntraced(function* (stage: Stage, endpoints: number, deliveries: number) {
  const { gateway, progress, receiver, settle, stored } = stage
  const ids = yield* stored.endpoints(endpoints, receiver.url)
  yield* stored.backlog(deliveries, ids)
  yield* settle
  yield* receiver.begin
  const before = { cpu: gateway.cpuSeconds(), rss: gateway.residentMegabytes() }
  yield* stored.enable
  const report = yield* received(stage, deliveries)
  const cpu = ((gateway.cpuSeconds() ?? Number.NaN) - (before.cpu ?? Number.NaN)) / deliveries
  const [first, middle, last] = thirds(report)
  progress(`  ${deliveries} to ${endpoints} endpoints: ${rateOf(report.tenths).toFixed(0)}/s`)
  return line(`backlog of ${deliveries}, ${endpoints} endpoint${endpoints === 1 ? "" : "s"}`, {
    per_second: figure(rateOf(report.tenths), 0),
    first_third: figure(first, 0),
    middle_third: figure(middle, 0),
    last_third: figure(last, 0),
    cpu_us: figure(cpu * 1e6, 0),
    rss_mb: figure(before.rss, 0),
    rss_mb_half: figure(report.middle, 0),
    rss_mb_end: figure(gateway.residentMegabytes(), 0)
  })
})

/** From the commit of a single event to its arrival, while nothing else is done. */
const idle = Effect.fnUntraced(function* (stage: Stage) {
  const { gateway, receiver, stored } = stage
  const [id = ""] = yield* stored.endpoints(1, receiver.url)
  yield* stored.enable
  yield* Effect.sleep("2 seconds")
  yield* receiver.begin
  const headers = { authorization: "Bearer key_test_sandbox", "content-type": "application/json" }
  const ask = (number: number) =>
    Effect.tryPromise({
      try: async () => {
        const url = `http://127.0.0.1:${gateway.port}/api/webhooks/${id}/test`
        const body = JSON.stringify({ type: "expense.approved" })
        const answer = await fetch(url, {
          method: "POST",
          headers: { ...headers, "idempotency-key": `${id}-${number}` },
          body
        })
        if (!answer.ok) throw new Error(await answer.text())
      },
      catch: (cause) => new BenchFailed({ message: `An event could not be made: ${cause}` })
    })
  for (let number = 0; number < idleEvents; number++) {
    yield* ask(number)
    yield* Effect.sleep(idlePauseMillis)
  }
  const { latencies } = yield* received(stage, idleEvents)
  return line("one event at a time, idle", {
    p50_ms: figure(percentile(latencies, 0.5), 1),
    p99_ms: figure(percentile(latencies, 0.99), 1)
  })
})

/** Events at a constant pace, and what the service is asked meanwhile: nothing, or payments at the same pace. */
const beside = Effect.fnUntraced(function* (stage: Stage, generator: LoadGenerator.LoadGenerator, isBeside: boolean) {
  const { gateway, options, receiver, stored } = stage
  const ids = yield* stored.endpoints(10, receiver.url)
  yield* stored.enable
  yield* receiver.begin
  const step = Math.round((besidePerSecond * besideStepMillis) / 1_000)
  const feed = Effect.gen(function* () {
    const begin = performance.now()
    for (let sent = 0; sent < besidePerSecond * besideSeconds; sent += step) {
      yield* stored.insert(Array.from({ length: step }, (_, index) => ids[(sent + index) % ids.length] ?? ""))
      const due = begin + ((sent + step) * 1_000) / besidePerSecond
      yield* Effect.sleep(Math.max(0, due - performance.now()))
    }
  })
  const pay = generator.arrive({
    ...{ scenario: "authorize", ports: [gateway.port], currency: options.currency, connections: 256 },
    phases: [{ perSecond: besidePerSecond, seconds: besideSeconds }]
  })
  const [, phases] = yield* Effect.all([feed, isBeside ? pay : Effect.succeed([])], { concurrency: 2 })
  const { latencies, tenths } = yield* received(stage, besidePerSecond * besideSeconds)
  const name = `${besidePerSecond}/s${isBeside ? ` beside ${besidePerSecond} authorizations/s` : ""}`
  const lines = [
    line(name, {
      per_second: figure(rateOf(tenths), 0),
      p50_ms: figure(percentile(latencies, 0.5), 1),
      p99_ms: figure(percentile(latencies, 0.99), 1)
    })
  ]
  const paid = phases[0]
  if (paid === undefined) return lines
  return [
    ...lines,
    line("  those authorizations", {
      per_second: figure(paid.acceptedPerSecond, 0),
      p50_ms: figure(paid.acceptedP50Millis, 1),
      p99_ms: figure(paid.acceptedP99Millis, 1)
    })
  ]
})

/**
 * The delivery of webhooks by one process to a receiver in a process of its own: how many a second, how soon after the
 * commit, beside payments, and a backlog of the smallest of the sizes.
 */
export const webhooks: Study = Effect.fn("bench.webhooks")(function* (run) {
  const { options, progress } = run
  progress("webhooks: starting PostgreSQL, the service and a receiver")
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  const { profile } = options
  const gateway = yield* Gateway.start({
    ...{ folder: database.folder, databaseUrl, profile },
    more: { SARRAF_SANDBOX_DEMO: "false" }
  })
  const receiver = yield* Receiver.start
  const generator = yield* LoadGenerator.start
  const dataFolder = join(database.folder, "gateway")
  const stored = yield* StoredDeliveries.open({ ...database, database: "sarraf", dataFolder })
  const stage: Stage = { ...run, gateway, receiver, stored, settle: database.settle }
  const measuring = Effect.gen(function* () {
    progress("webhooks: warming up")
    yield* drain(stage, 10, drained)
    const figures: Array<Line> = []
    for (const count of endpointCounts) figures.push(yield* drain(stage, count, drained))
    figures.push(yield* idle(stage))
    figures.push(...(yield* beside(stage, generator, false)), ...(yield* beside(stage, generator, true)))
    figures.push(yield* drain(stage, 100, options.sizes[1] ?? options.sizes[0] ?? drained))
    return figures
  })
  const figures = yield* Effect.raceFirst(gateway.ended, measuring)
  const slowest = Math.min(...figures.slice(0, endpointCounts.length).map(({ per_second }) => Number(per_second)))
  return {
    figures,
    aims: [
      aimAtMost(
        "microseconds between two deliveries, slowest number of endpoints",
        figure(1e6 / slowest, 0),
        1e6 / perSecondMin
      ),
      aimAtMost(
        "p50 from commit to arrival, idle, in ms",
        Number(figures[endpointCounts.length]?.p50_ms ?? Number.NaN),
        idleMillisMax
      )
    ],
    notes: [
      "One process of the service, ten deliveries at once to each endpoint; the receiver answers 204 at once.",
      "Times are from the event's created_at, which is before its commit, to its arrival."
    ],
    machine: describeMachine(database.version)
  }
})
