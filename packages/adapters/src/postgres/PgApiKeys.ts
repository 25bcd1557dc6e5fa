import { createHash } from "node:crypto"
import { type ApiKey, ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import type { Role } from "@sarraf/domain/organizations/Caller"
import { Cache, Duration, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "./orUnavailable.ts"

/** A revoked or expired key is noticed by every process within this time. */
const rememberedFor = Duration.seconds(5)

/** What is kept of a key: SHA-256 in lower-case hex. A key is 256 random bits, so its digest need not be slow. */
export const apiKeyDigest = (key: Redacted.Redacted<string>): string =>
  createHash("sha256").update(Redacted.value(key)).digest("hex")

interface KeyRow {
  readonly organization_id: string
  readonly id: string
  readonly role: Role
  readonly created_by: string | null
  readonly livemode: boolean
  readonly verification: string
}

/** API keys in PostgreSQL, found by digest and kept a few seconds, unknown ones too. */
export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const load = Effect.fn("PgApiKeys.load")(function* (digest: string) {
      const [row] = yield* sql<KeyRow>`SELECT k.organization_id, k.id, k.role, k.created_by, k.livemode, o.verification
        FROM api_keys k JOIN organizations o ON o.id = k.organization_id
        WHERE k.digest = ${digest} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`
      if (row === undefined) return undefined
      const { created_by, id, livemode, organization_id, role, verification } = row
      return {
        organizationId: organization_id,
        id,
        role,
        createdBy: created_by,
        livemode,
        isVerified: verification === "VERIFIED"
      } satisfies ApiKey
    }, orUnavailable)

    const cache = yield* Cache.makeWith(load, {
      capacity: 10_000,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero)
    })
    return ApiKeys.of({ find: (key) => Cache.get(cache, apiKeyDigest(key)) })
  })
)
