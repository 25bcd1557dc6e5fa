import { OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Effect } from "effect"
import { type AdapterFactory, errors } from "oidc-provider"
import { unstorablePath } from "../auth/unstorableText.ts"

/** What no id of ours is, and PostgreSQL does not take. */
const isNoId = (id: string) => !id.isWellFormed() || id.includes("\u0000")

/** The library answers with its status: nothing has happened, and the same can be done again. */
class DatabaseAway extends Error {
  readonly statusCode = 503
}

export const isDatabaseAway = (error: unknown): boolean => error instanceof DatabaseAway

export const orLater = <A>(effect: Effect.Effect<A, Unavailable>): Effect.Effect<A, DatabaseAway> =>
  Effect.mapError(effect, () => new DatabaseAway("The database is away"))

/** The library's way to its artifacts. */
export const makeArtifactAdapter: Effect.Effect<AdapterFactory, never, OauthArtifacts> = Effect.gen(function* () {
  const artifacts = yield* OauthArtifacts
  const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
  const run = <A>(effect: Effect.Effect<A, Unavailable>) => runPromise(orLater(effect))
  return (model) => ({
    upsert: async (id, payload, expiresIn) => {
      if (unstorablePath(JSON.stringify(payload)) !== undefined) {
        throw new errors.InvalidRequest("texts must not contain U+0000 or half of a surrogate pair")
      }
      await run(artifacts.put({ model, id }, { ...payload }, expiresIn))
    },
    find: async (id) => (isNoId(id) ? undefined : run(artifacts.find({ model, id }))),
    findByUid: (uid) => run(artifacts.findByUid(model, uid)),
    // Only devices without a keyboard have user codes, and that flow is off.
    findByUserCode: async () => undefined,
    consume: async (id) => {
      const isFirst = await run(artifacts.consume({ model, id }))
      if (!isFirst) throw new errors.InvalidGrant("already consumed")
    },
    destroy: async (id) => {
      const isFirst = await run(artifacts.remove({ model, id }))
      // A sign-in is gone on with once: of two requests at the same time the library would give both a code.
      if (!isFirst && model === "Interaction") throw new errors.SessionNotFound("interaction session not found")
    },
    revokeByGrantId: (grantId) => run(artifacts.removeOfGrant(model, grantId))
  })
})
