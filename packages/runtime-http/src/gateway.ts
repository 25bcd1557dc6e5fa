import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgNotificationOutbox from "@sarraf/adapters/postgres/PgNotificationOutbox"
import * as PgOrderBook from "@sarraf/adapters/postgres/PgOrderBook"
import * as PgPaymentClients from "@sarraf/adapters/postgres/PgPaymentClients"
import * as PgRequestLedger from "@sarraf/adapters/postgres/PgRequestLedger"
import * as PgChallengeSteps from "@sarraf/adapters/postgres/payments/PgChallengeSteps"
import * as PgFollowUps from "@sarraf/adapters/postgres/payments/PgFollowUps"
import * as PgNotificationInbox from "@sarraf/adapters/postgres/payments/PgNotificationInbox"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import * as PgRoutingPolicies from "@sarraf/adapters/postgres/routing/PgRoutingPolicies"
import * as PgSuccessRates from "@sarraf/adapters/postgres/routing/PgSuccessRates"
import { ServedMode } from "@sarraf/adapters/postgres/ServedMode"
import * as HttpTransport from "@sarraf/adapters/providers/HttpTransport"
import * as NotificationPoster from "@sarraf/adapters/providers/NotificationPoster"
import * as ProviderBreakers from "@sarraf/adapters/providers/ProviderBreakers"
import { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import * as Sandbox from "@sarraf/adapters/providers/Sandbox"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import type { SimulatorOptions } from "@sarraf/adapters/providers/Simulator"
import { Simulators } from "@sarraf/adapters/providers/Simulators"
import * as ChallengeTokens from "@sarraf/adapters/signing/ChallengeTokens"
import * as HmacFingerprints from "@sarraf/adapters/signing/HmacFingerprints"
import * as ChallengeFlow from "@sarraf/domain/payments/ChallengeFlow"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import { GatewayLimits } from "@sarraf/domain/payments/GatewayLimits"
import * as NotificationFlow from "@sarraf/domain/payments/NotificationFlow"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { Payments } from "@sarraf/domain/payments/Payments"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import * as Reconciler from "@sarraf/domain/payments/Reconciler"
import { Effect, Layer } from "effect"
import type { Configuration } from "./configuration/Configuration.ts"
import * as Overload from "./http/Overload.ts"
import * as providerAccounts from "./providerAccounts.ts"

/** Where this process is reached. */
export interface Addresses {
  /** By merchants and buyers: `SARRAF_BASE_URL`, else the port that it listens on. */
  readonly baseUrl: string
  /** From this machine. */
  readonly localUrl: string
}

/** Where a buyer's browser reaches a provider's simulator. */
export const pagesUrlOf =
  ({ simulatorsUrl }: Pick<Configuration, "simulatorsUrl">, baseUrl: string) =>
  (provider: string): string =>
    simulatorsUrl === undefined ? `${baseUrl}/sandbox/${provider}` : `${simulatorsUrl}/${provider}`

type Notify = (provider: string) => SimulatorOptions["notify"]

/** What simulators post goes to this machine, and is kept until it is acknowledged. */
const posting = (localUrl: string) =>
  Effect.flatMap(PgNotificationOutbox.make, (outbox) => NotificationPoster.make({ baseUrl: localUrl, outbox }))

/** The simulators of this process: none in live mode, nor where they are reached over HTTP. */
const simulators = (configuration: Configuration, { baseUrl, localUrl }: Addresses, notify?: Notify) =>
  configuration.mode === "live" || configuration.simulatorsUrl !== undefined
    ? Layer.succeed(Simulators, new Map())
    : Layer.effect(
        Simulators,
        Effect.gen(function* () {
          const made = Sandbox.sandboxSimulators({
            orderBook: yield* PgOrderBook.make,
            settlement: configuration.simulatorSettlement,
            pagesUrl: pagesUrlOf(configuration, baseUrl),
            notify: notify ?? (yield* posting(localUrl))
          })
          return new Map(made.map((simulator) => [simulator.provider, simulator]))
        })
      )

/** While a provider has a request, the process has time for others. */
const away = <E, R>(transport: Layer.Layer<ProviderTransport, E, R>) =>
  Layer.effect(
    ProviderTransport,
    Effect.map(ProviderTransport, ({ send }) => ({ send: (request) => Overload.away(send(request)) }))
  ).pipe(Layer.provide(transport))

/** TEST mode speaks with simulators, in this process or over HTTP, and never with a provider's host (contract section 4). */
const sandboxTransport = ({ connectTimeoutMillis, simulatorsUrl }: Configuration) =>
  simulatorsUrl === undefined
    ? Layer.effect(
        ProviderTransport,
        Effect.map(Simulators, (all) => SimulatedTransport.make([...all.values()]))
      )
    : away(HttpTransport.layerSimulators({ connectTimeoutMillis, baseUrl: simulatorsUrl }))

const providers = (configuration: Configuration, { baseUrl }: Addresses) =>
  configuration.mode === "live"
    ? Layer.provide(providerAccounts.layer(configuration), away(HttpTransport.layer(configuration)))
    : Layer.provide(Sandbox.layer(pagesUrlOf(configuration, baseUrl)), sandboxTransport(configuration))

const limits = ({ providerTimeoutMillis, requestTimeoutMillis }: Configuration) =>
  Layer.effect(
    GatewayLimits,
    Effect.map(GatewayLimits, (usual) => ({
      ...usual,
      attemptMillis: providerTimeoutMillis,
      requestMillis: requestTimeoutMillis
    }))
  )

/**
 * What the gateway's use cases stand on: stores, keys, and the providers, each watched for its health. `notify` takes what
 * simulators would post, for programs beside the service.
 */
export const foundation = (configuration: Configuration, addresses: Addresses, notify?: Notify) =>
  ProviderBreakers.layerWatched.pipe(
    Layer.provide(providers(configuration, addresses)),
    Layer.provideMerge([
      PgPaymentStore.layer,
      PgRequestLedger.layer,
      PgPaymentClients.layer,
      PgChallengeSteps.layer,
      PgFollowUps.layer,
      PgNotificationInbox.layer,
      PgRoutingPolicies.layer,
      PgSuccessRates.layer,
      ProviderBreakers.layer,
      ChallengeTokens.layer({ baseUrl: addresses.baseUrl, livemode: configuration.mode === "live" }),
      HmacFingerprints.layer,
      RandomIdentifiers.layer,
      limits(configuration),
      simulators(configuration, addresses, notify)
    ]),
    Layer.provide(Layer.succeed(ServedMode, configuration.mode))
  )

/** The gateway: its use cases, and the work that goes on beside requests. */
export const layer = (configuration: Configuration, addresses: Addresses) =>
  Layer.mergeAll(
    Payments.layer,
    ChallengeFlow.layer,
    NotificationFlow.layer,
    DeferredRefunds.layer,
    Reconciler.layer
  ).pipe(
    Layer.provide([PaymentWork.layer, PaymentLocks.layer]),
    Layer.provideMerge(foundation(configuration, addresses))
  )
