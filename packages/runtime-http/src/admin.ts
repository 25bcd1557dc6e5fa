import { parseArgs } from "node:util"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import * as PgAccountLinks from "@sarraf/adapters/postgres/organizations/PgAccountLinks"
import * as PgAllowedOrigins from "@sarraf/adapters/postgres/organizations/PgAllowedOrigins"
import * as PgMemberStore from "@sarraf/adapters/postgres/organizations/PgMemberStore"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgOrganizationRegistry from "@sarraf/adapters/postgres/organizations/PgOrganizationRegistry"
import * as PgOrganizationSettings from "@sarraf/adapters/postgres/organizations/PgOrganizationSettings"
import * as PgOrganizations from "@sarraf/adapters/postgres/organizations/PgOrganizations"
import * as PgPeople from "@sarraf/adapters/postgres/organizations/PgPeople"
import * as PgSessions from "@sarraf/adapters/postgres/organizations/PgSessions"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgApiKeys from "@sarraf/adapters/postgres/PgApiKeys"
import * as PgPaymentClients from "@sarraf/adapters/postgres/PgPaymentClients"
import * as SecretTokens from "@sarraf/adapters/signing/SecretTokens"
import { FoundOrganization } from "@sarraf/domain/organizations/FoundOrganization"
import { MemberDirectory } from "@sarraf/domain/organizations/MemberDirectory"
import { OrganizationRegistry } from "@sarraf/domain/organizations/OrganizationRegistry"
import { OrganizationSettings } from "@sarraf/domain/organizations/OrganizationSettings"
import { Console, Effect, Layer, Redacted } from "effect"
import { runCommand } from "./command.ts"
import type { Configuration } from "./configuration/Configuration.ts"
import * as Installation from "./installation.ts"
import { asOperator, CommandRefused, toldToOperator } from "./operator.ts"

const help = `Organizations of this installation.

  npm run admin -- organizations
  npm run admin -- create-organization --name NAME --currency TRY --timezone Europe/Istanbul --owner-email ADDRESS
                     [--owner-name NAME]                  not verified; prints the one-time link of its OWNER
  npm run admin -- verify ORGANIZATION_ID --as verified|rejected --reason TEXT
                                                          decides about its business; audited as operator

Running servers notice a change within five seconds.`

const stores = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgAuditTrail.layer,
  PgMembers.layer,
  PgMemberStore.layer,
  PgAccountLinks.layer,
  PgPeople.layer,
  PgSessions.layer,
  PgOrganizationRegistry.layer,
  PgOrganizations.layer,
  RandomIdentifiers.layer,
  SecretTokens.layer
)

/** What the API's handlers call too, and what only an operator may do. */
const useCases = Layer.mergeAll(
  Layer.provide(FoundOrganization.layer, MemberDirectory.layer),
  Layer.provide(
    OrganizationSettings.layer,
    Layer.provide(PgOrganizationSettings.layer, [PgAllowedOrigins.layer, PgApiKeys.layer, PgPaymentClients.layer])
  )
).pipe(Layer.provideMerge(stores))

const list = Effect.gen(function* () {
  for (const { business, id, isSandbox, name, verification } of yield* (yield* OrganizationRegistry).all) {
    yield* Console.log(`${id}  ${isSandbox ? "sandbox" : "live"}  ${verification}  ${name}`)
    if (business === null) continue
    const { country, legalName, registrationNumber, website } = business
    yield* Console.log(`  ${[legalName, registrationNumber, country, website ?? "no website"].join(", ")}`)
  }
})

interface Values {
  readonly name?: string | undefined
  readonly currency?: string | undefined
  readonly timezone?: string | undefined
  readonly "owner-email"?: string | undefined
  readonly "owner-name"?: string | undefined
  readonly as?: string | undefined
  readonly reason?: string | undefined
}

const create = Effect.fnUntraced(function* (values: Values, { baseUrl, mode, port }: Configuration) {
  const { id, owner } = yield* (yield* FoundOrganization)
    .found({
      name: values.name ?? "",
      baseCurrency: values.currency ?? "",
      timezone: values.timezone ?? "",
      ownerEmail: values["owner-email"] ?? "",
      ownerName: values["owner-name"]
    })
    .pipe(Effect.mapError(toldToOperator))
  const address = baseUrl ?? `http://127.0.0.1:${port}`
  yield* Console.log(`${id} is made. ${owner.member.email} signs up here, once, within a week:`)
  yield* Console.log(`${address}/account/${Redacted.value(owner.token)}`)
  if (mode === "test") yield* Console.log("It is for live mode: a server in TEST mode does not know it.")
})

const decisions = new Map([
  ["verified", "verify"],
  ["rejected", "reject"]
] as const)

const verify = Effect.fnUntraced(function* (id: string, { as, reason = "" }: Values) {
  const [, command] = [...decisions].find(([name]) => name === as) ?? []
  if (command === undefined) return yield* new CommandRefused({ message: "--as takes one of verified, rejected." })
  if (reason.trim() === "") return yield* new CommandRefused({ message: "--reason says what the decision rests on." })
  const all = yield* (yield* OrganizationRegistry).all
  if (!all.some((organization) => organization.id === id)) {
    return yield* new CommandRefused({ message: `There is no organization ${id}: \`organizations\` shows them all.` })
  }
  const settings = yield* OrganizationSettings
  const { name, verification } = yield* asOperator(id)(
    Effect.mapError(settings.decide(command, reason), toldToOperator)
  )
  yield* Console.log(`${id}, ${name}, is ${verification}.`)
})

const text = { type: "string" } as const
const options = {
  name: text,
  currency: text,
  timezone: text,
  "owner-email": text,
  "owner-name": text,
  as: text,
  reason: text
} as const

const run = Effect.fn("admin")(function* (args: ReadonlyArray<string>, configuration: Configuration) {
  const { positionals, values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options }),
    catch: (error) => new CommandRefused({ message: error instanceof Error ? error.message : help })
  })
  const [command, organizationId = ""] = positionals
  if (command === "organizations") return yield* list
  if (command === "create-organization") return yield* create(values, configuration)
  if (command === "verify" && organizationId !== "") return yield* verify(organizationId, values)
  return yield* new CommandRefused({ message: help })
})

runCommand(help, (args, configuration) =>
  Effect.andThen(migrate, Effect.provide(run(args, configuration), useCases)).pipe(
    Effect.provide(Installation.layer(configuration))
  )
)
