import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import * as Gateway from "../Gateway.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import { alternating, measureWindow } from "../measure.ts"
import { fill } from "../StoredPayments.ts"
import { aimAtMost, figure, medianKnown, windowFigures } from "../studyReport.ts"
import type { Study, StudyRun } from "./Study.ts"

/** How much slower the largest may be than the smallest. */
const growthMax = 1.2
/** Payments that are read in turn: too many for what a server remembers of the last. */
const sampleSize = 5_000

const works = ["authorize", "get", "list"] as const

const startSizes = Effect.fn("bench.growth.startSizes")(function* ({ options, progress }: StudyRun) {
  const database = yield* BenchDatabase.start
  const sizes = yield* Effect.forEach(options.sizes, (size) =>
    Effect.gen(function* () {
      const name = `stored_${size}`
      const databaseUrl = yield* database.create(name)
      const gateway = yield* Gateway.start({ folder: `${database.folder}/${name}`, databaseUrl })
      const begin = performance.now()
      const payments = yield* Effect.scoped(
        fill({ ...database, name }, { port: gateway.port, currency: options.currency }, size, sampleSize)
      )
      progress(`growth: stored ${size} payments in ${((performance.now() - begin) / 1000).toFixed(0)} s`)
      return { size, gateway, payments }
    })
  )
  return { database, sizes }
})

/**
 * The same work at databases of different sizes, a gateway each: new payments, reads of any of the stored, and the first
 * page of the list. What is stored was captured over a year.
 */
export const growth: Study = Effect.fn("bench.growth")(function* (run) {
  const { options, progress } = run
  progress("growth: starting PostgreSQL and a gateway for each size")
  const { database, sizes } = yield* startSizes(run)
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { currency, rounds, warmUpSeconds } = options
  const connections = options.connections[0] ?? 1
  const findings = []
  const aims = []
  for (const scenario of works) {
    const measureSize = ({ gateway, payments, size }: (typeof sizes)[number], seconds = options.seconds) =>
      Effect.map(
        measureWindow(bench, `${scenario} at ${size}`, [gateway], {
          ...{ scenario, side: "subject", connections, seconds, currency },
          payments
        }),
        ({ sample }) => sample
      )
    progress(`growth, ${scenario}: warming up`)
    for (const size of sizes) yield* measureSize(size, warmUpSeconds)
    const measured = yield* alternating(sizes, rounds, progress, (size) => measureSize(size))
    // By the round, whose windows are neighbours: a machine that grows slower between rounds does not count.
    const slower = measured.map((samples) => {
      const ratios = samples.map(({ rps }, round) => (measured[0]?.[round]?.rps ?? Number.NaN) / rps)
      return figure(medianKnown(ratios), 3)
    })
    findings.push(
      ...measured.map((samples, index) => ({
        case: scenario,
        stored: sizes[index]?.size ?? null,
        ...windowFigures(samples),
        slower: slower[index] ?? null
      }))
    )
    const worst = slower.includes(null) ? null : Math.max(...slower.filter((each) => each !== null))
    aims.push(aimAtMost(`${scenario}, slowest size by the smallest`, worst, growthMax))
  }
  return {
    figures: findings,
    aims,
    notes: [
      `${connections} connections; "slower" is the time a request takes by that at the smallest size, the median of the rounds' ratios.`
    ],
    machine: describeMachine(database.version)
  }
})
