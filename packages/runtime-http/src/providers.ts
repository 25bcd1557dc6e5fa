import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { catalogue } from "@sarraf/adapters/providers/catalogue"
import { ConnectFailed, ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Console, Effect, Option } from "effect"
import { type Configuration, load } from "./configuration/Configuration.ts"
import { pagesUrlOf } from "./gateway.ts"
import { liveProviders } from "./providerAccounts.ts"

/** Nothing is sent: the accounts are only looked at. */
const transport = ProviderTransport.of({ send: () => Effect.fail(new ConnectFailed({ reason: "not connected" })) })

const accountsOf = Effect.fnUntraced(function* (configuration: Configuration) {
  const { mode, providersFile } = configuration
  const sandboxed = (id: string, pagesUrl: string) =>
    catalogue.find((one) => one.id === id)?.sandbox(transport, pagesUrl)
  if (mode === "live") {
    return providersFile === undefined
      ? new Map<string, PaymentProvider>()
      : yield* liveProviders(providersFile, transport)
  }
  const pagesUrl = pagesUrlOf(configuration, "http://127.0.0.1")
  return new Map(
    catalogue.flatMap(({ id }) => {
      const provider = sandboxed(id, pagesUrl(id))
      return provider === undefined ? [] : [[id, provider] as const]
    })
  )
})

const healthNames: Readonly<Record<string, string>> = { "0": "healthy", "1": "on trial", "2": "down" }

/** As the running service says it in its metrics; nothing where none runs on this machine. */
const healthOf = ({ port }: Configuration) =>
  Effect.tryPromise(async (signal) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal })
    const lines = answer.ok ? (await answer.text()).split("\n") : []
    return new Map(
      lines.flatMap((line) => {
        const [, provider, value] = /^sarraf_provider_health\{[^}]*provider="([^"]+)"[^}]*\} (\d)/u.exec(line) ?? []
        return provider === undefined || value === undefined ? [] : [[provider, healthNames[value] ?? value] as const]
      })
    )
  }).pipe(
    Effect.timeoutOption("2 seconds"),
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined)
  )

const captures = { none: "whole only", single: "once", multiple: "several" } as const

const headings = [
  "PROVIDER",
  "NAME",
  "PROTOCOL",
  "CURRENCIES",
  "3DS",
  "INSTALLMENTS",
  "PARTIAL CAPTURE",
  "STATUS",
  "HEALTH"
]

/** A provider that is not configured is listed by what its sandbox account can do. */
const rowsOf = (
  configuration: Configuration,
  accounts: ReadonlyMap<string, PaymentProvider>,
  health: ReadonlyMap<string, string> | undefined
): ReadonlyArray<ReadonlyArray<string>> =>
  catalogue.map(({ displayName, id, protocol, sandbox }) => {
    const account = accounts.get(id)
    const { currencies, installments, partialCapture, threeDS } = (account ?? sandbox(transport, "")).capabilities
    const used = configuration.mode === "live" ? "live" : "sandbox"
    const state = health?.get(id) ?? (health === undefined ? "–" : "healthy")
    return [
      id,
      displayName,
      protocol,
      currencies.join(" "),
      threeDS ?? "no",
      installments === undefined ? "no" : `${installments.currencies.join(" ")} to ${installments.max}`,
      captures[partialCapture],
      account === undefined ? "not configured" : used,
      account === undefined ? "–" : state
    ]
  })

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const program = Effect.gen(function* () {
  const configuration = yield* load
  const accounts = yield* accountsOf(configuration)
  const health = yield* healthOf(configuration)
  yield* Console.log(table([headings, ...rowsOf(configuration, accounts, health)]))
  if (health === undefined) {
    yield* Console.log(`\nHealth is the running service's: none answers at port ${configuration.port} (PORT).`)
  }
}).pipe(Effect.catch((error) => Effect.andThen(Console.error(error.message), Effect.fail(error))))

NodeRuntime.runMain(program, { disableErrorReporting: true })
