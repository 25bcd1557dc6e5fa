import { parseArgs } from "node:util"
import { eventCatalogue, isEventType } from "@sarraf/domain/events/EventCatalogue"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { Console, Effect, Schema } from "effect"
import { runCommand } from "./command.ts"
import { CommandRefused } from "./operator.ts"
import { ask, remoteOptions, remoteService } from "./remoteService.ts"

const widthMax = Math.max(...eventTypes.map(({ length }) => length))
const types = eventTypes.map((type) => `  ${type.padEnd(widthMax)}  ${eventCatalogue[type].happens}`).join("\n")

const help = `Makes an example event in a sandbox: it is delivered to its webhook endpoints, and is in GET /api/events.

  npm run trigger -- TYPE [--url http://localhost:8080] [--key key_test_sandbox]

${types}`

/** An event as the API answers it: all of its members are shown. */
const EventText = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
)

const run = Effect.fn("trigger")(function* (args: ReadonlyArray<string>, port: number) {
  const { positionals, values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options: remoteOptions }),
    catch: (error) => new CommandRefused({ message: error instanceof Error ? error.message : help })
  })
  const [type = "", ...others] = positionals
  if (others.length > 0) return yield* new CommandRefused({ message: "One event at a time: name one type." })
  if (!isEventType(type)) {
    return yield* new CommandRefused({ message: `There is no event "${type}". There are:\n\n${types}` })
  }
  const event = yield* ask(yield* remoteService(values, port), "POST", "/api/events", EventText, { type })
  yield* Console.log(JSON.stringify(event, undefined, 2))
})

runCommand(help, (args, { port }) => run(args, port))
