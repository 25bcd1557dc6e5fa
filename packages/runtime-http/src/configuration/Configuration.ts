import { Config, Effect, type LogLevel, Option, type Redacted, Result, Schema } from "effect"
import { unknownVariables } from "./unknownVariables.ts"
import * as values from "./values.ts"

/** A bucket, and credentials that may read, write and delete in it. */
export interface ReceiptsBucket {
  /** Without the bucket and without a closing slash. */
  readonly endpoint: string
  readonly name: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

/** Every variable of contract section 8, checked. A member that may be unset and has no default is `undefined`. */
export interface Configuration {
  readonly mode: "test" | "live"
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Unset: PostgreSQL is started from `dataDirectory`. */
  readonly databaseUrl: Redacted.Redacted<string> | undefined
  readonly dataDirectory: string
  /** Public addresses, without a closing slash. */
  readonly baseUrl: string | undefined
  readonly mcpUrl: string | undefined
  /** Whom `npm run mcp -- --stdio` speaks for. */
  readonly assistantToken: Redacted.Redacted<string> | undefined
  /** 32 bytes. Never unset in live mode; in test mode the caller makes one and keeps it in `dataDirectory`. */
  readonly encryptionKey: Redacted.Redacted<Uint8Array> | undefined
  /** Still decrypt, never encrypt. */
  readonly encryptionKeysOld: ReadonlyArray<Redacted.Redacted<Uint8Array>>
  readonly connectTimeoutMillis: number
  readonly providerTimeoutMillis: number
  readonly requestTimeoutMillis: number
  readonly providersFile: string | undefined
  /** Set: simulators are called over HTTP there. Unset: in the process. Never set in live mode. */
  readonly simulatorsUrl: string | undefined
  readonly simulatorSettlement: "instant" | "daily"
  /** Per credential. */
  readonly rateLimitPerSecond: number
  /** What the token bucket holds when full. */
  readonly rateLimitBurst: number
  /** Requests of assistants, per credential; an organization has five times as many (docs/assistant.md). */
  readonly assistantRateLimitPerSecond: number
  readonly assistantRateLimitBurst: number
  /** The sandbox begins with a demo year (docs/sandbox.md). Always false in live mode, which has no sandbox. */
  readonly sandboxDemo: boolean
  /** Webhook endpoints may resolve to private addresses. Never true in live mode. */
  readonly webhookAllowPrivate: boolean
  /** For so many days events and their deliveries are kept. */
  readonly eventRetentionDays: number
  /** Hosts that no OAuth client may have as its own or be redirected to, nor any host below them. */
  readonly deniedClientHosts: ReadonlyArray<string>
  /** An S3-compatible storage for receipts. Unset: they are kept in `dataDirectory`. */
  readonly receiptsBucket: ReceiptsBucket | undefined
  readonly logLevel: LogLevel.LogLevel
  /** The collector's base address, without `/v1/…`. Unset: nothing is exported. */
  readonly otlpEndpoint: string | undefined
  /** Sentences to log once the logger stands: they do not keep the program from starting. */
  readonly warnings: ReadonlyArray<string>
}

/** Something is set to a value that is not accepted. `faults` has a sentence for each, all of them at once. */
export class ConfigurationRefused extends Schema.TaggedError<ConfigurationRefused>()("ConfigurationRefused", {
  faults: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.faults.join("\n")
  }
}

/** Contract section 1: 100 a second in live mode, 2000 in test mode. */
const ratePerSecond = { live: 100, test: 2000 }
/** Both defaults of the contract are twice the rate, so a rate that was set carries its burst along. */
const burstPerRate = 2
/** A conversation asks a few times a second at most; test mode has as much more as it has for other credentials. */
const assistantRatePerSecond = { live: 20, test: 400 }
/** What one question to a model can set off at once. */
const assistantBurstPerRate = 5
/** Nothing may be waited for longer than this, whatever is set. */
const timeoutMillisMax = 600_000
/** Ten years: whoever wants them longer copies them. */
const eventDaysMax = 3_650

/** Reads variables one by one, remembers which were read, which had a text, and what was wrong. */
const makeReader = () => {
  const faults: Array<string> = []
  const known: Array<string> = []
  const given = new Set<string>()
  /** `undefined` when unset or wrong. An empty text counts as unset, so `PORT= npm start` takes the default. */
  const read = <A>(name: string, parse: values.Parser<A>): Effect.Effect<A | undefined> => {
    known.push(name)
    return Config.option(Config.String(name)).pipe(
      Effect.map(Option.getOrElse(() => "")),
      Effect.map((text) => text.trim()),
      Effect.map((text) => {
        if (text === "") return undefined
        given.add(name)
        const parsed = parse(text)
        if (Result.isSuccess(parsed)) return parsed.success
        faults.push(`${name} ${parsed.failure.wrong}; accepted: ${parsed.failure.accepted}.`)
        return undefined
      }),
      Effect.catch(() => {
        faults.push(`${name} could not be read from the environment.`)
        return Effect.succeed(undefined)
      })
    )
  }
  return { faults, given, known, read }
}

/** What live mode refuses or demands (contract section 8). */
const liveFaults = (
  given: ReadonlySet<string>,
  read: Pick<Configuration, "baseUrl" | "encryptionKey" | "mcpUrl" | "webhookAllowPrivate">
) => [
  ...(read.baseUrl?.startsWith("http:")
    ? [
        "SARRAF_BASE_URL begins with http:, but in live mode passwords and tokens travel over https alone; set it to an https address."
      ]
    : []),
  ...(read.mcpUrl?.startsWith("http:")
    ? ["SARRAF_MCP_URL begins with http:, but in live mode tokens travel over https alone; set it to an https address."]
    : []),
  ...(given.has("SARRAF_SIMULATORS_URL")
    ? ["SARRAF_SIMULATORS_URL is set, but live mode (SARRAF_MODE=live) never calls a simulator; unset it."]
    : []),
  ...(read.webhookAllowPrivate
    ? ["SARRAF_WEBHOOK_ALLOW_PRIVATE is true, but live mode never calls private addresses; unset it."]
    : []),
  ...(given.has("SARRAF_ENCRYPTION_KEY")
    ? []
    : ["SARRAF_ENCRYPTION_KEY is not set, and live mode makes none; set it to `openssl rand -base64 32`."]),
  ...(read.encryptionKey !== undefined && values.isExampleKey(read.encryptionKey)
    ? ["SARRAF_ENCRYPTION_KEY is not random, which live mode refuses; set it to `openssl rand -base64 32`."]
    : []),
  ...(given.has("DATABASE_URL") || given.has("SARRAF_DATA_DIR")
    ? []
    : ["Neither DATABASE_URL nor SARRAF_DATA_DIR is set; live mode must be told where its data is, so set one."])
]

/** Times that do not fit into each other work, but rarely as meant. */
const timeoutWarnings = (times: Pick<Configuration, "providerTimeoutMillis" | "requestTimeoutMillis">) =>
  times.providerTimeoutMillis < times.requestTimeoutMillis
    ? []
    : ["SARRAF_PROVIDER_TIMEOUT_MS is not below SARRAF_REQUEST_TIMEOUT_MS: requests end before their provider answers."]

type Reader = ReturnType<typeof makeReader>

const receiptsVariables = ["ENDPOINT", "BUCKET", "REGION", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY"].map(
  (name) => `SARRAF_RECEIPTS_S3_${name}`
)

/** All five variables or none: with one of them left out nobody would know where the receipts are. */
const readReceiptsBucket = Effect.fnUntraced(function* ({ faults, given, read }: Reader) {
  const endpoint = yield* read("SARRAF_RECEIPTS_S3_ENDPOINT", values.httpUrl)
  const name = yield* read("SARRAF_RECEIPTS_S3_BUCKET", values.bucketName)
  const region = yield* read("SARRAF_RECEIPTS_S3_REGION", values.plainName)
  const accessKeyId = yield* read("SARRAF_RECEIPTS_S3_ACCESS_KEY_ID", values.plainName)
  const secretAccessKey = yield* read("SARRAF_RECEIPTS_S3_SECRET_ACCESS_KEY", values.secret)
  const missing = receiptsVariables.filter((variable) => !given.has(variable))
  if (missing.length > 0 && missing.length < receiptsVariables.length) {
    faults.push(`${missing.join(", ")} must be set where another SARRAF_RECEIPTS_S3_ variable is; or unset them all.`)
  }
  return endpoint === undefined ||
    name === undefined ||
    region === undefined ||
    accessKeyId === undefined ||
    secretAccessKey === undefined
    ? undefined
    : { endpoint, name, region, accessKeyId, secretAccessKey }
})

/**
 * Reads the environment through the current `ConfigProvider`, so a test gives a record instead. Fails with every fault
 * at once; a sentence names the variable, what is wrong and what is accepted, and never repeats a secret.
 */
export const load: Effect.Effect<Configuration, ConfigurationRefused> = Effect.gen(function* () {
  const reader = makeReader()
  const { faults, given, known, read } = reader
  const mode = (yield* read("SARRAF_MODE", values.oneOf(["test", "live"]))) ?? "test"
  const millis = values.wholeNumber(1, timeoutMillisMax, " milliseconds")
  const rateLimitPerSecond =
    (yield* read("SARRAF_RATE_LIMIT_PER_SECOND", values.wholeNumber(1, 1_000_000))) ?? ratePerSecond[mode]
  const assistantRateLimitPerSecond =
    (yield* read("SARRAF_MCP_RATE_LIMIT_PER_SECOND", values.wholeNumber(1, 1_000_000))) ?? assistantRatePerSecond[mode]
  const settings = {
    mode,
    host: (yield* read("HOST", values.hostName)) ?? "127.0.0.1",
    port: (yield* read("PORT", values.wholeNumber(0, 65_535, ", where 0 takes a free port"))) ?? 8080,
    databaseUrl: yield* read("DATABASE_URL", values.databaseUrl),
    dataDirectory: (yield* read("SARRAF_DATA_DIR", values.path)) ?? ".sarraf",
    baseUrl: yield* read("SARRAF_BASE_URL", values.httpUrl),
    mcpUrl: yield* read("SARRAF_MCP_URL", values.endpointUrl),
    assistantToken: yield* read("SARRAF_MCP_TOKEN", values.secret),
    encryptionKey: yield* read("SARRAF_ENCRYPTION_KEY", values.encryptionKey),
    encryptionKeysOld: (yield* read("SARRAF_ENCRYPTION_KEYS_OLD", values.encryptionKeys)) ?? [],
    connectTimeoutMillis: (yield* read("SARRAF_CONNECT_TIMEOUT_MS", millis)) ?? 3_000,
    providerTimeoutMillis: (yield* read("SARRAF_PROVIDER_TIMEOUT_MS", millis)) ?? 25_000,
    requestTimeoutMillis: (yield* read("SARRAF_REQUEST_TIMEOUT_MS", millis)) ?? 30_000,
    providersFile: yield* read("SARRAF_PROVIDERS_FILE", values.path),
    simulatorsUrl: yield* read("SARRAF_SIMULATORS_URL", values.httpUrl),
    simulatorSettlement: (yield* read("SARRAF_SIMULATOR_SETTLEMENT", values.oneOf(["instant", "daily"]))) ?? "instant",
    rateLimitPerSecond,
    rateLimitBurst:
      (yield* read("SARRAF_RATE_LIMIT_BURST", values.wholeNumber(1, 1_000_000))) ?? rateLimitPerSecond * burstPerRate,
    assistantRateLimitPerSecond,
    assistantRateLimitBurst:
      (yield* read("SARRAF_MCP_RATE_LIMIT_BURST", values.wholeNumber(1, 1_000_000))) ??
      assistantRateLimitPerSecond * assistantBurstPerRate,
    sandboxDemo: ((yield* read("SARRAF_SANDBOX_DEMO", values.trueOrFalse)) ?? true) && mode === "test",
    webhookAllowPrivate: (yield* read("SARRAF_WEBHOOK_ALLOW_PRIVATE", values.trueOrFalse)) ?? false,
    eventRetentionDays:
      (yield* read("SARRAF_EVENT_RETENTION_DAYS", values.wholeNumber(1, eventDaysMax, " days"))) ?? 90,
    deniedClientHosts: (yield* read("SARRAF_OAUTH_DENIED_HOSTS", values.hostNames)) ?? [],
    receiptsBucket: yield* readReceiptsBucket(reader),
    logLevel: (yield* read("LOG_LEVEL", values.logLevel)) ?? "Info",
    otlpEndpoint: yield* read("OTEL_EXPORTER_OTLP_ENDPOINT", values.httpUrl)
  }
  if (mode === "live") faults.push(...liveFaults(given, settings))
  if (faults.length > 0) return yield* new ConfigurationRefused({ faults })
  return { ...settings, warnings: [...(yield* unknownVariables(known)), ...timeoutWarnings(settings)] }
})

/** Where assistants are served, and the audience of their tokens: `SARRAF_MCP_URL`, else `/mcp` below the base URL. */
export const mcpUrlOf = ({ mcpUrl }: Pick<Configuration, "mcpUrl">, baseUrl: string): string =>
  mcpUrl ?? `${baseUrl}/mcp`
