import type { Role } from "@sarraf/domain/organizations/Caller"
import { type Membership, People, type Person } from "@sarraf/domain/organizations/People"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { makeBeyond } from "./beyondTenant.ts"

interface PersonRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly password_hash: string | null
  readonly second_factor_sealed: string | null
  readonly second_factor_pending_sealed: string | null
  readonly last_organization_id: string | null
}

const personOf = (row: PersonRow): Person => ({
  id: row.id,
  email: row.email,
  name: row.name,
  passwordHash: row.password_hash === null ? null : Redacted.make(row.password_hash),
  secondFactor: row.second_factor_sealed,
  pendingSecondFactor: row.second_factor_pending_sealed,
  lastOrganizationId: row.last_organization_id
})

/** The columns of a membership, from `members m` and `organizations o`. */
export interface MembershipRow {
  readonly organization_id: string
  readonly organization_name: string
  readonly base_currency: string
  readonly timezone: string
  readonly is_sandbox: boolean
  readonly requires_second_factor: boolean
  readonly role: Role
  readonly status: Membership["status"]
  readonly name: string
}

export const membershipOf = (row: MembershipRow): Membership => ({
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  baseCurrency: row.base_currency,
  timezone: row.timezone,
  isSandbox: row.is_sandbox,
  requiresSecondFactor: row.requires_second_factor,
  role: row.role,
  status: row.status,
  name: row.name
})

const revealed = (hash: Redacted.Redacted<string> | null): string | null =>
  hash === null ? null : Redacted.value(hash)

/** Persons in PostgreSQL. */
export const layer = Layer.effect(
  People,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const beyond = yield* makeBeyond
    const isDone = (rows: ReadonlyArray<unknown>) => rows.length === 1
    return People.of({
      findByEmail: Effect.fn("PgPeople.findByEmail")(function* (email) {
        const [row] = yield* sql<PersonRow>`SELECT * FROM users WHERE email = ${email}`
        return row === undefined ? undefined : personOf(row)
      }, beyond),
      find: Effect.fn("PgPeople.find")(function* (userId) {
        const [row] = yield* sql<PersonRow>`SELECT * FROM users WHERE id = ${userId}`
        return row === undefined ? undefined : personOf(row)
      }, beyond),
      memberships: Effect.fn("PgPeople.memberships")(function* (userId) {
        const rows = yield* sql<MembershipRow>`SELECT m.organization_id, o.name AS organization_name, o.base_currency,
            o.timezone, o.is_sandbox, o.requires_second_factor, m.role, m.status, m.name
          FROM members m JOIN organizations o ON o.id = m.organization_id
          WHERE m.user_id = ${userId} ORDER BY m.created_at, m.organization_id`
        return rows.map(membershipOf)
      }, beyond),
      findOrInsert: Effect.fn("PgPeople.findOrInsert")(function* ({ email, id, name }) {
        yield* sql`INSERT INTO users (id, email, name) VALUES (${id}, ${email}, ${name}) ON CONFLICT DO NOTHING`
        const [row] = yield* sql<PersonRow>`SELECT * FROM users WHERE email = ${email}`
        return row === undefined ? yield* Effect.die(new Error(`No person ${id}`)) : personOf(row)
      }, beyond),
      noteSignIn: Effect.fn("PgPeople.noteSignIn")(function* ({ id, passwordHash }, organizationId) {
        const noted = yield* sql`UPDATE users SET last_organization_id = ${organizationId}
          WHERE id = ${id} AND password_hash = ${revealed(passwordHash)} RETURNING id`
        return isDone(noted)
      }, beyond),
      setPassword: Effect.fn("PgPeople.setPassword")(function* ({ id, passwordHash }, hash) {
        const set = yield* sql`UPDATE users SET password_hash = ${Redacted.value(hash)}
          WHERE id = ${id} AND password_hash IS NOT DISTINCT FROM ${revealed(passwordHash)}::text RETURNING id`
        return isDone(set)
      }, beyond),
      beginSecondFactor: Effect.fn("PgPeople.beginSecondFactor")(function* (userId, sealed) {
        const begun = yield* sql`UPDATE users SET second_factor_pending_sealed = ${sealed}
          WHERE id = ${userId} AND second_factor_sealed IS NULL RETURNING id`
        return isDone(begun)
      }, beyond),
      confirmSecondFactor: Effect.fn("PgPeople.confirmSecondFactor")(function* (userId, sealed, step) {
        const confirmed =
          yield* sql`UPDATE users SET second_factor_sealed = ${sealed}, second_factor_last_step = ${step},
            second_factor_pending_sealed = NULL
          WHERE id = ${userId} AND second_factor_sealed IS NULL AND second_factor_pending_sealed = ${sealed} RETURNING id`
        return isDone(confirmed)
      }, beyond),
      spendStep: Effect.fn("PgPeople.spendStep")(function* (userId, step) {
        const spent = yield* sql`UPDATE users SET second_factor_last_step = ${step}
          WHERE id = ${userId} AND (second_factor_last_step IS NULL OR second_factor_last_step < ${step}) RETURNING id`
        return isDone(spent)
      }, beyond),
      removeSecondFactor: Effect.fn("PgPeople.removeSecondFactor")(function* (userId) {
        yield* sql`UPDATE users SET second_factor_sealed = NULL, second_factor_pending_sealed = NULL
          WHERE id = ${userId}`
      }, beyond)
    })
  })
)
