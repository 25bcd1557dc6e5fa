import { assert, layer } from "@effect/vitest"
import { seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import { seedSandboxPeople } from "@sarraf/adapters/postgres/seedSandboxPeople"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as ArgonPasswords from "@sarraf/adapters/signing/Passwords"
import { Passwords } from "@sarraf/domain/organizations/Passwords"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

interface SeededRow {
  readonly email: string
  readonly role: string
  readonly manager: string | null
  readonly password_hash: string
}

const seeded = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<SeededRow>`SELECT u.email, m.role, b.email AS manager, u.password_hash
    FROM members m JOIN users u ON u.id = m.user_id LEFT JOIN users b ON b.id = m.manager_id ORDER BY u.id`
)

layer(Layer.mergeAll(Database.layer, keys, ArgonPasswords.layer))("The sandbox's people", (it) => {
  it.effect("are there once, with their roles, managers and password, and stay as they were changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passwords = yield* Passwords
      yield* seedSandbox
      const rows = yield* seeded
      assert.deepStrictEqual(
        rows.map(({ email, manager, role }) => [email, role, manager]),
        [
          ["owner@sandbox.test", "OWNER", null],
          ["admin@sandbox.test", "ADMIN", "owner@sandbox.test"],
          ["approver@sandbox.test", "APPROVER", "admin@sandbox.test"],
          ["member@sandbox.test", "MEMBER", "approver@sandbox.test"],
          ["auditor@sandbox.test", "AUDITOR", null],
          ["owner@other.test", "OWNER", null]
        ]
      )
      const [owner] = rows
      const hash = Redacted.make(owner?.password_hash ?? "")
      assert.isTrue(yield* passwords.verify(Redacted.make("sandbox"), hash))
      yield* sql`UPDATE users SET password_hash = 'changed' WHERE email = 'owner@sandbox.test'`
      // A start that finds everybody there hashes nothing.
      const none = Effect.provideService(seedSandboxPeople, Passwords, {
        hash: () => Effect.die(new Error("It was hashed again")),
        verify: () => Effect.die(new Error("unused"))
      })
      yield* none
      assert.strictEqual((yield* seeded)[0]?.password_hash, "changed")
    })
  )
})
