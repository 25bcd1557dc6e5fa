import { AssistantReads } from "@sarraf/domain/assistants/AssistantReads"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Identity } from "@sarraf/domain/organizations/Identity"
import type { Names } from "@sarraf/domain/organizations/Names"
import { PolicyReading } from "@sarraf/domain/policies/PolicyReading"
import { lastDayOf, monthAfter } from "@sarraf/domain/reports/Months"
import { Clock, DateTime, Effect } from "effect"
import type { Catalogue, Exchange, Resource } from "./Catalogue.ts"
import { fitting } from "./listTool.ts"
import { isMonth } from "./prompts.ts"
import type { Refusal } from "./refusals.ts"
import { cut } from "./shapes.ts"
import { callerOf } from "./tool.ts"
import { policyNames, policyShown } from "./tools/policies.ts"
import { makeSpendReport } from "./tools/spendReport.ts"

const mimeType = "application/json"
const organizationUri = "sarraf://organization"
const policiesUri = "sarraf://policies"
const reportPrefix = "sarraf://reports/spend/"
const reportTemplate = `${reportPrefix}{month}`

/** Reports that are listed one by one; others are read through the template. */
const monthsListed = 3
/** Months that are proposed for an argument. */
const monthsProposed = 24

/** As many as an organization may have. */
const policiesMax = 200

const reportOf = (month: string): Resource => ({
  definition: {
    uri: `${reportPrefix}${month}`,
    name: `spend-${month}`,
    title: `Spend of ${month}`,
    description: "What was spent in the month by category, in the organization's currency",
    mimeType
  }
})

const lasting: ReadonlyArray<Resource> = [
  {
    definition: {
      uri: organizationUri,
      name: "organization",
      title: "The organization",
      description: "Whose data this is: name, currency and timezone",
      mimeType
    }
  },
  {
    definition: {
      uri: policiesUri,
      name: "policies",
      title: "Spending policies",
      description: "Every active policy as a sentence",
      mimeType
    }
  }
]

/** Who may not see a resource is told the same as who asks for one that is not there. */
const absent = Effect.catchTags({
  CursorRefused: () => Effect.undefined,
  InvalidFields: () => Effect.undefined,
  NotFound: () => Effect.undefined,
  RoleMissing: () => Effect.undefined
})

const makePolicies = Effect.gen(function* () {
  const policies = yield* PolicyReading
  const identity = yield* Identity
  return Effect.gen(function* () {
    const { organization } = yield* identity.current
    const found = yield* policies.list({ active: true }, { limit: policiesMax, after: undefined })
    const nameOf = yield* policyNames(found.items)
    const shown = fitting(found.items.map((policy) => policyShown(policy, organization.baseCurrency, nameOf)))
    return { policies: shown, is_complete: !found.hasMore && shown.length === found.items.length }
  })
})

const makeOrganization = Effect.map(Identity, (identity) =>
  Effect.map(identity.current, ({ organization }) => ({
    id: organization.id,
    name: cut(organization.name, 200),
    base_currency: organization.baseCurrency,
    timezone: organization.timezone,
    is_sandbox: organization.isSandbox
  }))
)

type Offered = Required<Pick<Catalogue, "complete" | "readResource" | "resources" | "resourceTemplates">>

/** What assistants may open without calling a tool. */
export const makeResources = Effect.gen(function* () {
  const reads = yield* AssistantReads
  const clock = yield* Clock.Clock
  const report = yield* makeSpendReport
  const policies = yield* makePolicies
  const organization = yield* makeOrganization

  const monthsBack = (count: number): ReadonlyArray<string> => {
    const present = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())).slice(0, 7)
    return Array.from({ length: count }, (_, index) => monthAfter(present, -index))
  }

  const context = yield* Effect.context<Names>()
  const contents = <A, R>(uri: string, exchange: Exchange, content: Effect.Effect<A, Refusal, R>) =>
    content.pipe(
      reads.run,
      Effect.map((found) => [{ uri, mimeType, text: JSON.stringify(found) }]),
      absent,
      Effect.withSpan("assistant.resource"),
      Effect.provideService(Caller, callerOf(exchange))
    )

  const find = (uri: string, exchange: Exchange) => {
    if (uri === organizationUri) return contents(uri, exchange, organization)
    if (uri === policiesUri) return contents(uri, exchange, policies)
    const month = uri.startsWith(reportPrefix) ? uri.slice(reportPrefix.length) : ""
    if (!isMonth(month)) return Effect.undefined
    return contents(
      uri,
      exchange,
      report({ group_by: "category", from: `${month}-01`, to: lastDayOf(month), limit: 100 })
    )
  }

  const offered: Offered = {
    get resources() {
      return [...lasting, ...monthsBack(monthsListed).map(reportOf)]
    },
    resourceTemplates: [
      {
        definition: {
          uriTemplate: reportTemplate,
          name: "spend-of-month",
          title: "Spend of a month",
          description: "What was spent in a month, such as 2026-01, by category, in the organization's currency",
          mimeType
        }
      }
    ],
    readResource: (uri, exchange) => Effect.runPromiseWith(context)(find(uri, exchange), { signal: exchange.signal }),
    complete: ({ argument, value }) =>
      Promise.resolve(argument === "month" ? monthsBack(monthsProposed).filter((month) => month.startsWith(value)) : [])
  }
  return offered
})
