import { createHash } from "node:crypto"
import { type ApiKey, ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import type { Role } from "@sarraf/domain/organizations/Caller"
import { Clock, Context, Effect, FiberSet, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { remembered } from "./organizations/rememberedCredentials.ts"
import { orUnavailable } from "./orUnavailable.ts"

/** The last use of a key is written down once in this time. */
const notedMillis = 60_000
/** Keys whose last use is remembered; beyond, it is written down again. */
const notedMax = 10_000

/** What is kept of a key or a token: SHA-256 in lower-case hex. It is 256 random bits, so its digest need not be slow. */
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

/** What this process remembers of keys. */
export class RememberedApiKeys extends Context.Service<
  RememberedApiKeys,
  { forget(organizationId: string): Effect.Effect<void> }
>()("@sarraf/adapters/postgres/PgApiKeys/RememberedApiKeys") {}

/** Writes down beside the request when a key was last used. */
const makeUses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  const noted = new Map<string, number>()
  const write = ({ id, organizationId }: ApiKey) =>
    sql`UPDATE api_keys SET last_used_at = now() WHERE organization_id = ${organizationId} AND id = ${id}
      AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`.pipe(
      // The next use is written down.
      Effect.catchCause((cause) => Effect.logDebug("The last use of an API key could not be written down", cause)),
      Effect.asVoid
    )
  return (key: ApiKey) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const name = `${key.organizationId} ${key.id}`
      const before = noted.get(name)
      if (before !== undefined && now - before < notedMillis) return
      if (noted.size >= notedMax) noted.clear()
      noted.set(name, now)
      fork(write(key))
    })
})

/** API keys in PostgreSQL, found by digest and kept a few seconds, unknown ones too. */
export const layer = Layer.effectContext(
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

    const { forget, get } = yield* remembered(load)
    const note = yield* makeUses
    const find = Effect.fnUntraced(function* (key: Redacted.Redacted<string>) {
      const found = yield* get(apiKeyDigest(key))
      if (found !== undefined) yield* note(found)
      return found
    })
    return Context.make(ApiKeys, ApiKeys.of({ find })).pipe(Context.add(RememberedApiKeys, { forget }))
  })
)
