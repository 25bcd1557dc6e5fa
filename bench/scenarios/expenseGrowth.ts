import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import * as Gateway from "../Gateway.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import type { Window } from "../load/window.ts"
import { describeMachine } from "../machine.ts"
import { alternating, measureWindow } from "../measure.ts"
import type { Sample } from "../report.ts"
import { fillExpenses } from "../StoredExpenses.ts"
import { aimAtMost, figure, medianKnown, windowFigures } from "../studyReport.ts"
import { walkTo } from "../walkList.ts"
import { list, pageSize } from "./expenses.ts"
import type { Study, StudyRun } from "./Study.ts"

/** How much slower the largest may be than the smallest, and a page far down the list than the first. */
const growthMax = 1.2
const reportMillisMax = 200
const deepPage = 1_000

/** What is measured: under load what must not grow, and alone what somebody waits for. */
const works = [
  { name: "create", scenario: "expense-create", isDeep: false, isAlone: false },
  { name: "list, page 1", scenario: "expense-list", isDeep: false, isAlone: false },
  { name: "list, page 1,000", scenario: "expense-list", isDeep: true, isAlone: false },
  { name: "spend by category", scenario: "spend-by-category", isDeep: false, isAlone: true },
  { name: "spend by merchant", scenario: "spend-by-merchant", isDeep: false, isAlone: true },
  { name: "stats", scenario: "stats", isDeep: false, isAlone: true }
] as const
type Work = (typeof works)[number]

const startSizes = Effect.fn("bench.expenses.startSizes")(function* ({ options, progress }: StudyRun) {
  const database = yield* BenchDatabase.start
  const sizes = yield* Effect.forEach(options.sizes, (size) =>
    Effect.gen(function* () {
      const name = `expenses_${size}`
      const databaseUrl = yield* database.create(name)
      const gateway = yield* Gateway.start({ folder: `${database.folder}/${name}`, databaseUrl })
      const begin = performance.now()
      yield* Effect.scoped(fillExpenses({ ...database, name }, size))
      progress(`expenses: stored ${size} in ${((performance.now() - begin) / 1000).toFixed(0)} s`)
      const cursor = yield* walkTo(gateway.port, list, Math.min(deepPage, Math.floor(size / pageSize)))
      return { size, gateway, cursor }
    })
  )
  return { database, sizes }
})

const millisOf = (samples: ReadonlyArray<Sample> | undefined) =>
  figure(medianKnown((samples ?? []).map(({ p50Millis }) => p50Millis)), 2)

/** How much longer a request takes than another, by the round: a machine that grows slower between rounds does not count. */
const slowerThan = (samples: ReadonlyArray<Sample>, others: ReadonlyArray<Sample> | undefined) =>
  figure(medianKnown(samples.map(({ rps }, round) => (others?.[round]?.rps ?? Number.NaN) / rps)), 3)

/**
 * The expense side at organizations of different sizes, a service each: new expenses, the first page of the list and one
 * far down, and the sums. What is stored was spent over a year.
 */
export const expenses: Study = Effect.fn("bench.expenses")(function* (run) {
  const { options, progress } = run
  progress("expenses: starting PostgreSQL and a service for each size")
  const { database, sizes } = yield* startSizes(run)
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { currency, rounds, warmUpSeconds } = options
  const connections = options.connections[0] ?? 1
  const windowOf = (
    { isAlone, isDeep, scenario }: Work,
    cursor: string | undefined
  ): Omit<Window, "ports" | "seconds"> => ({
    ...{ scenario, side: "subject", connections: isAlone ? 1 : connections, currency },
    ...(isDeep && cursor !== undefined ? { cursor } : {})
  })
  const measured = new Map<string, ReadonlyArray<ReadonlyArray<Sample>>>()
  for (const work of works) {
    const measureSize = ({ cursor, gateway, size }: (typeof sizes)[number], seconds = options.seconds) =>
      Effect.map(
        measureWindow(bench, `${work.name} at ${size}`, [gateway], { ...windowOf(work, cursor), seconds }),
        ({ sample }) => sample
      )
    progress(`expenses, ${work.name}: warming up`)
    for (const size of sizes) yield* measureSize(size, warmUpSeconds)
    measured.set(work.name, yield* alternating(sizes, rounds, progress, (size) => measureSize(size)))
  }
  const samplesOf = (name: Work["name"]) => measured.get(name) ?? []
  const grown = ({ name }: Work) => samplesOf(name).map((samples) => slowerThan(samples, samplesOf(name)[0]))
  const worst = (values: ReadonlyArray<number | null>) =>
    values.includes(null) ? null : Math.max(...values.filter((each) => each !== null))
  return {
    figures: works.flatMap((work) =>
      samplesOf(work.name).map((samples, index) => ({
        case: work.name,
        stored: sizes[index]?.size ?? null,
        ...windowFigures(samples),
        slower: grown(work)[index] ?? null
      }))
    ),
    aims: [
      ...works
        .filter(({ isAlone }) => !isAlone)
        .map((work) => aimAtMost(`${work.name}, slowest size by the smallest`, worst(grown(work)), growthMax)),
      aimAtMost(
        "list, page 1,000 by page 1, slowest size",
        worst(
          samplesOf("list, page 1,000").map((samples, index) => slowerThan(samples, samplesOf("list, page 1")[index]))
        ),
        growthMax
      ),
      ...works
        .filter(({ isAlone }) => isAlone)
        .map(({ name }) =>
          aimAtMost(`${name}, p50 in ms at the largest size`, millisOf(samplesOf(name).at(-1)), reportMillisMax)
        )
    ],
    notes: [
      `${connections} connections for create and list, one for the others; "slower" is the time a request takes by that at the smallest size, the median of the rounds' ratios.`,
      `Pages of ${pageSize}.`
    ],
    machine: describeMachine(database.version)
  }
})
