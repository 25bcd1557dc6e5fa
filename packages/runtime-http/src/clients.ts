import { parseArgs } from "node:util"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import { ClientRefused, makeRegistry, type NewSecret } from "@sarraf/adapters/postgres/PaymentClientRegistry"
import { Console, Effect, Redacted } from "effect"
import { load } from "./configuration/Configuration.ts"
import * as Installation from "./installation.ts"

const help = `Gateway clients and their secrets, on the database of this installation.

  npm run clients -- list
  npm run clients -- create ORGANIZATION_ID CLIENT_ID
  npm run clients -- rotate CLIENT_ID [--keep-hours 24]     the former secrets stay valid so long
  npm run clients -- retire CLIENT_ID NUMBER                ends a secret at once

A secret is shown once, when it is made. Running servers notice a change within five seconds.`

const shown = ({ clientId, number, secret }: NewSecret) =>
  Console.log(`${clientId}, secret ${number}, shown this once:\n${Redacted.value(secret)}`)

const wholeNumber = (text: string, name: string) =>
  /^\d{1,5}$/u.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new ClientRefused({ message: `${name} must be a whole number.` }))

const run = Effect.fn("clients")(function* (args: ReadonlyArray<string>) {
  const { positionals, values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options: { "keep-hours": { type: "string" } } }),
    catch: (error) => new ClientRefused({ message: error instanceof Error ? error.message : help })
  })
  const [command, first = "", second = ""] = positionals
  const registry = yield* makeRegistry
  if (command === "list") {
    for (const { client_id, expires_at, number, organization_id } of yield* registry.list) {
      const until = expires_at === null ? "" : `, until ${expires_at.toISOString()}`
      yield* Console.log(
        `${organization_id}  ${client_id}  ${number === null ? "no valid secret" : `secret ${number}${until}`}`
      )
    }
    return
  }
  if (command === "create" && second !== "") return yield* Effect.flatMap(registry.create(first, second), shown)
  if (command === "rotate" && first !== "") {
    const keepHours = yield* wholeNumber(values["keep-hours"] ?? "24", "--keep-hours")
    return yield* Effect.flatMap(registry.rotate(first, keepHours), shown)
  }
  if (command === "retire" && second !== "") {
    yield* registry.retire(first, yield* wholeNumber(second, "NUMBER"))
    return yield* Console.log(`${first}, secret ${second}, is no longer valid.`)
  }
  return yield* new ClientRefused({ message: help })
})

const args = process.argv.slice(2)

const program =
  args.length === 0 || args.includes("help") || args.includes("--help")
    ? Console.log(help)
    : Effect.gen(function* () {
        const configuration = yield* load
        yield* Effect.andThen(migrate, run(args)).pipe(Effect.provide(Installation.layer(configuration)))
      }).pipe(Effect.catch((error) => Effect.andThen(Console.error(error.message), Effect.fail(error))))

NodeRuntime.runMain(program, { disableErrorReporting: true })
