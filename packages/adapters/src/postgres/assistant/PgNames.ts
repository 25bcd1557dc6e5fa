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
      }, within)
    })
  })
)
