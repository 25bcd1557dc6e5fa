import { readFile } from "node:fs/promises"
import { catalogue } from "@sarraf/adapters/providers/catalogue"
import { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Layer, Result } from "effect"
import { type Configuration, ConfigurationRefused } from "./configuration/Configuration.ts"
import { formatFaults } from "./http/formatFaults.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const refused = (faults: ReadonlyArray<string>) => new ConfigurationRefused({ faults: [...faults] })

/** What the file says of each provider, by id; the reason without its content where it cannot be read. */
const readAccounts = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) =>
      refused([
        `SARRAF_PROVIDERS_FILE names a file that cannot be read (${error instanceof Error && "code" in error ? error.code : "unreadable"}): check the path and its rights.`
      ])
  })
  const parsed = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(parsed) && isRecord(parsed.success)
    ? parsed.success
    : yield* refused([
        'SARRAF_PROVIDERS_FILE is no JSON object of provider ids and their credentials, such as {"stripe": {"secretKey": "…"}}.'
      ])
})

/** Addresses to which card data would go unencrypted, one sentence each; the sandbox's own have no certificate. */
const unencrypted = (id: string, credentials: unknown): ReadonlyArray<string> =>
  Object.entries(isRecord(credentials) ? credentials : {}).flatMap(([field, value]) =>
    typeof value === "string" && /^http:/iu.test(value)
      ? [`SARRAF_PROVIDERS_FILE: ${id}.${field} must begin with https:// in live mode.`]
      : []
  )

/**
 * The accounts of live mode from `SARRAF_PROVIDERS_FILE`: `{ "stripe": { "secretKey": … }, … }`. Every fault at once,
 * each by the provider and the field; a provider that the file does not name is never routed to.
 */
export const liveProviders = Effect.fnUntraced(function* (file: string, transport: ProviderTransport["Service"]) {
  const accounts = yield* readAccounts(file)
  const faults: Array<string> = []
  const providers = new Map<string, PaymentProvider>()
  for (const [id, credentials] of Object.entries(accounts)) {
    const entry = catalogue.find((one) => one.id === id)
    if (entry === undefined) {
      faults.push(`SARRAF_PROVIDERS_FILE: there is no provider ${JSON.stringify(id)}; npm run providers lists all.`)
      continue
    }
    const made = entry.live(transport, credentials)
    if (Result.isSuccess(made)) {
      providers.set(id, made.success)
      faults.push(...unencrypted(id, credentials))
    } else {
      faults.push(
        ...formatFaults(made.failure).map(
          ({ message, path }) => `SARRAF_PROVIDERS_FILE: ${path === "" ? id : `${id}.${path}`} ${message}.`
        )
      )
    }
  }
  return faults.length > 0 ? yield* refused(faults) : providers
})

/** The providers of live mode; none where no file is named. */
export const layer = ({ providersFile }: Configuration) =>
  Layer.effect(
    PaymentProviders,
    Effect.flatMap(
      ProviderTransport,
      (transport): Effect.Effect<ReadonlyMap<string, PaymentProvider>, ConfigurationRefused> =>
        providersFile === undefined ? Effect.succeed(new Map()) : liveProviders(providersFile, transport)
    )
  )
