import { randomUUID } from "node:crypto"
import { parseArgs } from "node:util"
import { isEventType } from "@sarraf/domain/events/EventCatalogue"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { Console, Effect, Schema } from "effect"
import { runCommand } from "./command.ts"
import { type Delivery, forward, openReceiver, type Reply } from "./eventReceiver.ts"
import { CommandRefused } from "./operator.ts"
import { ask, type RemoteService, remoteOptions, remoteService } from "./remoteService.ts"

const help = `Prints the events of a sandbox as they happen and forwards them, through a webhook endpoint of its own that lives as
long as the command.

  npm run listen -- [--forward http://localhost:3000/hook] [--events expense.approved,card.frozen]
                    [--url http://localhost:8080] [--key key_test_sandbox]

Without --forward they are printed alone. What --forward answers is answered to the service, which repeats what failed.
Events: ${eventTypes.join(", ")}; all without --events.`

const options = { ...remoteOptions, forward: { type: "string" }, events: { type: "string" } } as const

const Endpoint = Schema.fromJsonString(Schema.Struct({ id: Schema.String, secret: Schema.String }))

const decodeEvent = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.String,
      type: Schema.String,
      data: Schema.Struct({ object: Schema.Struct({ id: Schema.String }) })
    })
  )
)

/** The types that are asked for, by commas; all of them where none is. */
const typesOf = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(["*"])
  const types = text.split(",").map((type) => type.trim())
  const unknown = types.filter((type) => type !== "*" && !isEventType(type))
  return unknown.length === 0
    ? Effect.succeed(types)
    : Effect.fail(
        new CommandRefused({
          message: `There is no event ${unknown.join(", ")}. There are: ${eventTypes.join(", ")}.`
        })
      )
}

const targetOf = (text: string | undefined) => {
  if (text === undefined) return Effect.undefined
  return URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)
    ? Effect.succeed(new URL(text))
    : Effect.fail(
        new CommandRefused({ message: `--forward must be an address such as http://localhost:3000/hook, not ${text}.` })
      )
}

/** The receiver is on this machine's loopback, where only a service of this machine finds it. */
const requireLoopback = ({ url }: RemoteService) =>
  /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(new URL(url).hostname)
    ? Effect.void
    : Effect.fail(
        new CommandRefused({
          message: `The service at ${url} is not on this machine and could not deliver to it: run this command beside it.`
        })
      )

/** `2026-11-02T19:41:07.312Z  card.frozen  evt_…  card_…  200`. */
const lineOf = ({ body }: Delivery, reply: Reply, isForwarded: boolean): string => {
  const event = decodeEvent(new TextDecoder().decode(body))
  const told = event._tag === "None" ? ["not an event"] : [event.value.type, event.value.id, event.value.data.object.id]
  // A text is our own: why there was no answer.
  const outcome = typeof reply.body === "string" ? `${reply.status} ${reply.body}` : String(reply.status)
  return [new Date().toISOString(), ...told, isForwarded ? outcome : "received"].join("  ")
}

/** The endpoint of this command, until the scope closes. */
const temporaryEndpoint = (service: RemoteService, url: string, events: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    ask(service, "POST", "/api/webhooks", Endpoint, { url, events, description: "npm run listen" }),
    ({ id }) =>
      ask(service, "DELETE", `/api/webhooks/${id}`, Schema.String).pipe(
        Effect.catch(({ message }) => Console.error(`The endpoint ${id} could not be deleted. ${message}`))
      )
  )

const run = Effect.fn("listen")(function* (args: ReadonlyArray<string>, port: number) {
  const { values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], options }),
    catch: (error) => new CommandRefused({ message: error instanceof Error ? error.message : help })
  })
  const service = yield* remoteService(values, port)
  const target = yield* targetOf(values.forward)
  const events = yield* typesOf(values.events)
  yield* requireLoopback(service)
  const { log } = yield* Console.Console
  const url = yield* openReceiver(`/${randomUUID()}`, async (delivery) => {
    const reply = target === undefined ? { status: 200 } : await forward(target, delivery)
    log(lineOf(delivery, reply, target !== undefined))
    return reply
  })
  const { id, secret } = yield* temporaryEndpoint(service, url, events)
  yield* Console.log(
    `Events of ${service.url} come to ${id}${target === undefined ? "" : ` and go on to ${target.href}`}.`
  )
  yield* Console.log(`Signing secret: ${secret}`)
  yield* Console.log("Ready. Make one with npm run trigger; Ctrl+C ends this.")
  return yield* Effect.never
}, Effect.scoped)

runCommand(help, (args, { port }) => run(args, port), { takesArguments: false, runsUntilStopped: true })
