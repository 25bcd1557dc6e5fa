// Serves the simulators of all providers over HTTP, for gateways that run with SARRAF_SIMULATORS_URL.
//
//   node scripts/simulators.ts                  at http://127.0.0.1:9090, with a book that ends with the process
//   PORT=0 node scripts/simulators.ts           at any free port, which it prints
//   SARRAF_SIMULATOR_SETTLEMENT=daily node …    captures settle at midnight UTC instead of at once
//   SARRAF_SIMULATOR_DELAY_MS=300 node …        every answer comes 300 ms late, as a bank's does
//   SARRAF_NOTIFY_URL=http://… node …           posts notifications to the gateway there instead of http://127.0.0.1:8080
//
// SIGTERM and SIGINT let running requests come to their end.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import * as NotificationOutbox from "@sarraf/adapters/providers/NotificationOutbox"
import * as NotificationPoster from "@sarraf/adapters/providers/NotificationPoster"
import { sandboxSimulators } from "@sarraf/adapters/providers/Sandbox"
import type { Simulator } from "@sarraf/adapters/providers/Simulator"
import { serve } from "@sarraf/adapters/providers/SimulatorServer"
import { Cause, Config, Console, Effect, Exit, Schema } from "effect"

/** Longer than any time limit of the gateway: no provider that is alive takes this long. */
const delayMillisMax = 600_000

/** The simulator's own time, then the delay: what it changed holds while the answer is on its way. */
const delayed =
  (millis: number) =>
  (simulator: Simulator): Simulator =>
    millis === 0
      ? simulator
      : { ...simulator, handle: (request) => Effect.tap(simulator.handle(request), Effect.sleep(millis)) }

const main = Effect.gen(function* () {
  const port = yield* Config.Int("PORT").pipe(Config.withDefault(9090))
  const settlement = yield* Config.Literals(["instant", "daily"], "SARRAF_SIMULATOR_SETTLEMENT").pipe(
    Config.withDefault("instant")
  )
  const delayMillis = yield* Config.schema(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: delayMillisMax })),
    "SARRAF_SIMULATOR_DELAY_MS"
  ).pipe(Config.withDefault(0))
  const baseUrl = yield* Config.String("SARRAF_NOTIFY_URL").pipe(Config.withDefault("http://127.0.0.1:8080"))
  const orderBook = MemoryOrderBook.make()
  const notify = yield* NotificationPoster.make({ baseUrl, outbox: NotificationOutbox.makeMemory() })
  let simulators: ReadonlyArray<Simulator> = []
  const url = yield* serve({
    port,
    simulators: (url) => {
      const pagesUrl = (provider: string) => `${url}/${provider}`
      simulators = sandboxSimulators({ orderBook, settlement, pagesUrl, notify }).map(delayed(delayMillis))
      return simulators
    }
  })
  yield* Console.log(`Simulators of ${simulators.map(({ provider }) => provider).join(", ")}`)
  yield* Console.log(`SARRAF_SIMULATORS_URL=${url}`)
  yield* Effect.never
})

// The default exit code on SIGTERM is 130; a stop that finished its work is a success.
NodeRuntime.runMain(Effect.scoped(main), {
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
