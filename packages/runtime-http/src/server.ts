import { existsSync } from "node:fs"
import type { RequestListener } from "node:http"
import { join } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { ExpenseSideMemory } from "@sarraf/adapters/memory/ExpenseSideMemory"
import { withoutDemo } from "@sarraf/adapters/postgres/demo/demoMark"
import { EventRetentionDays } from "@sarraf/adapters/postgres/events/EventRetention"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import * as PgApiKeys from "@sarraf/adapters/postgres/PgApiKeys"
import { requireDurable } from "@sarraf/adapters/postgres/requireDurable"
import * as Sweeper from "@sarraf/adapters/postgres/Sweeper"
import { sandboxClients, seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import { Simulators } from "@sarraf/adapters/providers/Simulators"
import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import { Payments } from "@sarraf/domain/payments/Payments"
import { RoutingSettings } from "@sarraf/domain/routing/RoutingSettings"
import * as AssistantSide from "@sarraf/runtime-mcp/assistantSide"
import { ByteSize, Cause, Clock, Context, Duration, Effect, Exit, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as account from "./account/routes.ts"
import { Api } from "./api/Api.ts"
import { StrictDecoding as DecodingCheck, Signature as SignatureCheck } from "./api/middleware.ts"
import * as Atomic from "./auth/Atomic.ts"
import * as Bearer from "./auth/Bearer.ts"
import { GatewayMode } from "./auth/GatewayMode.ts"
import { GatewayRateLimit } from "./auth/GatewayRateLimit.ts"
import { Guesses } from "./auth/Guesses.ts"
import { PublicAddress } from "./auth/PublicAddress.ts"
import * as Signature from "./auth/Signature.ts"
import * as AuthorizationServer from "./authorizationServer.ts"
import { type Configuration, load, mcpUrlOf } from "./configuration/Configuration.ts"
import * as ExpenseSide from "./expenseSide.ts"
import * as Gateway from "./gateway.ts"
import * as apiKeys from "./handlers/apiKeys.ts"
import * as approvals from "./handlers/approvals.ts"
import * as assistantConnections from "./handlers/assistantConnections.ts"
import * as assistantTokens from "./handlers/assistantTokens.ts"
import * as audit from "./handlers/audit.ts"
import * as auth from "./handlers/auth.ts"
import * as delegations from "./handlers/delegations.ts"
import * as departments from "./handlers/departments.ts"
import * as events from "./handlers/events.ts"
import * as exchangeRates from "./handlers/exchangeRates.ts"
import * as expenseBulk from "./handlers/expenseBulk.ts"
import * as expenses from "./handlers/expenses.ts"
import * as members from "./handlers/members.ts"
import * as organization from "./handlers/organization.ts"
import * as paymentClients from "./handlers/paymentClients.ts"
import * as payments from "./handlers/payments.ts"
import * as policies from "./handlers/policies.ts"
import * as receipts from "./handlers/receipts.ts"
import * as reports from "./handlers/reports.ts"
import * as routingPolicy from "./handlers/routingPolicy.ts"
import * as signIn from "./handlers/signIn.ts"
import * as statistics from "./handlers/statistics.ts"
import * as webhooks from "./handlers/webhooks.ts"
import * as Assistants from "./http/Assistants.ts"
import { BesideAddresses } from "./http/Beside.ts"
import * as Cors from "./http/Cors.ts"
import * as DatabaseReadiness from "./http/DatabaseReadiness.ts"
import * as Documentation from "./http/Documentation.ts"
import * as Health from "./http/Health.ts"
import * as LinkedReceipts from "./http/LinkedReceipts.ts"
import * as Overload from "./http/Overload.ts"
import * as ProviderNotifications from "./http/ProviderNotifications.ts"
import * as RequestScopes from "./http/RequestScopes.ts"
import * as Responses from "./http/Responses.ts"
import * as Server from "./http/Server.ts"
import * as StrictDecoding from "./http/StrictDecoding.ts"
import * as Installation from "./installation.ts"
import * as SimulatorPages from "./sandbox/SimulatorPages.ts"
import * as Logging from "./telemetry/Logging.ts"
import * as RequestMetrics from "./telemetry/RequestMetrics.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as threeDS from "./threeds/routes.ts"

/** Who may call: the mode of this process, and its limits. */
const admission = ({ mode, rateLimitBurst, rateLimitPerSecond }: Configuration, addresses: Gateway.Addresses) =>
  Layer.mergeAll(
    Layer.provideMerge(Guesses.layer, GatewayRateLimit.layer({ burst: rateLimitBurst, perSecond: rateLimitPerSecond })),
    Layer.succeed(PublicAddress, addresses),
    Layer.succeed(GatewayMode, { livemode: mode === "live" })
  )

type PaymentPorts = ChallengeTokens | DecodingCheck | GatewayMode | Payments | SignatureCheck

/**
 * The handlers of payments with nothing around them but what they are made of. All that is around handlers when they are
 * made is copied into the context of each of their requests: the whole service costs more than the check of a signature.
 */
const paymentsAlone = Layer.fromBuild((memoMap, scope) =>
  Effect.updateContext(
    Layer.buildWithMemoMap(payments.layer, memoMap, scope),
    (around: Context.Context<PaymentPorts>) =>
      Context.pick(Payments, ChallengeTokens, GatewayMode, SignatureCheck, DecodingCheck)(around)
  )
)

const api = HttpApiBuilder.layer(Api).pipe(
  Layer.provide([
    paymentsAlone,
    routingPolicy.layer,
    policies.layer,
    signIn.layer,
    auth.layer,
    members.layer,
    departments.layer,
    audit.layer,
    apiKeys.layer,
    paymentClients.layer,
    assistantTokens.layer,
    assistantConnections.layer,
    organization.layer,
    expenses.layer,
    expenseBulk.layer,
    reports.layer,
    statistics.layer,
    exchangeRates.layer,
    receipts.layer,
    approvals.layer,
    delegations.layer,
    events.layer,
    webhooks.layer
  ]),
  Layer.provide(RoutingSettings.layer),
  Layer.provide([
    Signature.layer,
    Layer.provide(Bearer.layer, Cors.crossOriginLayer),
    Atomic.layer,
    StrictDecoding.layer
  ]),
  Layer.provide(PgApiKeys.layer)
)

/** The simulators' own pages, in TEST mode alone. */
const sandboxPages = (configuration: Configuration, { baseUrl }: Gateway.Addresses) =>
  configuration.mode === "test"
    ? SimulatorPages.layer({ pagesUrl: Gateway.pagesUrlOf(configuration, baseUrl), simulators: Simulators })
    : Layer.empty

const routes = (configuration: Configuration, addresses: Gateway.Addresses) => {
  const { baseUrl } = configuration
  const document = Documentation.layer(Api, baseUrl === undefined ? {} : { serverUrl: baseUrl })
  const beside = [
    ...Documentation.routes,
    ...Health.routes,
    ...RequestMetrics.routes,
    ...threeDS.routes,
    ...account.routes,
    ...AuthorizationServer.routes,
    ...ProviderNotifications.routes,
    ...LinkedReceipts.routes,
    ...(configuration.mode === "test" ? SimulatorPages.routes : [])
  ]
  return Layer.mergeAll(
    api,
    document,
    threeDS.layer(addresses),
    account.layer,
    AuthorizationServer.layer(configuration, addresses),
    ProviderNotifications.layer,
    LinkedReceipts.layer,
    sandboxPages(configuration, addresses),
    Layer.provide(
      Assistants.layer(configuration, addresses),
      AssistantSide.layer(mcpUrlOf(configuration, addresses.baseUrl))
    ),
    Layer.provide(Health.layer, DatabaseReadiness.layer),
    RequestMetrics.layer,
    Cors.layer,
    Layer.provide(Sweeper.layer, Layer.succeed(EventRetentionDays, configuration.eventRetentionDays))
  ).pipe(
    Layer.provide(admission(configuration, addresses)),
    Layer.provide(AuthorizationServer.connections),
    Layer.provide(ExpenseSide.layer),
    Layer.provide([ExpenseSide.receiptFiles(configuration), ExpenseSide.webhookSender(configuration)]),
    Layer.provide(Gateway.layer(configuration, addresses)),
    Layer.provideMerge(Responses.layer(Api, { alsoServed: beside }))
  )
}

/** Answers once there is a handler; requests that come before it wait. */
const makeDispatch = () => {
  const waiting: Array<Parameters<RequestListener>> = []
  let handle: RequestListener | undefined
  return {
    dispatch: ((...exchange) => {
      if (handle === undefined) waiting.push(exchange)
      else handle(...exchange)
    }) satisfies RequestListener,
    open: (handler: RequestListener) => {
      handle = handler
      for (const exchange of waiting.splice(0)) handler(...exchange)
    }
  }
}

const announce = ({ mode }: Configuration, url: string) =>
  Effect.logInfo(`Sarraf is ready at ${url} (${mode} mode), reference at ${url}/docs`).pipe(
    Effect.andThen(
      mode === "test"
        ? Effect.andThen(
            Effect.forEach(sandboxClients, ({ apiKey, assistantToken, clientId, clientSecret }) =>
              Effect.logInfo(
                `Sandbox client: x-client-id ${clientId}, secret ${clientSecret}; API key ${apiKey}; assistant token ${assistantToken}`
              )
            ),
            Effect.logInfo(
              "Sandbox people: owner@, admin@, approver@, member@, auditor@sandbox.test and owner@other.test, password sandbox"
            )
          )
        : Effect.void
    ),
    Effect.annotateLogs({ url })
  )

/** The sandbox's demo year, and what forgets it: ten megabytes that nobody needs once they are in the database. */
type Demo = readonly [make: Effect.Effect<ExpenseSideMemory["Service"]>, forget: Effect.Effect<void>]

/** Made once and only when it is asked for. What makes it is not loaded before. */
const demoYear: Effect.Effect<Demo> = Effect.cachedInvalidateWithTTL(
  Effect.gen(function* () {
    const { makeDemo } = yield* Effect.promise(() => import("@sarraf/adapters/postgres/demo/makeDemo"))
    return yield* makeDemo(yield* Clock.currentTimeMillis)
  }),
  Duration.infinity
)

/** Whether the first start makes the database: then the demo year is made meanwhile, when this process has nothing to do. */
const beginsEmpty = ({ databaseUrl, dataDirectory, sandboxDemo }: Configuration): boolean =>
  sandboxDemo && databaseUrl === undefined && !existsSync(join(dataDirectory, "postgres"))

/** Writes the demo year into the sandbox where it is missing. */
const addDemo = Effect.fn("addDemo")(function* (configuration: Configuration, [make, forget]: Demo, baseUrl: string) {
  if ((yield* withoutDemo).length === 0) return
  const { seedDemo } = yield* Effect.promise(() => import("@sarraf/adapters/postgres/demo/seedDemo"))
  yield* Effect.provide(seedDemo(yield* make, baseUrl), ExpenseSide.receiptFiles(configuration))
  yield* forget
})

const serve = Effect.fn("serve")(
  function* (configuration: Configuration, demo: Demo) {
    for (const warning of configuration.warnings) yield* Effect.logWarning(warning)
    if (configuration.mode === "live") yield* requireDurable
    yield* migrate
    if (configuration.mode === "test") yield* seedSandbox
    const { dispatch, open } = makeDispatch()
    const { host, port } = configuration
    // Pages and simulators name the address, so that the port is opened before them.
    const { close, url } = yield* Server.listen(dispatch, { host, port })
    const addresses = { baseUrl: configuration.baseUrl ?? url, localUrl: url }
    if (configuration.sandboxDemo) yield* addDemo(configuration, demo, addresses.baseUrl)
    const beside = BesideAddresses.make()
    const app = yield* HttpRouter.toHttpEffect(
      Layer.provide(routes(configuration, addresses), Layer.succeed(BesideAddresses, beside))
    )
    const load = yield* Overload.make()
    const handler = yield* Effect.provideService(RequestScopes.make(app), Overload.CurrentLoad, load)
    yield* Effect.addFinalizer(() => close)
    open(load.guard((request, response) => (beside.find(request.url) ?? handler)(request, response)))
    yield* announce(configuration, addresses.baseUrl)
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

const program = Effect.gen(function* () {
  const configuration = yield* load
  const demo = yield* demoYear
  if (beginsEmpty(configuration)) yield* Effect.forkChild(demo[0])
  return yield* serve(configuration, demo)
}).pipe(Effect.catch(refuse))

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  // The default exit code on SIGTERM is 130; a stop that finished its work is a success.
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
