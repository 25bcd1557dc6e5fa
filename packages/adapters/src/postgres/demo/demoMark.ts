import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sandboxDepartments, sandboxPeople } from "../seedSandboxPeople.ts"
import { demoCurrencies } from "./DemoPeople.ts"

/** What the audit trail, which keeps everything, says of an organization that got its demo year. */
export const demoAdded = "organization.demo_added"

/**
 * The sandbox organizations that may get their demo year: those that never got it, that nobody has entered expenses or
 * policies into, and whose people, departments and settings are the ones that every sandbox begins with.
 */
export const withoutDemo = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`SELECT id FROM organizations
    WHERE id = ANY (${Object.keys(demoCurrencies)}::text[]) AND version = 1
      AND NOT EXISTS (SELECT FROM audit_log WHERE organization_id = organizations.id
        AND subject = 'organization' AND subject_id = organizations.id AND action = ${demoAdded})
      AND NOT EXISTS (SELECT FROM expenses WHERE organization_id = organizations.id)
      AND NOT EXISTS (SELECT FROM policies WHERE organization_id = organizations.id)
      AND NOT EXISTS (SELECT FROM members WHERE organization_id = organizations.id
        AND user_id <> ALL (${sandboxPeople.map((person) => person.id)}::text[]))
      AND NOT EXISTS (SELECT FROM departments WHERE organization_id = organizations.id
        AND id <> ALL (${sandboxDepartments.map((department) => department.id)}::text[]))
    ORDER BY id`
  return rows.map(({ id }) => id)
}).pipe(Effect.withSpan("withoutDemo"))
