import { Caller } from "@sarraf/domain/organizations/Caller"
import { Names } from "@sarraf/domain/organizations/Names"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

/** Names in PostgreSQL. */
export const layer = Layer.effect(
  Names,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return Names.of({
      of: Effect.fn("PgNames.of")(function* (userIds, departmentIds) {
        const { organizationId } = yield* Caller
        const rows = yield* sql<{ readonly id: string; readonly name: string }>`
          SELECT user_id AS id, name FROM members
          WHERE organization_id = ${organizationId} AND user_id = ANY (${[...userIds]}::text[])
          UNION ALL SELECT id, name FROM departments
          WHERE organization_id = ${organizationId} AND id = ANY (${[...departmentIds]}::text[])`
        return new Map(rows.map(({ id, name }) => [id, name]))
      }, within),
      // From the sums by category and what is not in them yet: few rows for any number of expenses.
      categoriesLike: Effect.fn("PgNames.categoriesLike")(function* (categories) {
        const { organizationId } = yield* Caller
        const rows = yield* sql<{ readonly category: string }>`SELECT DISTINCT category FROM (
            SELECT category FROM spend_sums WHERE organization_id = ${organizationId} AND cut = 'category'
            UNION ALL SELECT category FROM spend_changes WHERE organization_id = ${organizationId}) AS known
          WHERE lower(category) IN (SELECT lower(named) FROM unnest(${[...categories]}::text[]) AS named)`
        return [...new Set([...categories, ...rows.map(({ category }) => category)])]
      }, within)
    })
  })
)
