import type { Role } from "@sarraf/domain/organizations/Caller"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface PersonTraits {
  readonly role?: Role
  readonly status?: string
  readonly passwordHash?: string | null
}

/** A person as rows: one of `users`, one of `members`. */
export const insertPerson = (organizationId: string, userId: string, traits: PersonTraits = {}) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const { passwordHash = "hash", role = "MEMBER", status = "ACTIVE" } = traits
    const email = `${userId}@example.com`
    return Effect.orDie(
      Effect.all([
        sql`INSERT INTO users (id, email, name, password_hash) VALUES (${userId}, ${email}, ${userId}, ${passwordHash})
          ON CONFLICT DO NOTHING`,
        sql`INSERT INTO members (organization_id, user_id, email, name, role, status)
          VALUES (${organizationId}, ${userId}, ${email}, ${userId}, ${role}, ${status})`
      ])
    )
  })

/** As this person of the organization. */
export const asPerson = (organizationId: string, userId = "usr_test", role: Role = "OWNER") =>
  Effect.provideService(Caller, {
    organizationId,
    role,
    name: `user:${userId}`,
    kind: "user",
    userId,
    createdBy: null
  })
