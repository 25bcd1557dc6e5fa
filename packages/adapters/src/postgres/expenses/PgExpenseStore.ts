import { nearness } from "@sarraf/domain/expenses/DuplicateLikelihood"
import { type ExpenseFilter, ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { type DayRange, spendRanges, spendYears } from "@sarraf/domain/expenses/SpendRanges"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Reach } from "@sarraf/domain/organizations/Permissions"
import type { SpendPeriod } from "@sarraf/domain/policies/PolicyFacts"
import { Clock, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { containing, when } from "../filterConditions.ts"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { type ExpenseRow, expenseColumns, expenseOf } from "./ExpenseRow.ts"

/** Of the likely duplicates; what is left out is as old or as new as what is compared. */
const similarMax = 50

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
const toDate = (instant: number | null) => (instant === null ? null : new Date(instant))

/** Expenses in PostgreSQL, one row each. */
export const layer = Layer.effect(
  ExpenseStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const columns = sql.literal(expenseColumns)

    /**
     * The rows that a reach covers. Who may decide is asked anew at each decision, so that somebody may who was not named
     * when the approval was opened: the person's present manager, and the delegate of an ADMIN or OWNER.
     */
    const reachable = (
      reach: Reach,
      { name, organizationId, userId }: Caller["Service"],
      now: Date
    ): ReadonlyArray<Statement.Fragment> => {
      if (reach === "all") return []
      const own = userId === null ? sql`created_by = ${name}` : sql`(user_id = ${userId} OR created_by = ${name})`
      if (reach === "own") return [own]
      if (userId === null) return [sql`(${own} OR deciders IS NULL)`]
      return [
        sql`(${own} OR deciders IS NULL OR ${userId} = ANY (deciders)
          OR EXISTS (SELECT FROM members AS managed WHERE managed.organization_id = ${organizationId}
            AND managed.user_id = expenses.user_id AND managed.manager_id = ${userId})
          OR EXISTS (SELECT FROM approval_delegations AS given JOIN members AS giver
              ON giver.organization_id = given.organization_id AND giver.user_id = given.from_user_id
            WHERE given.organization_id = ${organizationId} AND given.to_user_id = ${userId} AND given.ended_at IS NULL
              AND given.starts_at <= ${now} AND given.ends_at > ${now}
              AND (given.from_user_id = ANY (deciders) OR giver.role IN ('ADMIN', 'OWNER'))))`
      ]
    }

    /** What every read of the caller's expenses begins with. */
    const scope = (reach: Reach) =>
      Effect.gen(function* () {
        const caller = yield* Caller
        const now = new Date(yield* Clock.currentTimeMillis)
        return [sql`organization_id = ${caller.organizationId}`, ...reachable(reach, caller, now)]
      })

    /**
     * A person's own expenses as two sets that have nothing in common, each of which an index has in order: asked for as
     * one, the newest few are looked for among everybody's.
     */
    const ownOf = ({ name, organizationId }: Caller["Service"], userId: string) => [
      [sql`organization_id = ${organizationId}`, sql`user_id = ${userId}`],
      [sql`organization_id = ${organizationId}`, sql`created_by = ${name}`, sql`user_id IS DISTINCT FROM ${userId}`]
    ]

    const one = (id: string, reach: Reach, locking: Statement.Fragment) =>
      Effect.gen(function* () {
        const conditions = [...(yield* scope(reach)), sql`id = ${id}`]
        const [row] = yield* sql<ExpenseRow>`SELECT ${columns} FROM expenses WHERE ${sql.and(conditions)} ${locking}`
        return row === undefined ? undefined : expenseOf(row)
      })

    const several = (ids: ReadonlyArray<string>, reach: Reach, locking: Statement.Fragment) =>
      Effect.gen(function* () {
        const conditions = [...(yield* scope(reach)), sql`id = ANY (${[...ids]}::text[])`]
        const rows = yield* sql<ExpenseRow>`SELECT ${columns} FROM expenses WHERE ${sql.and(conditions)}
          ORDER BY id ${locking}`
        return rows.map(expenseOf)
      })

    const unlocked = sql.literal("")
    const forUpdate = sql.literal("FOR UPDATE")

    const filtered = (filter: ExpenseFilter): ReadonlyArray<Statement.Fragment> => {
      const text = filter.text === undefined ? undefined : containing(filter.text)
      return [
        ...when(filter.statuses, (statuses) => sql`status = ANY (${[...statuses]}::text[])`),
        ...when(filter.categories, (categories) => sql`category = ANY (${[...categories]}::text[])`),
        ...when(filter.from, (from) => sql`date >= ${from}::date`),
        ...when(filter.to, (to) => sql`date <= ${to}::date`),
        ...when(filter.merchant, (merchant) => sql`merchant ILIKE ${containing(merchant)}`),
        ...when(filter.currency, (currency) => sql`currency = ${currency}`),
        ...when(filter.minBaseMinor, (minor) => sql`base_minor >= ${minor}`),
        ...when(filter.maxBaseMinor, (minor) => sql`base_minor <= ${minor}`),
        ...when(filter.userId, (userId) => sql`user_id = ${userId}`),
        ...when(filter.departmentId, (departmentId) => sql`department_id = ${departmentId}`),
        ...when(text, (part) => sql`(merchant ILIKE ${part} OR category ILIKE ${part} OR description ILIKE ${part})`)
      ]
    }

    return ExpenseStore.of({
      find: Effect.fn("PgExpenseStore.find")((id, reach) => one(id, reach, unlocked), within),
      lock: Effect.fn("PgExpenseStore.lock")((id, reach) => one(id, reach, forUpdate), within),
      findAll: Effect.fn("PgExpenseStore.findAll")((ids, reach) => several(ids, reach, unlocked), within),
      lockAll: Effect.fn("PgExpenseStore.lockAll")((ids, reach) => several(ids, reach, forUpdate), within),
      insert: Effect.fn("PgExpenseStore.insert")(function* (expense) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO expenses (organization_id, id, version, status, currency, amount, merchant, category,
            description, date, receipt_url, department_id, card_transaction_id, user_id, created_by, creators, submitters,
            submitted_by, base_minor, base_currency, base_rate, base_rate_date, frozen_rates, violations, duplicates,
            approval_id, deciders, submitted_at, decided_at, decided_by, rejection_reason, reimbursed_at, created_at,
            updated_at)
          VALUES (${organizationId}, ${expense.id}, ${expense.version}, ${expense.status}, ${expense.amount.currency},
            ${expense.amount.minor}, ${expense.merchant}, ${expense.category}, ${expense.description},
            ${expense.date}::date, ${expense.receiptUrl}, ${expense.departmentId}, ${expense.cardTransactionId},
            ${expense.userId}, ${expense.createdBy}, ${[...expense.creators]}::text[],
            ${[...expense.submitters]}::text[], ${expense.submittedBy}, ${expense.base?.minor ?? null},
            ${expense.base?.currency ?? null}, ${expense.base?.rate ?? null}, ${expense.base?.rateDate ?? null}::date,
            ${json(expense.frozenRates)}::jsonb, ${json(expense.violations)}::jsonb, ${json(expense.duplicates)}::jsonb,
            ${expense.approvalId}, ${expense.deciders === null ? null : [...expense.deciders]}::text[],
            ${toDate(expense.submittedAt)}, ${toDate(expense.decidedAt)}, ${expense.decidedBy},
            ${expense.rejectionReason}, ${toDate(expense.reimbursedAt)}, ${toDate(expense.createdAt)},
            ${toDate(expense.updatedAt)})`
      }, within),
      save: Effect.fn("PgExpenseStore.save")(function* (expense) {
        const { organizationId } = yield* Caller
        const saved = yield* sql`UPDATE expenses SET version = ${expense.version}, status = ${expense.status},
            currency = ${expense.amount.currency}, amount = ${expense.amount.minor}, merchant = ${expense.merchant},
            category = ${expense.category}, description = ${expense.description}, date = ${expense.date}::date,
            receipt_url = ${expense.receiptUrl}, department_id = ${expense.departmentId},
            card_transaction_id = ${expense.cardTransactionId}, user_id = ${expense.userId},
            submitters = ${[...expense.submitters]}::text[], submitted_by = ${expense.submittedBy},
            base_minor = ${expense.base?.minor ?? null}, base_currency = ${expense.base?.currency ?? null},
            base_rate = ${expense.base?.rate ?? null}, base_rate_date = ${expense.base?.rateDate ?? null}::date,
            frozen_rates = ${json(expense.frozenRates)}::jsonb, violations = ${json(expense.violations)}::jsonb,
            duplicates = ${json(expense.duplicates)}::jsonb, approval_id = ${expense.approvalId},
            deciders = ${expense.deciders === null ? null : [...expense.deciders]}::text[],
            submitted_at = ${toDate(expense.submittedAt)}, decided_at = ${toDate(expense.decidedAt)},
            decided_by = ${expense.decidedBy}, rejection_reason = ${expense.rejectionReason},
            reimbursed_at = ${toDate(expense.reimbursedAt)}, updated_at = ${toDate(expense.updatedAt)}
          WHERE organization_id = ${organizationId} AND id = ${expense.id} AND version = ${expense.version - 1}
          RETURNING id`
        if (saved.length !== 1) return yield* Effect.die(new Error(`${expense.id} was not locked before it was saved`))
      }, within),
      remove: Effect.fn("PgExpenseStore.remove")(function* (id) {
        const { organizationId } = yield* Caller
        yield* sql`DELETE FROM expenses WHERE organization_id = ${organizationId} AND id = ${id}`
      }, within),
      list: Effect.fn("PgExpenseStore.list")(function* (filter, reach, page) {
        const caller = yield* Caller
        const asked = [...filtered(filter), ...(page.after === undefined ? [] : [sql`id < ${page.after}`])]
        const newest = (conditions: ReadonlyArray<Statement.Fragment>) =>
          sql`SELECT ${columns} FROM expenses WHERE ${sql.and([...conditions, ...asked])}
            ORDER BY id DESC LIMIT ${page.limit + 1}`
        const rows =
          reach === "own" && caller.userId !== null
            ? yield* sql<ExpenseRow>`SELECT * FROM (${sql.join(" UNION ALL ", false)(ownOf(caller, caller.userId).map((own) => sql`(${newest(own)})`))}) AS own
                ORDER BY id DESC LIMIT ${page.limit + 1}`
            : yield* sql<ExpenseRow>`${newest(yield* scope(reach))}`
        return pageOf(rows.map(expenseOf), page)
      }, within),
      similar: Effect.fn("PgExpenseStore.similar")(function* ({ amount, date, id, userId }) {
        const { organizationId } = yield* Caller
        const { daysMax, percentMax } = nearness
        // A little wider than what is compared exactly afterwards.
        const least = (amount.minor * (100n - percentMax)) / 100n
        const most = (amount.minor * 100n) / (100n - percentMax) + 1n
        const person = userId === null ? sql`user_id IS NULL` : sql`user_id = ${userId}`
        const rows = yield* sql<ExpenseRow>`SELECT ${columns} FROM expenses
          WHERE organization_id = ${organizationId} AND ${person} AND id <> ${id}
            AND date = ANY (ARRAY(SELECT ${date}::date + days FROM generate_series(${-daysMax}::int, ${daysMax}::int) AS days))
            AND currency = ${amount.currency} AND amount BETWEEN ${least} AND ${most}
          ORDER BY abs(amount - ${amount.minor}), id DESC LIMIT ${similarMax}`
        return rows.map(expenseOf)
      }, within),
      lockSpending: Effect.fn("PgExpenseStore.lockSpending")(function* (expenses) {
        const { organizationId } = yield* Caller
        const keys = new Set(
          expenses.flatMap(({ date, userId }) =>
            spendYears(date).map((year) => `spending ${organizationId} ${userId ?? ""} ${year}`)
          )
        )
        // In one order for everybody, so that two units never wait for each other in a circle.
        for (const key of [...keys].sort()) yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`
      }, within),
      spent: Effect.fn("PgExpenseStore.spent")(function* (userId, date, except) {
        const { organizationId } = yield* Caller
        const person = userId === null ? sql`user_id IS NULL` : sql`user_id = ${userId}`
        const ranges = spendRanges(date)
        const first = ranges.week.from < ranges.year.from ? ranges.week.from : ranges.year.from
        const end = ranges.week.before > ranges.year.before ? ranges.week.before : ranges.year.before
        const sum = ({ before, from }: DayRange) =>
          sql`coalesce(sum(base_minor) FILTER (WHERE date >= ${from}::date AND date < ${before}::date), 0)::text`
        const [row] = yield* sql<
          Record<SpendPeriod, string>
        >`SELECT ${sum(ranges.day)} AS day, ${sum(ranges.week)} AS week,
            ${sum(ranges.month)} AS month, ${sum(ranges.quarter)} AS quarter, ${sum(ranges.year)} AS year
          FROM expenses WHERE organization_id = ${organizationId} AND ${person} AND id <> ${except}
            AND status IN ('PENDING', 'APPROVED', 'REIMBURSED') AND date >= ${first}::date AND date < ${end}::date`
        return {
          day: BigInt(row?.day ?? 0),
          week: BigInt(row?.week ?? 0),
          month: BigInt(row?.month ?? 0),
          quarter: BigInt(row?.quarter ?? 0),
          year: BigInt(row?.year ?? 0)
        }
      }, within)
    })
  })
)
