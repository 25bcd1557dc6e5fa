import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import * as Gateway from "../Gateway.ts"
import { Connection } from "../load/Connection.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import { alternating, measureWindow } from "../measure.ts"
import type { Sample } from "../report.ts"
import { fillExpenses } from "../StoredExpenses.ts"
import { aimAtMost, figure, medianKnown, windowFigures } from "../studyReport.ts"
import { scenarios } from "./catalogue.ts"
import type { Study, StudyRun } from "./Study.ts"

/** What somebody waits for in a conversation. */
const dashboardMillisMax = 100
/** Hosts cut an answer at 25,000 tokens; so many characters make one, by the usual rule of thumb. */
const charactersPerToken = 4

const works = [
  { tool: "whoami", scenario: "assistant-whoami", isAlone: false },
  { tool: "list_expenses", scenario: "assistant-list", isAlone: false },
  { tool: "get_dashboard_stats", scenario: "assistant-dashboard", isAlone: false },
  { tool: "list_expenses", scenario: "assistant-list", isAlone: true },
  { tool: "get_dashboard_stats", scenario: "assistant-dashboard", isAlone: true }
] as const
type Work = (typeof works)[number]

/** One answer's length in tokens; fails where the tool refuses. */
const tokensOf = (port: number, scenario: Work["scenario"]) =>
  Effect.tryPromise({
    try: async () => {
      const connection = await Connection.open(port)
      try {
        const request = scenarios[scenario].subject({ currency: "TRY", token: "tokens", payments: [] })()
        const { status, text } = await new Promise<{ status: number; text: string }>((resolve) =>
          connection.send(request?.text ?? "", resolve, true)
        )
        const answer = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4))
        const [content] = answer.result?.content ?? []
        if (status !== 200 || content === undefined || answer.result.isError === true) throw new Error(text)
        return Math.ceil(content.text.length / charactersPerToken)
      } finally {
        connection.close()
      }
    },
    catch: (cause) => new BenchFailed({ message: `The tool did not answer: ${cause}` })
  })

const startSizes = Effect.fn("bench.assistant.startSizes")(function* ({ options, progress }: StudyRun) {
  const database = yield* BenchDatabase.start
  const sizes = yield* Effect.forEach(options.sizes, (size) =>
    Effect.gen(function* () {
      const name = `assistant_${size}`
      const databaseUrl = yield* database.create(name)
      const more = { SARRAF_MCP_RATE_LIMIT_PER_SECOND: "1000000", SARRAF_SANDBOX_DEMO: "false" }
      const gateway = yield* Gateway.start({ folder: `${database.folder}/${name}`, databaseUrl, more })
      const begin = performance.now()
      yield* Effect.scoped(fillExpenses({ ...database, name }, size))
      progress(`assistant: stored ${size} expenses in ${((performance.now() - begin) / 1000).toFixed(0)} s`)
      return { size, gateway }
    })
  )
  return { database, sizes }
})

/** Calls of an assistant's tools in organizations of different sizes, a service each. */
export const assistant: Study = Effect.fn("bench.assistant")(function* (run) {
  const { options, progress } = run
  progress("assistant: starting PostgreSQL and a service for each size")
  const { database, sizes } = yield* startSizes(run)
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { currency, rounds, warmUpSeconds } = options
  const busy = options.connections[0] ?? 1
  const figures = yield* Effect.forEach(works, ({ isAlone, scenario, tool }) =>
    Effect.gen(function* () {
      const connections = isAlone ? 1 : busy
      const measureSize = ({ gateway, size }: (typeof sizes)[number], seconds = options.seconds) =>
        Effect.map(
          measureWindow(bench, `${tool} at ${size}, ${connections} at once`, [gateway], {
            ...{ scenario, side: "subject", connections, currency, seconds }
          }),
          ({ sample }): Sample => sample
        )
      for (const size of sizes) yield* measureSize(size, warmUpSeconds)
      const samples = yield* alternating(sizes, rounds, progress, (size) => measureSize(size))
      return yield* Effect.forEach(sizes, ({ gateway, size }, index) =>
        Effect.map(tokensOf(gateway.port, scenario), (tokens) => ({
          ...{ tool, stored: size, connections, isAlone, tokens, samples: samples[index] ?? [] }
        }))
      )
    })
  )
  const slowest = figures.flat().findLast(({ isAlone, tool }) => isAlone && tool === "get_dashboard_stats")
  const p99 = figure(medianKnown((slowest?.samples ?? []).map(({ p99Millis }) => p99Millis)), 1)
  return {
    figures: figures.flat().map(({ connections, samples, stored, tokens, tool }) => ({
      ...{ tool, stored, connections },
      ...windowFigures(samples),
      tokens
    })),
    aims: [aimAtMost("get_dashboard_stats, p99 in ms at the largest size, one at a time", p99, dashboardMillisMax)],
    notes: [
      `A call checks its token, reads in a transaction of its own, and writes an entry of the audit trail. Tokens: ${charactersPerToken} characters each, of the text that the model reads.`
    ],
    machine: describeMachine(database.version)
  }
})
