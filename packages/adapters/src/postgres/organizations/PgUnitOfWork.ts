import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"
import { organizationSetting, tenantRole } from "./rowSecurity.ts"

/** The organization of the unit of work that is open in this fiber. */
const OpenUnit = Context.Reference<string | undefined>("@sarraf/adapters/postgres/organizations/OpenUnit", {
  defaultValue: () => undefined
})

/**
 * Runs statements as the caller's organization: in the unit of work that is open, else in a transaction of their own.
 * Every method of a store on tenants' tables goes through it. Row-level security holds inside.
 */
export const makeWithin = Effect.map(SqlClient.SqlClient, (sql) => {
  const enter = (organizationId: string) =>
    sql`SELECT set_config('role', ${tenantRole}, true), set_config(${organizationSetting}, ${organizationId}, true)`
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { organizationId } = yield* Caller
      const open = yield* OpenUnit
      if (open === organizationId) return yield* orUnavailable(effect)
      if (open !== undefined) return yield* Effect.die(new Error("A unit of work is of one organization"))
      return yield* orUnavailable(sql.withTransaction(Effect.andThen(enter(organizationId), effect))).pipe(
        Effect.provideService(OpenUnit, organizationId)
      )
    })
})

/** Units of work as PostgreSQL's transactions, and their parts as savepoints. */
export const layer = Layer.effect(
  UnitOfWork,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return UnitOfWork.of({
      run: within,
      apart: (effect) => within(sql.withTransaction(effect))
    })
  })
)
