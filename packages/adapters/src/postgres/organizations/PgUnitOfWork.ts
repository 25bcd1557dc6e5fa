import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"
import { organizationSetting, tenantRole } from "./rowSecurity.ts"

interface Unit {
  /** The pool that it is on. */
  readonly sql: SqlClient.SqlClient
  readonly organizationId: string
  /** What is done once it is committed. */
  readonly afterwards: Array<Effect.Effect<void>>
}

/** The unit of work that is open in this fiber. */
const OpenUnit = Context.Reference<Unit | undefined>("@sarraf/adapters/postgres/organizations/OpenUnit", {
  defaultValue: () => undefined
})

/**
 * The settings that a unit of work begins with, beside its organization: the role, and what else holds until it ends. Read
 * when a store is made, so that every store of a pool has the same.
 */
export const UnitSettings = Context.Reference<Readonly<Record<string, string>>>(
  "@sarraf/adapters/postgres/organizations/UnitSettings",
  { defaultValue: () => ({ role: tenantRole }) }
)

/** Does something when the open unit of work is committed, and never where it is undone; at once where none is open. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(OpenUnit, (open) =>
    open === undefined
      ? effect
      : Effect.sync(() => {
          open.afterwards.push(effect)
        })
  )

/**
 * Runs statements as the caller's organization: in the unit of work that is open, else in a transaction of their own.
 * Every method of a store on tenants' tables goes through it. Row-level security holds inside.
 */
export const makeWithin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const settings = Object.entries(yield* UnitSettings)
  const enter = (organizationId: string) =>
    sql`SELECT ${sql.csv([...settings, [organizationSetting, organizationId] as const].map(([name, value]) => sql`set_config(${name}, ${value}, true)`))}`
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { organizationId } = yield* Caller
      const open = yield* OpenUnit
      // On another pool its statements would be in no transaction, and see every organization.
      if (open !== undefined && open.sql !== sql) return yield* Effect.die(new Error("A unit of work is on one pool"))
      if (open?.organizationId === organizationId) return yield* orUnavailable(effect)
      if (open !== undefined) return yield* Effect.die(new Error("A unit of work is of one organization"))
      const unit: Unit = { sql, organizationId, afterwards: [] }
      const done = yield* orUnavailable(sql.withTransaction(Effect.andThen(enter(organizationId), effect))).pipe(
        Effect.provideService(OpenUnit, unit)
      )
      yield* Effect.all(unit.afterwards, { discard: true })
      return done
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
