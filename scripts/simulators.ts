// Serves the simulators of all providers over HTTP, for gateways that run with SARRAF_SIMULATORS_URL.
//
//   node scripts/simulators.ts                  at http://127.0.0.1:9090, with a book that ends with the process
//   PORT=0 node scripts/simulators.ts           at any free port, which it prints
//   SARRAF_SIMULATOR_SETTLEMENT=daily node …    captures settle at midnight UTC instead of at once
//
// SIGTERM and SIGINT let running requests come to their end.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { sandboxSimulators } from "@sarraf/adapters/providers/catalogue"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { serve } from "@sarraf/adapters/providers/SimulatorServer"
import { Cause, Config, Console, Effect, Exit } from "effect"

const main = Effect.gen(function* () {
  const port = yield* Config.Int("PORT").pipe(Config.withDefault(9090))
  const settlement = yield* Config.Literals(["instant", "daily"], "SARRAF_SIMULATOR_SETTLEMENT").pipe(
    Config.withDefault("instant")
  )
  const simulators = sandboxSimulators({ orderBook: MemoryOrderBook.make(), settlement })
  const url = yield* serve({ simulators, port })
  yield* Console.log(`Simulators of ${simulators.map(({ provider }) => provider).join(", ")}`)
  yield* Console.log(`SARRAF_SIMULATORS_URL=${url}`)
  yield* Effect.never
})

// The default exit code on SIGTERM is 130; a stop that finished its work is a success.
NodeRuntime.runMain(Effect.scoped(main), {
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
