import { createHash } from "node:crypto"
import type { SqlClient, Statement } from "effect/sql"

/** SHA-256 of a text, lower-case hex. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The columns that a link covers, named and written as the chain wants them: all of them as text. */
export const chainedColumns = (sql: SqlClient.SqlClient): Statement.Fragment => sql`organization_id AS "organizationId",
  to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, actor, request_id AS "requestId", address, action,
  subject, subject_id AS "subjectId", before::text AS before, after::text AS after, detail::text AS detail`
