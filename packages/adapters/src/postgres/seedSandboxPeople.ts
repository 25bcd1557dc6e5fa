import type { Role } from "@sarraf/domain/organizations/Caller"
import { Passwords } from "@sarraf/domain/organizations/Passwords"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"

const sandbox = "org_01kd8z0000e0080000000000s1"
const other = "org_01kd8z0000e0080000000000s2"

const finance = "dep_01kd8z0000e0080000000000d1"
const sales = "dep_01kd8z0000e0080000000000d2"

/** The departments that its people are in. */
export const sandboxDepartments = [
  { organizationId: sandbox, id: finance, name: "Finance" },
  { organizationId: sandbox, id: sales, name: "Sales" }
] as const

/** The password of all of them, which is public: sandboxes hold nothing that is worth one. */
const password = Redacted.make("sandbox")

const owner = "usr_01kd8z0000e0080000000000p1"
const admin = "usr_01kd8z0000e0080000000000p2"
const approver = "usr_01kd8z0000e0080000000000p3"

export interface SandboxPerson {
  readonly organizationId: string
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly departmentId: string | null
  readonly managerId: string | null
}

/** Managers come before those that they manage. */
export const sandboxPeople: ReadonlyArray<SandboxPerson> = [
  {
    organizationId: sandbox,
    id: owner,
    email: "owner@sandbox.test",
    name: "Elif Demir",
    role: "OWNER",
    departmentId: finance,
    managerId: null
  },
  {
    organizationId: sandbox,
    id: admin,
    email: "admin@sandbox.test",
    name: "Mert Yıldız",
    role: "ADMIN",
    departmentId: finance,
    managerId: owner
  },
  {
    organizationId: sandbox,
    id: approver,
    email: "approver@sandbox.test",
    name: "Zeynep Arslan",
    role: "APPROVER",
    departmentId: sales,
    managerId: admin
  },
  {
    organizationId: sandbox,
    id: "usr_01kd8z0000e0080000000000p4",
    email: "member@sandbox.test",
    name: "Can Öztürk",
    role: "MEMBER",
    departmentId: sales,
    managerId: approver
  },
  {
    organizationId: sandbox,
    id: "usr_01kd8z0000e0080000000000p5",
    email: "auditor@sandbox.test",
    name: "Selin Aydın",
    role: "AUDITOR",
    departmentId: finance,
    managerId: null
  },
  {
    organizationId: other,
    id: "usr_01kd8z0000e0080000000000v1",
    email: "owner@other.test",
    name: "Emre Koç",
    role: "OWNER",
    departmentId: null,
    managerId: null
  }
]

/**
 * Puts the sandbox's people there (contract section 3), as far as they are missing: what was changed stays. They share one
 * hash of the public password, so that a start that has to make it takes it once.
 */
export const seedSandboxPeople = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const { id, name, organizationId } of sandboxDepartments) {
    yield* sql`INSERT INTO departments (organization_id, id, name) VALUES (${organizationId}, ${id}, ${name})
      ON CONFLICT DO NOTHING`
  }
  const found = yield* sql<{
    id: string
  }>`SELECT id FROM users WHERE id = ANY (${sandboxPeople.map(({ id }) => id)}::text[])`
  const missing = sandboxPeople.filter((person) => !found.some(({ id }) => id === person.id))
  if (missing.length === 0) return
  const hash = yield* (yield* Passwords).hash(password)
  for (const { departmentId, email, id, managerId, name, organizationId, role } of missing) {
    yield* sql`INSERT INTO users (id, email, name, password_hash) VALUES (${id}, ${email}, ${name}, ${hash})
      ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO members (organization_id, user_id, email, name, role, status, department_id, manager_id)
      VALUES (${organizationId}, ${id}, ${email}, ${name}, ${role}, 'ACTIVE', ${departmentId}, ${managerId})
      ON CONFLICT DO NOTHING`
  }
})
