import { createHash } from "node:crypto"
import { type ArtifactKey, type ArtifactPayload, OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../../signing/Vault.ts"
import { makeBeyond } from "../organizations/beyondTenant.ts"

/** Models whose id opens something by itself. */
const secretModels: ReadonlySet<string> = new Set([
  "AccessToken",
  "AuthorizationCode",
  "InitialAccessToken",
  "RefreshToken",
  "RegistrationAccessToken"
])

/** How an artifact is named in the table: 256 or more random bits need no slow digest. */
export const storedId = ({ id, model }: ArtifactKey): string =>
  secretModels.has(model) ? createHash("sha256").update(id).digest("hex") : id

interface ArtifactRow {
  readonly id: string
  readonly payload: ArtifactPayload
  readonly consumed_at: Date | null
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Where a client's secret is sealed for. */
const placeOf = ({ id, model }: ArtifactKey) => `oauth_artifact ${model} ${id}`

/** The artifacts of the authorization server in PostgreSQL. */
export const layer = Layer.effect(
  OauthArtifacts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* makeVault
    const beyond = yield* makeBeyond

    /** Without the token, which is the id; with the client's secret sealed. */
    const stored = (key: ArtifactKey, payload: ArtifactPayload): ArtifactPayload => {
      const { client_secret: secret, jti, ...rest } = payload
      return {
        ...rest,
        ...(jti === undefined || secretModels.has(key.model) ? {} : { jti }),
        ...(typeof secret === "string" ? { client_secret: vault.seal(Redacted.make(secret), placeOf(key)) } : {})
      }
    }

    const opened = Effect.fnUntraced(function* (key: ArtifactKey, { consumed_at, payload }: ArtifactRow) {
      const { client_secret: sealed } = payload
      // A secret that no key opens any more is a mistake of the installation, not of who asks.
      const secret = typeof sealed === "string" ? yield* Effect.orDie(vault.open(sealed, placeOf(key))) : undefined
      return {
        ...payload,
        ...(secretModels.has(key.model) ? { jti: key.id } : {}),
        ...(secret === undefined ? {} : { client_secret: Redacted.value(secret) }),
        ...(consumed_at === null ? {} : { consumed: Math.floor(consumed_at.getTime() / 1000) })
      }
    })

    return OauthArtifacts.of({
      put: Effect.fn("PgOauthArtifacts.put")(function* (key, payload, ttlSeconds) {
        const json = JSON.stringify(stored(key, payload))
        yield* sql`INSERT INTO oauth_artifact (model, id, grant_id, uid, payload, expires_at)
          VALUES (${key.model}, ${storedId(key)}, ${textOrNull(payload.grantId)}, ${textOrNull(payload.uid)},
            ${json}::jsonb, now() + ${ttlSeconds ?? null}::float8 * interval '1 second')
          ON CONFLICT (model, id) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid,
            payload = excluded.payload, expires_at = excluded.expires_at`
      }, beyond),
      find: Effect.fn("PgOauthArtifacts.find")(function* (key) {
        const [row] = yield* sql<ArtifactRow>`SELECT id, payload, consumed_at FROM oauth_artifact
          WHERE model = ${key.model} AND id = ${storedId(key)} AND (expires_at IS NULL OR expires_at > now())`
        return row === undefined ? undefined : yield* opened(key, row)
      }, beyond),
      findByUid: Effect.fn("PgOauthArtifacts.findByUid")(function* (model, uid) {
        const [row] = yield* sql<ArtifactRow>`SELECT id, payload, consumed_at FROM oauth_artifact
          WHERE model = ${model} AND uid = ${uid} AND (expires_at IS NULL OR expires_at > now())
          ORDER BY created_at DESC LIMIT 1`
        return row === undefined ? undefined : yield* opened({ model, id: row.id }, row)
      }, beyond),
      consume: Effect.fn("PgOauthArtifacts.consume")(function* (key) {
        // Read and marked in one statement: between two of them another request would pass.
        const consumed = yield* sql`UPDATE oauth_artifact SET consumed_at = now()
          WHERE model = ${key.model} AND id = ${storedId(key)} AND consumed_at IS NULL RETURNING 1`
        return consumed.length === 1
      }, beyond),
      remove: Effect.fn("PgOauthArtifacts.remove")(function* (key) {
        const removed = yield* sql`DELETE FROM oauth_artifact
          WHERE model = ${key.model} AND id = ${storedId(key)} RETURNING 1`
        return removed.length === 1
      }, beyond),
      removeOfGrant: Effect.fn("PgOauthArtifacts.removeOfGrant")(function* (model, grantId) {
        yield* sql`DELETE FROM oauth_artifact WHERE model = ${model} AND grant_id = ${grantId}`
      }, beyond),
      endGrant: Effect.fn("PgOauthArtifacts.endGrant")(function* (grantId) {
        yield* sql`DELETE FROM oauth_artifact WHERE grant_id = ${grantId} OR (model = 'Grant' AND id = ${grantId})`
      }, beyond)
    })
  })
)
