import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import { makeOperatorRates, RatesRefused } from "@sarraf/adapters/postgres/rates/OperatorRates"
import { readRateFile } from "@sarraf/domain/money/RateFile"
import { spanOf } from "@sarraf/domain/money/RateTable"
import { Console, Effect } from "effect"
import { runCommand } from "./command.ts"
import * as Installation from "./installation.ts"

const help = `Exchange rates of this installation, which every organization uses where it has none of its own.

  npm run rates -- list
  npm run rates -- import FILE                              the operator's, for every organization
  npm run rates -- import FILE --organization org_…         one organization's own

FILE is CSV: date,base,quote,rate, or the reference rates that the European Central Bank publishes (eurofxref-hist.csv).
A rate takes the place of an earlier one of the same day and pair. A file with a fault changes nothing.`

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : "unknown")

const read = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) => new RatesRefused({ message: `${file} cannot be read: ${reasonOf(error)}` })
  }).pipe(
    Effect.flatMap(readRateFile),
    Effect.catchTag("InvalidFields", ({ faults }) => {
      const lines = faults.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))
      return Effect.fail(new RatesRefused({ message: lines.join("\n") }))
    })
  )

const run = Effect.fn("rates")(function* (args: ReadonlyArray<string>) {
  const { positionals, values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options: { organization: { type: "string" } } }),
    catch: (error) => new RatesRefused({ message: reasonOf(error) })
  })
  const [command, file] = positionals
  const rates = yield* makeOperatorRates
  if (command === "list") {
    for (const { base, count, from, organization_id, quotes, to } of yield* rates.list) {
      const owner = organization_id === "" ? "operator" : organization_id
      yield* Console.log(`${owner}  ${base} in ${quotes} currencies  ${count} rates  ${from} to ${to}`)
    }
    return
  }
  if (command === "import" && file !== undefined) {
    const content = yield* read(file)
    const written = yield* rates.save(content, values.organization)
    const { from, to } = spanOf(content.quotations)
    yield* Console.log(`${content.quotations.length} rates read, ${written} new or changed, ${from} to ${to}.`)
    const skipped = content.skipped.join(", ")
    return yield* skipped === "" ? Effect.void : Console.log(`Passed over, for they no longer circulate: ${skipped}.`)
  }
  return yield* new RatesRefused({ message: help })
})

runCommand(help, (args, configuration) =>
  Effect.andThen(migrate, run(args)).pipe(Effect.provide(Installation.layer(configuration)))
)
