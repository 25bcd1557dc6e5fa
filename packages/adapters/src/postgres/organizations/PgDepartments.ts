import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { type DepartmentRecord, DepartmentStore } from "@sarraf/domain/organizations/DepartmentStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "./PgUnitOfWork.ts"

interface DepartmentRow {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const departmentOf = (row: DepartmentRow): DepartmentRecord => ({
  id: row.id,
  name: row.name,
  version: row.version,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

/** Departments in PostgreSQL. */
export const layer = Layer.effect(
  DepartmentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return DepartmentStore.of({
      list: Effect.fn("PgDepartments.list")(function* (page) {
        const { organizationId } = yield* Caller
        const rows = yield* sql<DepartmentRow>`SELECT * FROM departments
          WHERE organization_id = ${organizationId} AND (${page.after ?? null}::text IS NULL OR id < ${page.after ?? null})
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(departmentOf), page)
      }, within),
      find: Effect.fn("PgDepartments.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<DepartmentRow>`SELECT * FROM departments
          WHERE organization_id = ${organizationId} AND id = ${id}`
        return row === undefined ? undefined : departmentOf(row)
      }, within),
      named: Effect.fn("PgDepartments.named")(function* (name) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<DepartmentRow>`SELECT * FROM departments
          WHERE organization_id = ${organizationId} AND lower(name) = lower(${name})`
        return row === undefined ? undefined : departmentOf(row)
      }, within),
      insert: Effect.fn("PgDepartments.insert")(function* ({ createdAt, id, name, updatedAt, version }) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO departments (organization_id, id, name, version, created_at, updated_at)
          VALUES (${organizationId}, ${id}, ${name}, ${version}, ${new Date(createdAt)}, ${new Date(updatedAt)})`
      }, within),
      save: Effect.fn("PgDepartments.save")(function* ({ id, name, updatedAt, version }) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE departments SET name = ${name}, version = ${version}, updated_at = ${new Date(updatedAt)}
          WHERE organization_id = ${organizationId} AND id = ${id}`
      }, within),
      uses: Effect.fn("PgDepartments.uses")(function* (id) {
        const { organizationId } = yield* Caller
        // Whoever is giving it to a row holds a key lock on it: they are waited for, and then seen.
        yield* sql`SELECT id FROM departments WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`
        const [used] = yield* sql<{ members: boolean; expenses: boolean }>`SELECT
          EXISTS (SELECT FROM members WHERE organization_id = ${organizationId} AND department_id = ${id}) AS members,
          EXISTS (SELECT FROM expenses WHERE organization_id = ${organizationId} AND department_id = ${id}) AS expenses`
        return (["members", "expenses"] as const).filter((one) => used?.[one] === true)
      }, within),
      remove: Effect.fn("PgDepartments.remove")(function* (id) {
        const { organizationId } = yield* Caller
        yield* sql`DELETE FROM departments WHERE organization_id = ${organizationId} AND id = ${id}`
      }, within)
    })
  })
)
