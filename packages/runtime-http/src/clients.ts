import { parseArgs } from "node:util"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import * as PgOrganizations from "@sarraf/adapters/postgres/organizations/PgOrganizations"
import * as PgPaymentClientStore from "@sarraf/adapters/postgres/organizations/PgPaymentClientStore"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { makeRegistry } from "@sarraf/adapters/postgres/PaymentClientRegistry"
import * as PgPaymentClients from "@sarraf/adapters/postgres/PgPaymentClients"
import * as SecretTokens from "@sarraf/adapters/signing/SecretTokens"
import { PaymentClientSettings, type ShownClientSecret } from "@sarraf/domain/organizations/PaymentClientSettings"
import { Console, Effect, Layer, Redacted } from "effect"
import { runCommand } from "./command.ts"
import * as Installation from "./installation.ts"
import { asOperator, CommandRefused, toldToOperator } from "./operator.ts"

const help = `Gateway clients and their secrets, on the database of this installation.

  npm run clients -- list
  npm run clients -- create ORGANIZATION_ID CLIENT_ID
  npm run clients -- rotate CLIENT_ID [--keep-hours 24]     the former secrets stay valid so long
  npm run clients -- retire CLIENT_ID NUMBER                ends a secret at once

A secret is shown once, when it is made. Running servers notice a change within five seconds.`

const shown = ({ client, number, secret }: ShownClientSecret) =>
  Console.log(`${client.id}, secret ${number}, shown this once:\n${Redacted.value(secret)}`)

const wholeNumber = (text: string, name: string) =>
  /^\d{1,5}$/u.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new CommandRefused({ message: `${name} must be a whole number.` }))

/** What the API's handlers call too. */
const settings = PaymentClientSettings.layer.pipe(
  Layer.provide([
    PgUnitOfWork.layer,
    PgAuditTrail.layer,
    PgOrganizations.layer,
    RandomIdentifiers.layer,
    SecretTokens.layer,
    Layer.provide(PgPaymentClientStore.layer, PgPaymentClients.layer)
  ])
)

const run = Effect.fn("clients")(function* (args: ReadonlyArray<string>) {
  const { positionals, values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options: { "keep-hours": { type: "string" } } }),
    catch: (error) => new CommandRefused({ message: error instanceof Error ? error.message : help })
  })
  const [command, first = "", second = ""] = positionals
  const registry = yield* makeRegistry
  if (command === "list") {
    for (const { client_id, expires_at, number, organization_id, retired_at } of yield* registry.list) {
      const until = expires_at === null ? "" : `, until ${expires_at.toISOString()}`
      const secret = retired_at === null ? "no valid secret" : "retired"
      yield* Console.log(`${organization_id}  ${client_id}  ${number === null ? secret : `secret ${number}${until}`}`)
    }
    return
  }
  const clients = yield* PaymentClientSettings
  if (command === "create" && second !== "") {
    if (!(yield* registry.hasOrganization(first))) {
      return yield* new CommandRefused({ message: `There is no organization ${first}.` })
    }
    // The gateway refuses clients of organizations that are not verified; an operator may prepare one.
    const created = clients.create({ id: second, name: null, livemode: false })
    return yield* Effect.flatMap(asOperator(first)(Effect.mapError(created, toldToOperator)), shown)
  }
  const organizationId = (yield* registry.organizationOf(first)) ?? ""
  const known = organizationId === "" ? new CommandRefused({ message: `There is no client ${first}.` }) : Effect.void
  if (command === "rotate" && first !== "") {
    yield* known
    const keepHours = yield* wholeNumber(values["keep-hours"] ?? "24", "--keep-hours")
    const rotated = clients.rotate(first, keepHours, undefined)
    return yield* Effect.flatMap(asOperator(organizationId)(Effect.mapError(rotated, toldToOperator)), shown)
  }
  if (command === "retire" && second !== "") {
    yield* known
    const retired = clients.retireSecret(first, yield* wholeNumber(second, "NUMBER"), undefined)
    yield* asOperator(organizationId)(Effect.mapError(retired, toldToOperator))
    return yield* Console.log(`${first}, secret ${second}, is no longer valid.`)
  }
  return yield* new CommandRefused({ message: help })
})

runCommand(help, (args, configuration) =>
  Effect.andThen(migrate, Effect.provide(run(args), settings)).pipe(Effect.provide(Installation.layer(configuration)))
)
