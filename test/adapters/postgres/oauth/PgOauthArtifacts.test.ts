import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import * as PgOauthArtifacts from "@sarraf/adapters/postgres/oauth/PgOauthArtifacts"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const artifacts = PgOauthArtifacts.layer.pipe(Layer.provideMerge(Layer.merge(Database.layer, keys)))

const secretModels = [
  "AccessToken",
  "RefreshToken",
  "AuthorizationCode",
  "RegistrationAccessToken",
  "InitialAccessToken"
]
const plainModels = ["Session", "Interaction", "Grant", "Client"]

layer(artifacts)("PgOauthArtifacts", (it) => {
  it.effect("gives back what was put, in place of what was there before", () =>
    Effect.gen(function* () {
      const { find, put } = yield* OauthArtifacts
      for (const model of [...secretModels, ...plainModels]) {
        const key = { model, id: "same" }
        assert.isUndefined(yield* find(key), model)
        yield* put(key, { jti: "same", text: "first", list: [1, { a: null }] }, 60)
        assert.deepStrictEqual(yield* find(key), { jti: "same", text: "first", list: [1, { a: null }] }, model)
        yield* put(key, { jti: "same", text: "second" }, 60)
        assert.deepStrictEqual(yield* find(key), { jti: "same", text: "second" }, model)
      }
      assert.isUndefined(yield* find({ model: "Session", id: "other" }))
    })
  )

  it.effect("keeps of a token its digest alone, and of a client's secret nothing that can be read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { find, put } = yield* OauthArtifacts
      for (const model of secretModels) {
        const id = `opens something ${model}`
        yield* put({ model, id }, { jti: id, grantId: "digested" }, 60)
        const [row] = yield* sql<{ id: string; all: string }>`SELECT id, a::text AS all FROM oauth_artifact a
          WHERE model = ${model} AND grant_id = 'digested'`
        assert.strictEqual(row?.id, createHash("sha256").update(id).digest("hex"))
        assert.notInclude(row?.all, "opens something")
        assert.isUndefined(yield* find({ model, id: row?.id ?? "" }), "the digest opens nothing")
      }
      const client = { model: "Client", id: "confidential" }
      yield* put(client, { client_id: "confidential", client_secret: "very secret" }, undefined)
      const [row] = yield* sql<{ all: string }>`SELECT a::text AS all FROM oauth_artifact a WHERE id = 'confidential'`
      assert.notInclude(row?.all, "very secret")
      assert.deepStrictEqual(yield* find(client), { client_id: "confidential", client_secret: "very secret" })
    })
  )

  it.effect("finds nothing whose time is over, and what has no time always", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { find, findByUid, put } = yield* OauthArtifacts
      yield* put({ model: "Session", id: "late" }, { jti: "late", uid: "uid of late" }, 60)
      yield* put({ model: "Client", id: "forever" }, { client_id: "forever" }, undefined)
      assert.isDefined(yield* findByUid("Session", "uid of late"))
      yield* sql`UPDATE oauth_artifact SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`
      assert.isUndefined(yield* find({ model: "Session", id: "late" }))
      assert.isUndefined(yield* findByUid("Session", "uid of late"))
      assert.isDefined(yield* find({ model: "Client", id: "forever" }))
      yield* put({ model: "Session", id: "late" }, { jti: "late" }, -1)
      assert.isUndefined(yield* find({ model: "Session", id: "late" }))
    })
  )

  it.effect("finds by uid what has it now", () =>
    Effect.gen(function* () {
      const { findByUid, put } = yield* OauthArtifacts
      yield* put({ model: "Session", id: "moving" }, { jti: "moving", uid: "before" }, 60)
      yield* put({ model: "Session", id: "moving" }, { jti: "moving", uid: "after" }, 60)
      assert.isUndefined(yield* findByUid("Session", "before"))
      assert.deepStrictEqual(yield* findByUid("Session", "after"), { jti: "moving", uid: "after" })
      assert.isUndefined(yield* findByUid("Interaction", "after"))
    })
  )

  it.effect("lets one of many consume, and keeps what was consumed", () =>
    Effect.gen(function* () {
      const { consume, find, put } = yield* OauthArtifacts
      const key = { model: "AuthorizationCode", id: "contested" }
      yield* put(key, { jti: "contested", grantId: "g" }, 60)
      const results = yield* Effect.all(
        Array.from({ length: 20 }, () => consume(key)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter((isFirst) => isFirst).length, 1)
      const found = yield* find(key)
      assert.isNumber(found?.consumed)
      yield* put(key, { jti: "contested", grantId: "g" }, 60)
      assert.isFalse(yield* consume(key), "putting it again does not make it new")
      assert.isFalse(yield* consume({ model: "AuthorizationCode", id: "never there" }))
    })
  )

  it.effect("removes one, all of one model of a grant, and a grant with all that belongs to it", () =>
    Effect.gen(function* () {
      const { endGrant, find, put, remove, removeOfGrant } = yield* OauthArtifacts
      const isThere = (model: string, id: string) => Effect.map(find({ model, id }), (found) => found !== undefined)
      for (const grantId of ["one", "two"]) {
        yield* put({ model: "Grant", id: grantId }, { jti: grantId }, 60)
        for (const model of ["AccessToken", "RefreshToken", "AuthorizationCode"]) {
          yield* put({ model, id: `${grantId} a` }, { grantId }, 60)
          yield* put({ model, id: `${grantId} b` }, { grantId }, 60)
        }
      }
      const removals = Array.from({ length: 5 }, () => remove({ model: "AccessToken", id: "one a" }))
      const removed = yield* Effect.all(removals, { concurrency: "unbounded" })
      assert.strictEqual(removed.filter((isFirst) => isFirst).length, 1, "of several one has removed it")
      assert.isFalse(yield* isThere("AccessToken", "one a"))
      assert.isTrue(yield* isThere("AccessToken", "one b"))
      yield* removeOfGrant("AccessToken", "one")
      assert.isFalse(yield* isThere("AccessToken", "one b"))
      assert.isTrue(yield* isThere("RefreshToken", "one b"))
      assert.isTrue(yield* isThere("AccessToken", "two b"))
      yield* endGrant("one")
      assert.isFalse(yield* isThere("Grant", "one"))
      assert.isFalse(yield* isThere("RefreshToken", "one a"))
      assert.isTrue(yield* isThere("Grant", "two"))
      assert.isTrue(yield* isThere("AuthorizationCode", "two a"))
    })
  )
})
