import { type ChainedRow, chainStart, seal } from "@sarraf/domain/audit/AuditChain"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { chainedColumns, sha256 } from "./ChainRows.ts"

/** Rows sealed in one transaction: some milliseconds' work, so that no organization waits long for another. */
const batchMax = 1_000

/** How long a process waits after it found nothing more to seal. A row is sealed within a second (contract section 6). */
const restMillis = 500

interface UnsealedRow extends ChainedRow {
  readonly id: string
}

/** Numbers and chains the rows that were committed and not sealed yet, of every organization. */
export const makeSealer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Seals a batch of one organization, in the order of ids, and counts it; 0 where another process is at it. */
  const sealBatch = Effect.fn("AuditSealer.sealBatch")(function* (organizationId: string) {
    const [lock] = yield* sql<{ taken: boolean }>`SELECT pg_try_advisory_xact_lock(
      hashtextextended(${`audit chain ${organizationId}`}, 0)) AS taken`
    if (lock?.taken !== true) return 0
    const [head = chainStart] = yield* sql<{ sequence: number; hash: string }>`SELECT sequence::float8 AS sequence, hash
      FROM audit_log WHERE organization_id = ${organizationId} AND sequence IS NOT NULL ORDER BY audit_log.sequence DESC LIMIT 1`
    const rows = yield* sql<UnsealedRow>`SELECT id::text AS id, ${chainedColumns(sql)} FROM audit_log
      WHERE organization_id = ${organizationId} AND sequence IS NULL ORDER BY audit_log.id LIMIT ${batchMax}`
    const links = seal(head, rows, sha256)
    yield* sql`UPDATE audit_log SET sequence = link.sequence, previous_hash = link.previous_hash, hash = link.hash
      FROM unnest(${rows.map(({ id }) => id)}::bigint[], ${links.map(({ sequence }) => String(sequence))}::bigint[],
        ${links.map(({ previousHash }) => previousHash)}::text[], ${links.map(({ hash }) => hash)}::text[])
        AS link (id, sequence, previous_hash, hash)
      WHERE audit_log.organization_id = ${organizationId} AND audit_log.id = link.id`
    return rows.length
  }, sql.withTransaction)

  /** A batch of each organization that has any; whether there may be more. Where nothing is to do it is one look-up. */
  const round = Effect.gen(function* () {
    let organizationId = ""
    let isMore = false
    for (;;) {
      const [next] = yield* sql<{ organization_id: string }>`SELECT organization_id FROM audit_log
        WHERE sequence IS NULL AND organization_id > ${organizationId} ORDER BY organization_id LIMIT 1`
      if (next === undefined) return isMore
      organizationId = next.organization_id
      isMore = (yield* sealBatch(organizationId)) === batchMax || isMore
    }
  })

  /** Until nothing is left that this process may seal. */
  return Effect.repeat(round, { while: (isMore) => isMore })
})

/** Seals beside requests, for as long as the process runs. Several processes share the work. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sealAll = yield* makeSealer
    yield* sealAll.pipe(
      // The next look does what this one could not.
      Effect.catchCause((cause) => Effect.logWarning("The audit trail could not be sealed", cause)),
      Effect.repeat(Schedule.spaced(restMillis)),
      Effect.forkScoped
    )
  })
)
