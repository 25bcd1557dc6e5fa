import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import type { SpendDimension, SpendFilter } from "@sarraf/domain/reports/Spend"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { insertOrganization } from "../../support/Shop.ts"

/** What sums depend on of an expense. */
export const Spent = Schema.Struct({
  status: Schema.Literals(expenseStatuses),
  currency: Schema.Literals(["TRY", "USD", "KWD"]),
  amount: Schema.Literals([1n, 99n, 12_345n, 9_007_199_254_740_993n]),
  merchant: Schema.Literals(["Migros", "migros jet", "A_b%", "Shell"]),
  category: Schema.NullOr(Schema.Literals(["Meals", "Travel", "meals"])),
  date: Schema.Literals([
    "2026-01-01",
    "2026-01-14",
    "2026-01-31",
    "2026-02-01",
    "2026-02-28",
    "2026-03-15",
    "2026-03-31",
    "2027-01-15"
  ]),
  userId: Schema.NullOr(Schema.Literals(["usr_a", "usr_b"])),
  departmentId: Schema.NullOr(Schema.Literals(["dep_a", "dep_b"])),
  /** Null where no rate was known; EUR was the organization's currency once. */
  baseCurrency: Schema.NullOr(Schema.Literals(["TRY", "EUR"])),
  hasReceipt: Schema.Boolean,
  decisionHours: Schema.Literals([0, 1, 50])
})
export type Spent = typeof Spent.Type

export const callerOf = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: "key:test",
  kind: "key",
  userId: null,
  createdBy: null
})

export const as = (caller: Caller["Service"]) => Effect.provideService(Caller, caller)

/** An organization with people and departments that expenses can be of. */
export const spendingOrganization = Effect.fnUntraced(function* (name: string) {
  const id = `org_${name}`
  const sql = yield* SqlClient.SqlClient
  yield* insertOrganization(id, true)
  for (const letter of ["a", "b"]) {
    const mail = `${letter}@example.com`
    yield* sql`INSERT INTO users (id, email, name) VALUES (${`usr_${letter}`}, ${mail}, ${letter}) ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO members (organization_id, user_id, email, name, role, status)
      VALUES (${id}, ${`usr_${letter}`}, ${mail}, ${letter}, 'MEMBER', 'ACTIVE')`
    yield* sql`INSERT INTO departments (organization_id, id, name) VALUES (${id}, ${`dep_${letter}`}, ${letter})`
  }
  return id
})

const submitted = Date.UTC(2026, 0, 1)

const decidedAtOf = ({ decisionHours, status }: Spent) =>
  ["APPROVED", "REJECTED", "REIMBURSED"].includes(status) ? new Date(submitted + decisionHours * 3_600_000) : null

/** As the service writes it: in a unit of work, as the tenant's role. */
export const write = <A, E>(statement: (sql: SqlClient.SqlClient, organizationId: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { organizationId } = yield* Caller
    return yield* (yield* UnitOfWork).run(Effect.orDie(statement(sql, organizationId)))
  })

export const insertSpent = (id: string, spent: Spent, createdBy = "key:test") =>
  write(
    (sql, organizationId) => sql`INSERT INTO expenses (organization_id, id, version, status, currency, amount, merchant,
      category, date, receipt_url, department_id, user_id, created_by, creators, submitters, base_minor, base_currency,
      violations, duplicates, submitted_at, decided_at, created_at, updated_at)
    VALUES (${organizationId}, ${id}, 1, ${spent.status}, ${spent.currency}, ${spent.amount}, ${spent.merchant},
      ${spent.category}, ${spent.date}::date, ${spent.hasReceipt ? "https://example.com/r" : null}, ${spent.departmentId},
      ${spent.userId}, ${createdBy}, '{}', '{}', ${spent.baseCurrency === null ? null : spent.amount * 3n},
      ${spent.baseCurrency}, '[]', '[]', ${new Date(submitted)}, ${decidedAtOf(spent)}, now(), now())`
  )

export const updateSpent = (id: string, spent: Spent) =>
  write(
    (sql, organizationId) => sql`UPDATE expenses SET status = ${spent.status}, currency = ${spent.currency},
      amount = ${spent.amount}, merchant = ${spent.merchant}, category = ${spent.category}, date = ${spent.date}::date,
      receipt_url = ${spent.hasReceipt ? "https://example.com/r" : null}, department_id = ${spent.departmentId},
      user_id = ${spent.userId}, base_minor = ${spent.baseCurrency === null ? null : spent.amount * 3n},
      base_currency = ${spent.baseCurrency}, decided_at = ${decidedAtOf(spent)}
    WHERE organization_id = ${organizationId} AND id = ${id}`
  )

/** What a report says of a group, counted one expense after another. */
export interface Counted {
  expenses: number
  baseMinor: bigint
  readonly amounts: Record<string, bigint>
  unconverted: number
}

const meets = (spent: Spent, filter: SpendFilter) =>
  filter.statuses.includes(spent.status) &&
  (filter.from ?? spent.date) <= spent.date &&
  spent.date <= (filter.to ?? spent.date) &&
  (filter.categories?.includes(spent.category ?? "") ?? true) &&
  spent.merchant.toLowerCase().includes((filter.merchant ?? "").toLowerCase()) &&
  (filter.userId ?? spent.userId) === spent.userId &&
  (filter.departmentId ?? spent.departmentId) === spent.departmentId &&
  (filter.currency ?? spent.currency) === spent.currency

const keyOf = (spent: Spent, dimension: SpendDimension) =>
  ({
    category: spent.category,
    merchant: spent.merchant,
    user: spent.userId,
    department: spent.departmentId,
    month: spent.date.slice(0, 7),
    currency: spent.currency
  })[dimension]

/** The groups of a report in TRY, by their keys as JSON. */
export const countedGroups = (
  rows: Iterable<Spent>,
  groupBy: ReadonlyArray<SpendDimension>,
  filter: SpendFilter
): Readonly<Record<string, Counted>> => {
  const groups: Record<string, Counted> = {}
  for (const spent of rows) {
    if (!meets(spent, filter)) continue
    const key = JSON.stringify(groupBy.map((dimension) => keyOf(spent, dimension)))
    groups[key] ??= { expenses: 0, baseMinor: 0n, amounts: {}, unconverted: 0 }
    const group = groups[key]
    group.expenses++
    group.amounts[spent.currency] = (group.amounts[spent.currency] ?? 0n) + spent.amount
    if (spent.baseCurrency === "TRY") group.baseMinor += spent.amount * 3n
    else group.unconverted++
  }
  return groups
}
