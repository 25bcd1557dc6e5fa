import { signatureKey } from "@sarraf/domain/admission/IdempotencyKey"
import {
  type Admission,
  RequestLedger,
  type RequestRecord,
  type SignedRequest
} from "@sarraf/domain/admission/RequestLedger"
import { judgeUse, type SignatureUse } from "@sarraf/domain/admission/SpentSignature"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { relaxedCommit } from "./AsynchronousCommit.ts"
import { firstOfEach } from "./firstOfEach.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { groupClient } from "./GroupWriter.ts"
import { orUnavailable } from "./orUnavailable.ts"
import { makeRecentReads } from "./RecentReads.ts"
import { names, rowParameters, rowsFrom } from "./RowParameters.ts"

interface Admitted {
  readonly fresh: boolean
  readonly record: RequestRecord | undefined
}

interface RecordColumns {
  readonly fingerprint: string
  readonly payment_id: string
  readonly operation_id: string | null
}

const useColumns = {
  organization_id: "text",
  client_id: "text",
  digest: "text",
  target: "text",
  operation: "text",
  idempotency_key: "text",
  used_at: "timestamptz",
  expires_at: "timestamptz"
} as const

const admitColumns = { ord: "integer", ...useColumns, key: "text" } as const

/**
 * Spends signatures and looks keys up. It commits without waiting for the disk (`synchronous_commit = off`): what is
 * begun afterwards does wait, and the log is written in order, so a signature that began something is never forgotten.
 */
const admitSql = `WITH input AS MATERIALIZED (SELECT * FROM ${rowsFrom(admitColumns, 1, "t")}),
  ${relaxedCommit},
  fresh AS (
    INSERT INTO signature_uses (${names(useColumns)})
    SELECT ${names(useColumns)} FROM input, relaxed WHERE relaxed.off = 'off'
    ORDER BY organization_id, client_id, digest, ord
    ON CONFLICT DO NOTHING RETURNING organization_id, client_id, digest)
  SELECT fresh.digest IS NOT NULL AS fresh, r.fingerprint, r.payment_id, r.operation_id
  FROM input LEFT JOIN fresh USING (organization_id, client_id, digest)
    LEFT JOIN request_records r ON r.organization_id = input.organization_id AND r.caller = input.client_id
      AND r.key = input.key AND r.expires_at > input.used_at
  ORDER BY input.ord`

const keyOf = ({ signatureDigest, use }: SignedRequest): string =>
  use.idempotencyKey ?? signatureKey(signatureDigest, use.target)

const recordOf = (
  request: SignedRequest,
  key: string,
  row: Partial<RecordColumns> | undefined
): RequestRecord | undefined =>
  typeof row?.payment_id === "string" && typeof row.fingerprint === "string"
    ? {
        organizationId: request.organizationId,
        caller: request.clientId,
        key,
        fingerprint: row.fingerprint,
        paymentId: row.payment_id,
        operationId: row.operation_id ?? null
      }
    : undefined

const rowOf = (request: SignedRequest, ord: number) => ({
  ord,
  organization_id: request.organizationId,
  client_id: request.clientId,
  digest: request.signatureDigest,
  target: request.use.target,
  operation: request.use.operation,
  idempotency_key: request.use.idempotencyKey,
  used_at: request.use.usedAt,
  expires_at: request.signatureExpiresAt,
  key: keyOf(request)
})

const makeAdmit = (sql: SqlClient.SqlClient) => (requests: Array.NonEmptyReadonlyArray<SignedRequest>) =>
  Effect.map(
    sql.unsafe<{ fresh: boolean } & Partial<RecordColumns>>(admitSql, rowParameters(admitColumns, requests.map(rowOf))),
    (rows): ReadonlyArray<Admitted> => {
      const isFirst = firstOfEach(requests, ({ clientId, signatureDigest }) => `${clientId} ${signatureDigest}`)
      return Array.zip(requests, rows).map(([request, row], index) => ({
        fresh: row.fresh && isFirst[index] === true,
        record: recordOf(request, keyOf(request), row)
      }))
    }
  )

/** Signatures and Idempotency-Keys in PostgreSQL; what was only read is remembered in this process (contract section 3). */
export const layer = Layer.effect(
  RequestLedger,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const groups = yield* groupClient
    const admit = yield* GroupCommit.make({ statement: makeAdmit(groups) })
    const reads = makeRecentReads()
    // Only these could be mistaken for a reading's: remembering all would take hundreds of megabytes.
    const bodilessWrites = makeRecentReads()

    const firstUse = Effect.fnUntraced(function* ({ clientId, organizationId, signatureDigest }: SignedRequest) {
      const [row] = yield* sql<{ target: string; operation: string; idempotency_key: string | null; used_at: Date }>`
        SELECT target, operation, idempotency_key, used_at FROM signature_uses
        WHERE organization_id = ${organizationId} AND client_id = ${clientId} AND digest = ${signatureDigest}`
      return row === undefined
        ? undefined
        : ({
            target: row.target,
            operation: row.operation,
            idempotencyKey: row.idempotency_key,
            usedAt: row.used_at.getTime()
          } satisfies SignatureUse)
    })

    const findRecord = Effect.fnUntraced(function* (organizationId: string, caller: string, key: string) {
      const [row] = yield* sql<RecordColumns>`SELECT fingerprint, payment_id, operation_id FROM request_records
        WHERE organization_id = ${organizationId} AND caller = ${caller} AND key = ${key} AND expires_at > now()`
      return row === undefined
        ? undefined
        : {
            organizationId,
            caller,
            key,
            fingerprint: row.fingerprint,
            paymentId: row.payment_id,
            operationId: row.operation_id
          }
    })

    return RequestLedger.of({
      admit: Effect.fnUntraced(function* (
        request
      ): Effect.fn.Return<Admission, import("effect/sql/SqlError").SqlError> {
        const key = keyOf(request)
        if (reads.has(request.signatureDigest)) return { verdict: "spent", key, record: undefined }
        if (request.isBodiless) bodilessWrites.admit(request.signatureDigest, request.use.target, request.use.usedAt)
        const { fresh, record } = yield* admit(request)
        if (fresh) return { verdict: "fresh", key, record }
        const first = yield* firstUse(request)
        const verdict = judgeUse(first, request.use)
        if (record !== undefined || verdict !== "retry" || first?.idempotencyKey == null) {
          // An accepted second target that began something is a retry from then on, however late it comes.
          return {
            verdict:
              verdict === "spent" && record !== undefined && request.use.idempotencyKey === null ? "retry" : verdict,
            key,
            record
          }
        }
        const ofFirst = yield* findRecord(request.organizationId, request.clientId, first.idempotencyKey)
        return { verdict, key: first.idempotencyKey, record: ofFirst }
      }, orUnavailable),
      admitRead: (digest, target, now) =>
        bodilessWrites.allows(digest, target, now) && reads.admit(digest, target, now),
      find: (organizationId, caller, key) => orUnavailable(findRecord(organizationId, caller, key))
    })
  })
)
