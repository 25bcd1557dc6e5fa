import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import * as PgOrderBook from "@sarraf/adapters/postgres/PgOrderBook"
import * as PgPaymentClients from "@sarraf/adapters/postgres/PgPaymentClients"
import * as PgRequestLedger from "@sarraf/adapters/postgres/PgRequestLedger"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import { requireDurable } from "@sarraf/adapters/postgres/requireDurable"
import * as Sweeper from "@sarraf/adapters/postgres/Sweeper"
import { sandboxClients, seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import { layerSandbox, sandboxSimulators } from "@sarraf/adapters/providers/catalogue"
import * as HttpTransport from "@sarraf/adapters/providers/HttpTransport"
import { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import * as HmacFingerprints from "@sarraf/adapters/signing/HmacFingerprints"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import { GatewayLimits } from "@sarraf/domain/payments/GatewayLimits"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { Payments } from "@sarraf/domain/payments/Payments"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import { ByteSize, Cause, Effect, Exit, Layer, Scope } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "./api/Api.ts"
import { GatewayMode } from "./auth/GatewayMode.ts"
import { GatewayRateLimit } from "./auth/GatewayRateLimit.ts"
import * as Signature from "./auth/Signature.ts"
import { type Configuration, load } from "./configuration/Configuration.ts"
import * as payments from "./handlers/payments.ts"
import * as Documentation from "./http/Documentation.ts"
import * as Health from "./http/Health.ts"
import * as Responses from "./http/Responses.ts"
import * as Server from "./http/Server.ts"
import * as StrictDecoding from "./http/StrictDecoding.ts"
import * as Installation from "./installation.ts"
import * as Logging from "./telemetry/Logging.ts"
import * as RequestMetrics from "./telemetry/RequestMetrics.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** TEST mode speaks with simulators, in this process or over HTTP, and never with a provider's host (contract section 4). */
const transport = ({ connectTimeoutMillis, simulatorSettlement, simulatorsUrl }: Configuration) =>
  simulatorsUrl === undefined
    ? Layer.effect(
        ProviderTransport,
        Effect.map(PgOrderBook.make, (orderBook) =>
          SimulatedTransport.make(sandboxSimulators({ orderBook, settlement: simulatorSettlement }))
        )
      )
    : HttpTransport.layerSimulators({ connectTimeoutMillis, baseUrl: simulatorsUrl })

/** Live credentials come with the providers' own change; until then live mode has nobody to route to, and says so. */
const providers = (configuration: Configuration) =>
  configuration.mode === "live"
    ? Layer.succeed(PaymentProviders, new Map())
    : Layer.provide(layerSandbox, transport(configuration))

const limits = ({ providerTimeoutMillis, requestTimeoutMillis }: Configuration) =>
  Layer.effect(
    GatewayLimits,
    Effect.map(GatewayLimits, (usual) => ({
      ...usual,
      attemptMillis: providerTimeoutMillis,
      requestMillis: requestTimeoutMillis
    }))
  )

const gateway = (configuration: Configuration) =>
  Layer.merge(Payments.layer, DeferredRefunds.layer).pipe(
    Layer.provide([PaymentWork.layer, PaymentLocks.layer]),
    Layer.provide(limits(configuration)),
    Layer.provideMerge([
      PgPaymentStore.layer,
      PgRequestLedger.layer,
      PgPaymentClients.layer,
      HmacFingerprints.layer,
      RandomIdentifiers.layer,
      providers(configuration)
    ])
  )

const readiness = Layer.effect(
  Health.Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const answers = Effect.as(sql`SELECT 1`, { ready: true, reasons: [] })
    return {
      check: answers.pipe(
        Effect.timeout("2 seconds"),
        Effect.catch(() => Effect.succeed({ ready: false, reasons: ["the database does not answer"] }))
      )
    }
  })
)

const routes = (configuration: Configuration) => {
  const { baseUrl, mode, rateLimitBurst, rateLimitPerSecond } = configuration
  const signature = Signature.layer.pipe(
    Layer.provide(GatewayRateLimit.layer({ burst: rateLimitBurst, perSecond: rateLimitPerSecond })),
    Layer.provide(Layer.succeed(GatewayMode, { livemode: mode === "live" }))
  )
  const api = HttpApiBuilder.layer(Api).pipe(
    Layer.provide(payments.layer),
    Layer.provide([signature, StrictDecoding.layer])
  )
  const document = Documentation.layer(Api, baseUrl === undefined ? {} : { serverUrl: baseUrl })
  const beside = [...Documentation.routes, ...Health.routes, ...RequestMetrics.routes]
  return Layer.mergeAll(
    api,
    document,
    Layer.provide(Health.layer, readiness),
    RequestMetrics.layer,
    Sweeper.layer
  ).pipe(Layer.provide(gateway(configuration)), Layer.provideMerge(Responses.layer(Api, { alsoServed: beside })))
}

const announce = ({ mode }: Configuration, url: string) =>
  Effect.logInfo(`Sarraf is ready at ${url} (${mode} mode), reference at ${url}/docs`).pipe(
    Effect.andThen(
      mode === "test"
        ? Effect.forEach(sandboxClients, ({ clientId, clientSecret }) =>
            Effect.logInfo(`Sandbox client: x-client-id ${clientId}, secret ${clientSecret}`)
          )
        : Effect.void
    ),
    Effect.annotateLogs({ url })
  )

const serve = Effect.fn("serve")(
  function* (configuration: Configuration) {
    for (const warning of configuration.warnings) yield* Effect.logWarning(warning)
    if (configuration.mode === "live") yield* requireDurable
    yield* migrate
    if (configuration.mode === "test") yield* seedSandbox
    const app = yield* HttpRouter.toHttpEffect(routes(configuration))
    const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
    const handler = yield* NodeHttpServer.makeHandler(app, { scope })
    const { host, port } = configuration
    const { url } = yield* Server.listen((request, response) => handler(request, response), { host, port })
    yield* announce(configuration, configuration.baseUrl ?? url)
    return yield* Effect.never
  },
  (effect, configuration) =>
    effect.pipe(
      Effect.scoped,
      Effect.provide(
        Layer.mergeAll(
          NodeHttpServer.layerHttpServices,
          Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(256))
        ).pipe(
          Layer.provideMerge(Installation.layer(configuration)),
          Layer.provideMerge(Telemetry.layer(configuration))
        )
      )
    )
)

/** Why the program does not start, in one sentence for each reason; a stack would bury it. */
const refuse = (error: { readonly message: string }): Effect.Effect<never, { readonly message: string }> =>
  Effect.forEach(error.message.split("\n"), (sentence) => Effect.logFatal(sentence)).pipe(
    Effect.andThen(Effect.fail(error)),
    Effect.provide(Logging.layer({ logLevel: "Info" }))
  )

const program = Effect.flatMap(load, serve).pipe(Effect.catch(refuse))

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  // The default exit code on SIGTERM is 130; a stop that finished its work is a success.
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
