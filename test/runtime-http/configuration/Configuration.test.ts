import { assert, describe, it } from "@effect/vitest"
import { load } from "@sarraf/runtime-http/configuration/Configuration"
import { ConfigProvider, Effect, Redacted } from "effect"

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)).toString("base64")

const loadFrom = (env: Record<string, string>) =>
  Effect.provideService(load, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

const faultsOf = (env: Record<string, string>) => Effect.map(Effect.flip(loadFrom(env)), ({ faults }) => faults)

const live = { SARRAF_MODE: "live", SARRAF_ENCRYPTION_KEY: key, DATABASE_URL: "postgres://db/sarraf" }

describe("load", () => {
  it.effect("gives every variable its documented default when nothing is set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* loadFrom({}), {
        mode: "test",
        host: "127.0.0.1",
        port: 8080,
        databaseUrl: undefined,
        dataDirectory: ".sarraf",
        baseUrl: undefined,
        mcpUrl: undefined,
        assistantToken: undefined,
        encryptionKey: undefined,
        encryptionKeysOld: [],
        connectTimeoutMillis: 3000,
        providerTimeoutMillis: 25_000,
        requestTimeoutMillis: 30_000,
        providersFile: undefined,
        simulatorsUrl: undefined,
        simulatorSettlement: "instant",
        rateLimitPerSecond: 2000,
        rateLimitBurst: 4000,
        assistantRateLimitPerSecond: 400,
        assistantRateLimitBurst: 2000,
        sandboxDemo: true,
        webhookAllowPrivate: false,
        eventRetentionDays: 90,
        deniedClientHosts: [],
        receiptsBucket: undefined,
        logLevel: "Info",
        otlpEndpoint: undefined,
        warnings: []
      })
    })
  )

  it.effect("reads every variable", () =>
    Effect.gen(function* () {
      const configuration = yield* loadFrom({
        PORT: "0",
        HOST: "0.0.0.0",
        SARRAF_MODE: "TEST",
        DATABASE_URL: "postgresql://user:word@db:5432/sarraf",
        SARRAF_DATA_DIR: "/var/lib/sarraf",
        SARRAF_BASE_URL: "https://pay.example.com/",
        SARRAF_MCP_URL: "https://pay.example.com/mcp/",
        SARRAF_MCP_TOKEN: "mcp_sandbox",
        SARRAF_ENCRYPTION_KEY: key,
        SARRAF_ENCRYPTION_KEYS_OLD: `${key}, ${key}`,
        SARRAF_CONNECT_TIMEOUT_MS: "1",
        SARRAF_PROVIDER_TIMEOUT_MS: "2",
        SARRAF_REQUEST_TIMEOUT_MS: "3",
        SARRAF_PROVIDERS_FILE: "providers.json",
        SARRAF_SIMULATORS_URL: "http://localhost:9000",
        SARRAF_SIMULATOR_SETTLEMENT: "daily",
        SARRAF_RATE_LIMIT_PER_SECOND: "50",
        SARRAF_RATE_LIMIT_BURST: "60",
        SARRAF_MCP_RATE_LIMIT_PER_SECOND: "7",
        SARRAF_MCP_RATE_LIMIT_BURST: "8",
        SARRAF_SANDBOX_DEMO: "false",
        SARRAF_OAUTH_DENIED_HOSTS: "Evil.example, phish.test",
        SARRAF_WEBHOOK_ALLOW_PRIVATE: "true",
        SARRAF_EVENT_RETENTION_DAYS: "3650",
        SARRAF_RECEIPTS_S3_ENDPOINT: "https://s3.example.com/",
        SARRAF_RECEIPTS_S3_BUCKET: "our-receipts",
        SARRAF_RECEIPTS_S3_REGION: "eu-central-1",
        SARRAF_RECEIPTS_S3_ACCESS_KEY_ID: "AKIAEXAMPLE",
        SARRAF_RECEIPTS_S3_SECRET_ACCESS_KEY: "abc/def+",
        LOG_LEVEL: "debug",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318"
      })
      assert.deepStrictEqual(
        {
          ...configuration,
          databaseUrl: configuration.databaseUrl && Redacted.value(configuration.databaseUrl),
          assistantToken: configuration.assistantToken && Redacted.value(configuration.assistantToken),
          encryptionKey: configuration.encryptionKey && Redacted.value(configuration.encryptionKey).length,
          encryptionKeysOld: configuration.encryptionKeysOld.length,
          receiptsBucket: configuration.receiptsBucket && {
            ...configuration.receiptsBucket,
            secretAccessKey: Redacted.value(configuration.receiptsBucket.secretAccessKey)
          }
        },
        {
          mode: "test",
          host: "0.0.0.0",
          port: 0,
          databaseUrl: "postgresql://user:word@db:5432/sarraf",
          dataDirectory: "/var/lib/sarraf",
          baseUrl: "https://pay.example.com",
          mcpUrl: "https://pay.example.com/mcp",
          assistantToken: "mcp_sandbox",
          encryptionKey: 32,
          encryptionKeysOld: 2,
          connectTimeoutMillis: 1,
          providerTimeoutMillis: 2,
          requestTimeoutMillis: 3,
          providersFile: "providers.json",
          simulatorsUrl: "http://localhost:9000",
          simulatorSettlement: "daily",
          rateLimitPerSecond: 50,
          rateLimitBurst: 60,
          assistantRateLimitPerSecond: 7,
          assistantRateLimitBurst: 8,
          sandboxDemo: false,
          webhookAllowPrivate: true,
          eventRetentionDays: 3650,
          deniedClientHosts: ["evil.example", "phish.test"],
          receiptsBucket: {
            endpoint: "https://s3.example.com",
            name: "our-receipts",
            region: "eu-central-1",
            accessKeyId: "AKIAEXAMPLE",
            secretAccessKey: "abc/def+"
          },
          logLevel: "Debug",
          otlpEndpoint: "http://collector:4318",
          warnings: []
        }
      )
    })
  )

  it.effect("names every wrong variable at once, with what is accepted", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf({
        PORT: "80a",
        HOST: "http://localhost",
        SARRAF_MODE: "production",
        DATABASE_URL: "mysql://user:hunter2@db/sarraf",
        SARRAF_BASE_URL: "pay.example.com",
        SARRAF_MCP_URL: "https://pay.example.com/?a=b",
        SARRAF_ENCRYPTION_KEY: "c2hvcnQ=",
        SARRAF_ENCRYPTION_KEYS_OLD: `${key},not base64!`,
        SARRAF_REQUEST_TIMEOUT_MS: "0",
        SARRAF_SIMULATOR_SETTLEMENT: "weekly",
        SARRAF_RATE_LIMIT_BURST: "-1",
        SARRAF_SANDBOX_DEMO: "no",
        SARRAF_OAUTH_DENIED_HOSTS: "https://evil.example",
        SARRAF_WEBHOOK_ALLOW_PRIVATE: "yes",
        SARRAF_EVENT_RETENTION_DAYS: "0",
        LOG_LEVEL: "verbose"
      })
      assert.deepStrictEqual(faults, [
        'SARRAF_MODE is "production"; accepted: test or live.',
        "HOST is not a host; accepted: a host name or an IP address of this machine, without a scheme or a port.",
        'PORT is "80a"; accepted: a whole number from 0 to 65535, where 0 takes a free port.',
        "DATABASE_URL is not a PostgreSQL URL; accepted: postgresql://user:password@host:5432/database.",
        "SARRAF_BASE_URL is not a URL; accepted: an address such as https://pay.example.com, without a query.",
        "SARRAF_MCP_URL has a query or a fragment; accepted: an address such as https://pay.example.com, without a query.",
        "SARRAF_ENCRYPTION_KEY has 5 bytes; accepted: 32 random bytes in base64, as `openssl rand -base64 32` prints them.",
        "SARRAF_ENCRYPTION_KEYS_OLD has a wrong key at position 2, which is not base64; accepted: 32 random bytes in base64, as `openssl rand -base64 32` prints them, comma-separated.",
        'SARRAF_REQUEST_TIMEOUT_MS is "0"; accepted: a whole number from 1 to 600000 milliseconds.',
        'SARRAF_SIMULATOR_SETTLEMENT is "weekly"; accepted: instant or daily.',
        'SARRAF_RATE_LIMIT_BURST is "-1"; accepted: a whole number from 1 to 1000000.',
        'SARRAF_SANDBOX_DEMO is "no"; accepted: true or false.',
        'SARRAF_WEBHOOK_ALLOW_PRIVATE is "yes"; accepted: true or false.',
        'SARRAF_EVENT_RETENTION_DAYS is "0"; accepted: a whole number from 1 to 3650 days.',
        "SARRAF_OAUTH_DENIED_HOSTS is something else; accepted: host names such as example.com, without a scheme or a port, comma-separated.",
        'LOG_LEVEL is "verbose"; accepted: trace, debug, info, warn, error, fatal, none.'
      ])
    })
  )

  it.effect("takes the storage of receipts with all its variables or with none", () =>
    Effect.gen(function* () {
      const some = { SARRAF_RECEIPTS_S3_BUCKET: "our-receipts", SARRAF_RECEIPTS_S3_ACCESS_KEY_ID: "no key!" }
      assert.deepStrictEqual(yield* faultsOf(some), [
        "SARRAF_RECEIPTS_S3_ACCESS_KEY_ID is something else; accepted: letters, digits, dots, hyphens and underscores.",
        "SARRAF_RECEIPTS_S3_ENDPOINT, SARRAF_RECEIPTS_S3_REGION, SARRAF_RECEIPTS_S3_SECRET_ACCESS_KEY must be set where another SARRAF_RECEIPTS_S3_ variable is; or unset them all."
      ])
    })
  )

  it.effect("never repeats a secret in a fault", () =>
    Effect.gen(function* () {
      const secret = "hunter2-hunter2-hunter2"
      const refused = yield* Effect.flip(
        loadFrom({
          PORT: secret,
          DATABASE_URL: secret,
          SARRAF_ENCRYPTION_KEY: secret,
          SARRAF_ENCRYPTION_KEYS_OLD: secret,
          SARRAF_BASE_URL: `https://user:${secret}@pay.example.com`,
          LOG_LEVEL: secret
        })
      )
      assert.strictEqual(refused.faults.length, 6)
      assert.notInclude(refused.message, "hunter2")
    })
  )

  it.effect("takes an empty text as unset", () =>
    Effect.gen(function* () {
      const configuration = yield* loadFrom({ PORT: "", LOG_LEVEL: "  " })
      assert.strictEqual(configuration.port, 8080)
      assert.strictEqual(configuration.logLevel, "Info")
    })
  )

  it.effect("reads a variable whose name begins the name of another", () =>
    Effect.gen(function* () {
      const configuration = yield* loadFrom({ PORT: "81", PORT_0: "82", HOST: "::1", HOST_NAME: "pod-1" })
      assert.deepStrictEqual([configuration.port, configuration.host], [81, "::1"])
    })
  )

  it.effect("limits live mode to 100 requests a second with a burst of 200", () =>
    Effect.gen(function* () {
      const { rateLimitBurst, rateLimitPerSecond } = yield* loadFrom(live)
      assert.deepStrictEqual([rateLimitPerSecond, rateLimitBurst], [100, 200])
    })
  )
})

describe("live mode", () => {
  it.effect("starts on a database of its own with a random key", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* loadFrom(live)).mode, "live")
    })
  )

  it.effect("starts on an embedded database whose folder was named", () =>
    Effect.gen(function* () {
      const { DATABASE_URL: _, ...rest } = live
      assert.strictEqual((yield* loadFrom({ ...rest, SARRAF_DATA_DIR: "/data" })).dataDirectory, "/data")
    })
  )

  it.effect("refuses simulators, private webhook addresses, a made key and an unnamed data folder, all at once", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf({
        SARRAF_MODE: "live",
        SARRAF_SIMULATORS_URL: "http://localhost:9000",
        SARRAF_WEBHOOK_ALLOW_PRIVATE: "true"
      })
      assert.deepStrictEqual(
        faults.map((fault) => fault.split(" ")[0]),
        ["SARRAF_SIMULATORS_URL", "SARRAF_WEBHOOK_ALLOW_PRIVATE", "SARRAF_ENCRYPTION_KEY", "Neither"]
      )
    })
  )

  it.effect("refuses public addresses without https, since passwords and tokens travel there", () =>
    Effect.gen(function* () {
      const urls = { SARRAF_BASE_URL: "http://pay.example.com", SARRAF_MCP_URL: "http://pay.example.com/mcp" }
      const faults = yield* faultsOf({ ...live, ...urls })
      assert.deepStrictEqual(
        faults.map((fault) => fault.split(" ")[0]),
        ["SARRAF_BASE_URL", "SARRAF_MCP_URL"]
      )
      assert.strictEqual((yield* loadFrom(urls)).baseUrl, urls.SARRAF_BASE_URL)
    })
  )

  it.effect("refuses an example key", () =>
    Effect.gen(function* () {
      const zeros = Buffer.alloc(32).toString("base64")
      const faults = yield* faultsOf({ ...live, SARRAF_ENCRYPTION_KEY: zeros })
      assert.deepStrictEqual(faults, [
        "SARRAF_ENCRYPTION_KEY is not random, which live mode refuses; set it to `openssl rand -base64 32`."
      ])
    })
  )

  it.effect("does not also miss a key that is set but wrong", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf({ ...live, SARRAF_ENCRYPTION_KEY: "c2hvcnQ=" })
      assert.deepStrictEqual(faults, [
        "SARRAF_ENCRYPTION_KEY has 5 bytes; accepted: 32 random bytes in base64, as `openssl rand -base64 32` prints them."
      ])
    })
  )
})

describe("warnings", () => {
  it.effect("name the known variable nearest to an unknown one", () =>
    Effect.gen(function* () {
      const { warnings } = yield* loadFrom({ SARRAF_RATE_LIMIT: "5", SARRAF_MODES: "live", SARRAFX: "1", OTHER_A: "1" })
      assert.deepStrictEqual(warnings, [
        "SARRAF_MODES is not a known variable and has no effect; did you mean SARRAF_MODE?",
        "SARRAF_RATE_LIMIT is not a known variable and has no effect; did you mean SARRAF_RATE_LIMIT_PER_SECOND?"
      ])
    })
  )

  it.effect("find unknown names in a record as well", () =>
    Effect.gen(function* () {
      const provider = ConfigProvider.fromUnknown({ SARRAF_PORT: "1", SARRAF_MODE: "test" })
      const { warnings } = yield* Effect.provideService(load, ConfigProvider.ConfigProvider, provider)
      assert.deepStrictEqual(warnings, ["SARRAF_PORT is not a known variable and has no effect; did you mean PORT?"])
    })
  )

  it.effect("tell that a provider may take longer than the request", () =>
    Effect.gen(function* () {
      const { warnings } = yield* loadFrom({ SARRAF_PROVIDER_TIMEOUT_MS: "40000" })
      assert.match(warnings.join(), /^SARRAF_PROVIDER_TIMEOUT_MS is not below SARRAF_REQUEST_TIMEOUT_MS/)
    })
  )
})
