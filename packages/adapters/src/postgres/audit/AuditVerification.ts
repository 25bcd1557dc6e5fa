import { chainStart, faultAfter, type SealedRow } from "@sarraf/domain/audit/AuditChain"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { chainedColumns, sha256 } from "./ChainRows.ts"

/** Rows held in memory at once. */
const pageSize = 1_000

/** What recomputing an organization's chain found. */
export interface ChainFinding {
  readonly organizationId: string
  /** Rows that fit, from the first. */
  readonly rows: number
  /** The hash of the last row that fits. */
  readonly head: string
  /** Rows that wait to be sealed. */
  readonly unsealed: number
  /** Whether the head that was asked for is among these rows. */
  readonly hasHead: boolean
  /** About the first row that does not fit; undefined where all do. */
  readonly fault: string | undefined
}

/** Recomputes audit chains from what the database holds. */
export const makeVerification = Effect.map(SqlClient.SqlClient, (sql) => {
  /** `handedOut` is the hash of a head that somebody was given, to be looked for. */
  const verify = Effect.fn("AuditVerification.verify")(function* (organizationId: string, handedOut?: string) {
    const [waiting] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_log
      WHERE organization_id = ${organizationId} AND sequence IS NULL`
    const unsealed = waiting?.count ?? 0
    let last: { readonly sequence: number; readonly hash: string } = chainStart
    let hasHead = false
    const finding = (fault: string | undefined): ChainFinding => ({
      organizationId,
      rows: last.sequence,
      head: last.hash,
      unsealed,
      hasHead,
      fault
    })
    for (;;) {
      const page = yield* sql<SealedRow>`SELECT ${chainedColumns(sql)}, sequence::float8 AS sequence,
          previous_hash AS "previousHash", hash
        FROM audit_log WHERE organization_id = ${organizationId} AND sequence > ${last.sequence}
        ORDER BY audit_log.sequence LIMIT ${pageSize}`
      for (const row of page) {
        const fault = faultAfter(last, row, sha256)
        if (fault !== undefined) return finding(fault)
        last = row
        hasHead ||= row.hash === handedOut
      }
      if (page.length === pageSize) continue
      const [sealed] = yield* sql<{ count: number }>`SELECT count(*)::float8 AS count FROM audit_log
        WHERE organization_id = ${organizationId} AND sequence <= ${last.sequence}`
      return finding(
        sealed?.count === last.sequence
          ? undefined
          : "there are more sealed rows than the chain has: some were inserted"
      )
    }
  })
  return {
    verify,
    /** Every organization that has a trail, and every other one, so that a trail that is gone is noticed by its count. */
    organizations: Effect.map(
      sql<{
        id: string
      }>`SELECT id FROM organizations UNION SELECT DISTINCT organization_id FROM audit_log ORDER BY id`,
      (rows) => rows.map(({ id }) => id)
    )
  }
})
