import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ExpenseSideMemory } from "../../memory/ExpenseSideMemory.ts"
import { sandboxDepartments, sandboxPeople } from "../seedSandboxPeople.ts"
import { makeAccountSeal } from "../vendors/accountSeal.ts"
import { demoMerchants, otherMerchants } from "./DemoMerchants.ts"
import { demoCurrencies, demoDepartments, demoPeople } from "./DemoPeople.ts"
import { demoReceipt } from "./DemoReceipts.ts"
import { type DemoRow, demoRows, rateRows } from "./DemoRows.ts"
import { demoAdded, withoutDemo } from "./demoMark.ts"
import { placeholderUrl } from "./makeDemo.ts"
import { procurementRows } from "./ProcurementRows.ts"

type Memory = ExpenseSideMemory["Service"]

const timeOf = (instant: number): string => new Date(instant).toISOString()

/** So many files are written at once. */
const writersMax = 8

/** The contents that the receipts name. One that cannot be written is missing, and the sandbox works without it. */
const writeFiles = Effect.fn("seedDemo.writeFiles")(function* (memory: Memory, organizationIds: ReadonlyArray<string>) {
  const files = yield* ReceiptFiles
  const contents = new Map<string, Uint8Array>()
  for (const merchant of [...demoMerchants, ...otherMerchants]) {
    const { content } = demoReceipt(merchant)
    contents.set(yield* files.digest(content), content)
  }
  const places = organizationIds.flatMap((organizationId) => {
    const named = new Set(memory.receipts.all(organizationId).map(({ sha256 }) => sha256))
    return [...named].map((sha256) => ({ organizationId, sha256 }))
  })
  yield* Effect.forEach(
    places,
    (place) => {
      const content = contents.get(place.sha256)
      return content === undefined ? Effect.void : Effect.ignore(files.write(place, content))
    },
    { concurrency: writersMax, discard: true }
  )
})

/** The people and departments that only the demo has. */
const staff = (memory: Memory, organizationId: string): ReadonlyArray<readonly [string, ReadonlyArray<DemoRow>]> => {
  const since = timeOf(memory.organizations.get(organizationId, organizationId)?.createdAt ?? 0)
  const isNew = ({ id }: { readonly id: string }) =>
    ![...sandboxPeople, ...sandboxDepartments].some((present) => present.id === id)
  const people = demoPeople.filter((person) => person.organizationId === organizationId && isNew(person))
  const departments = demoDepartments.filter((one) => one.organizationId === organizationId && isNew(one))
  const members = people.flatMap(({ id }) => memory.members.get(organizationId, id) ?? [])
  return [
    ["users", people.map(({ email, id, name }) => ({ id, email, name, created_at: since }))],
    [
      "departments",
      departments.map(({ id, name }) => ({
        organization_id: organizationId,
        id,
        name,
        version: 1,
        created_at: since,
        updated_at: since
      }))
    ],
    [
      "members",
      members.map((member) => ({
        organization_id: organizationId,
        user_id: member.userId,
        email: member.email,
        name: member.name,
        role: member.role,
        status: member.status,
        department_id: member.departmentId,
        manager_id: member.managerId,
        version: member.version,
        created_at: timeOf(member.createdAt),
        updated_at: timeOf(member.updatedAt),
        joined_at: timeOf(member.createdAt)
      }))
    ]
  ]
}

/**
 * Writes the demo year into those of the organizations that may have one: everything in one transaction, and once, also
 * where two processes start at the same time.
 */
export const seedDemo = Effect.fn("seedDemo")(function* (memory: Memory, baseUrl: string) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* Clock.currentTimeMillis
  const seal = yield* makeAccountSeal

  const insert = Effect.fnUntraced(function* (table: string, rows: ReadonlyArray<DemoRow>, onConflict: string) {
    const [first] = rows
    if (first === undefined) return
    const columns = sql.literal(Object.keys(first).join(", "))
    const json = JSON.stringify(rows).replaceAll(placeholderUrl, baseUrl)
    yield* sql`INSERT INTO ${sql(table)} (${columns})
      SELECT ${columns} FROM json_populate_recordset(null::${sql(table)}, ${json}::json) ${sql.literal(onConflict)}`
  })

  yield* writeFiles(memory, Object.keys(demoCurrencies))
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('sarraf demo year', 0))`
      const empty = yield* withoutDemo
      if (empty.length > 0) yield* insert("exchange_rates", rateRows(memory, at), "ON CONFLICT DO NOTHING")
      for (const organizationId of empty) {
        const { baseCurrency, createdAt = at } = memory.organizations.get(organizationId, organizationId) ?? {}
        const since = new Date(createdAt)
        yield* sql`UPDATE organizations SET base_currency = ${baseCurrency ?? "TRY"}, created_at = ${since} WHERE id = ${organizationId}`
        yield* sql`UPDATE members SET created_at = ${since}, updated_at = ${since}, joined_at = ${since}
          WHERE organization_id = ${organizationId}`
        for (const [table, rows] of staff(memory, organizationId)) yield* insert(table, rows, "")
        const rowsOfYear = [...demoRows(memory, organizationId), ...procurementRows(memory, organizationId, seal)]
        for (const [table, rows] of rowsOfYear) yield* insert(table, rows, "")
        yield* sql`INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, subject_id, detail)
          VALUES (${organizationId}, ${new Date(at)}, 'system', '', ${demoAdded}, 'organization', ${organizationId}, '{}')`
      }
    })
  )
})
