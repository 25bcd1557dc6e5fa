import { existsSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as AssistantSide from "@sarraf/runtime-mcp/assistantSide"
import { OfferedCatalogue } from "@sarraf/runtime-mcp/catalogue/OfferedCatalogue"
import { converseOverStdio } from "@sarraf/runtime-mcp/stdio/converseOverStdio"
import { Cause, Config, Data, Effect, Exit, Layer, Option, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { type Configuration, load, mcpUrlOf } from "./configuration/Configuration.ts"
import * as Assistants from "./http/Assistants.ts"
import { BesideAddresses } from "./http/Beside.ts"
import * as DatabaseReadiness from "./http/DatabaseReadiness.ts"
import * as Health from "./http/Health.ts"
import * as Overload from "./http/Overload.ts"
import * as Server from "./http/Server.ts"
import * as Installation from "./installation.ts"
import * as Logging from "./telemetry/Logging.ts"
import * as RequestMetrics from "./telemetry/RequestMetrics.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** `message` says in a sentence why the program does not start. */
class CannotStart extends Data.TaggedError("CannotStart")<{ readonly message: string }> {}

/** Beside the service, which has 8080. */
const portUsual = 8081

/** `PORT`, else the one that `SARRAF_MCP_URL` names, else 8081. */
const portOf = ({ mcpUrl, port }: Configuration) =>
  Effect.map(Config.option(Config.String("PORT")), (given) => {
    if (Option.isSome(given) && given.value.trim() !== "") return port
    const named = mcpUrl === undefined ? "" : new URL(mcpUrl).port
    return named === "" ? portUsual : Number(named)
  })

/** This program reads what the service keeps: it makes no database of its own. */
const requireDatabase = ({ databaseUrl, dataDirectory }: Configuration) =>
  databaseUrl !== undefined || existsSync(join(dataDirectory, "postgres"))
    ? Effect.void
    : Effect.fail(
        new CannotStart({
          message: `There is no database in ${dataDirectory}: start the service first (npm start), or set DATABASE_URL or SARRAF_DATA_DIR to where its data is.`
        })
      )

const warn = ({ warnings }: Configuration) =>
  Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })

const serve = Effect.fn("serve")(function* (configuration: Configuration) {
  yield* warn(configuration)
  const port = yield* portOf(configuration)
  let dispatch: Parameters<typeof Server.listen>[0] = (_, response) => response.writeHead(503).end()
  const { close, url } = yield* Server.listen((...exchange) => dispatch(...exchange), {
    host: configuration.host,
    port
  })
  // Where nothing is said of the service's address, tokens are got where this program is.
  const baseUrl = configuration.baseUrl ?? url
  const beside = BesideAddresses.make()
  const routes = Layer.mergeAll(
    Layer.provide(Assistants.layer(configuration, { baseUrl }), AssistantSide.layer(mcpUrlOf(configuration, baseUrl))),
    Layer.provide(Health.layer, DatabaseReadiness.layer),
    RequestMetrics.layer
  )
  const app = yield* HttpRouter.toHttpEffect(Layer.provide(routes, Layer.succeed(BesideAddresses, beside)))
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const load = yield* Overload.make()
  const handler = yield* Effect.provideService(NodeHttpServer.makeHandler(app, { scope }), Overload.CurrentLoad, load)
  yield* Effect.addFinalizer(() => close)
  dispatch = load.guard((request, response) => (beside.find(request.url) ?? handler)(request, response))
  yield* Effect.logInfo(`Sarraf's assistant server is ready at ${mcpUrlOf(configuration, baseUrl)}`).pipe(
    Effect.annotateLogs({ url })
  )
  return yield* Effect.never
}, Effect.scoped)

const converse = Effect.fn("converse")(function* (configuration: Configuration) {
  const { assistantToken: token } = configuration
  if (token === undefined) {
    return yield* new CannotStart({
      message: "SARRAF_MCP_TOKEN is not set: it must hold the mcp_ token of the person whom the assistant acts for."
    })
  }
  yield* warn(configuration)
  const options = Assistants.assistantOptions(configuration, configuration.baseUrl ?? "http://127.0.0.1:8080")
  const conversation = Effect.flatMap(OfferedCatalogue, (catalogue) =>
    converseOverStdio(catalogue, { ...options, token })
  )
  yield* Effect.provide(conversation, AssistantSide.layer(options.url))
})

const program = (toStandardError: boolean) =>
  Effect.gen(function* () {
    const configuration = yield* load
    yield* requireDatabase(configuration)
    const work = Effect.gen(function* () {
      if (toStandardError) yield* converse(configuration)
      else yield* serve(configuration)
    })
    const telemetry = Telemetry.layer({ ...configuration, toStandardError, serviceName: "sarraf-assistants" })
    return yield* work.pipe(
      Effect.provide([NodeHttpServer.layerHttpServices, Installation.layerMigrated(configuration)]),
      Effect.provide(telemetry)
    )
  }).pipe(
    Effect.catch((error) =>
      Effect.forEach(error.message.split("\n"), (sentence) => Effect.logFatal(sentence)).pipe(
        Effect.andThen(Effect.fail(error)),
        Effect.provide(Logging.layer({ logLevel: "Info", toStandardError }))
      )
    )
  )

NodeRuntime.runMain(program(process.argv.includes("--stdio")), {
  disableErrorReporting: true,
  // A stop that finished its work is a success.
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
