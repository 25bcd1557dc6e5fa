import { assert, describe, it } from "@effect/vitest"
import { AssistantConnections } from "@sarraf/domain/assistants/AssistantConnections"
import { type ConnectionRecord, ConnectionStore } from "@sarraf/domain/assistants/ConnectionStore"
import { OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const record = (id: string, userId: string): ConnectionRecord => ({
  id,
  userId,
  clientId: "https://claude.ai/client.json",
  clientName: "Claude",
  redirectHost: "claude.ai",
  createdAt: 0,
  expiresAt: 1,
  lastUsedAt: null
})

/** Stores that remember what was asked of them. */
const arrange = () => {
  const kept = new Map<string, readonly [grantId: string, record: ConnectionRecord]>([
    ["mcpc_a", ["grant_a", record("mcpc_a", "usr_a")]],
    ["mcpc_b", ["grant_b", record("mcpc_b", "usr_b")]]
  ])
  const entries: Array<AuditEntry & { readonly actor: string }> = []
  const ended: Array<string> = []
  const store = Layer.mock(ConnectionStore, {
    insert: (grantId, one) => Effect.sync(() => void kept.set(one.id, [grantId, one])),
    find: (id) => Effect.sync(() => kept.get(id)?.[1]),
    list: (userId) =>
      Effect.sync(() => {
        const items = [...kept.values()].map(([, one]) => one)
        return { items: items.filter((one) => userId === undefined || one.userId === userId), hasMore: false }
      }),
    revoke: (id) =>
      Effect.sync(() => {
        const grantId = kept.get(id)?.[0]
        kept.delete(id)
        return grantId
      }),
    ofGrant: (grantId) =>
      Effect.sync(() => {
        const found = [...kept.values()].find(([grant]) => grant === grantId)?.[1]
        return found === undefined
          ? undefined
          : { organizationId: "org", id: found.id, userId: found.userId, isOpen: true, livemode: false }
      })
  })
  const layer = AssistantConnections.layer.pipe(
    Layer.provide([
      store,
      Layer.mock(OauthArtifacts, { endGrant: (grantId) => Effect.sync(() => void ended.push(grantId)) }),
      Layer.mock(AuditTrail, {
        append: (entry) => Effect.map(Caller, ({ name }) => void entries.push({ ...entry, actor: name }))
      }),
      Layer.mock(Identifiers, { next: (prefix) => Effect.succeed(`${prefix}_new`) }),
      Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect })
    ])
  )
  return { ended, entries, kept, layer }
}

const as = (role: Role, userId: string | null) =>
  Effect.provideService(Caller, {
    organizationId: "org",
    role,
    name: userId === null ? "key:k" : `user:${userId}`,
    kind: userId === null ? "key" : "user",
    userId,
    createdBy: null
  })
const page = { limit: 25, after: undefined }

describe("AssistantConnections", () => {
  it.effect("shows a person theirs and the OWNER all of them", () => {
    const { layer } = arrange()
    return Effect.gen(function* () {
      const { list } = yield* AssistantConnections
      const ids = (role: Role, userId: string | null) =>
        Effect.map(as(role, userId)(list(page)), ({ items }) => items.map(({ id }) => id))
      for (const role of ["MEMBER", "APPROVER", "ADMIN", "AUDITOR"] as const) {
        assert.deepStrictEqual(yield* ids(role, "usr_a"), ["mcpc_a"], role)
      }
      assert.deepStrictEqual(yield* ids("OWNER", "usr_c"), ["mcpc_a", "mcpc_b"])
      assert.deepStrictEqual(yield* ids("OWNER", null), ["mcpc_a", "mcpc_b"])
      assert.strictEqual((yield* Effect.flip(ids("ADMIN", null)))._tag, "Forbidden")
    }).pipe(Effect.provide(layer))
  })

  it.effect("revokes with grant and tokens, once, and audits it", () => {
    const { ended, entries, layer } = arrange()
    return Effect.gen(function* () {
      const { revoke } = yield* AssistantConnections
      const refused = yield* Effect.flip(as("ADMIN", "usr_a")(revoke("mcpc_b")))
      assert.strictEqual(refused._tag, "NotFound", "another person's is like none")
      assert.deepStrictEqual(ended, [])
      yield* as("MEMBER", "usr_a")(revoke("mcpc_a"))
      yield* as("OWNER", "usr_c")(revoke("mcpc_b"))
      assert.deepStrictEqual(ended, ["grant_a", "grant_b"])
      assert.strictEqual((yield* Effect.flip(as("OWNER", "usr_c")(revoke("mcpc_b"))))._tag, "NotFound")
      assert.deepStrictEqual(
        entries.map(({ action, actor, subject }) => [action, actor, subject.id]),
        [
          ["assistant_connection.revoked", "user:usr_a", "mcpc_a"],
          ["assistant_connection.revoked", "user:usr_c", "mcpc_b"]
        ]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("opens one for 90 days in the name of the person, audited, and none for a key", () => {
    const { entries, kept, layer } = arrange()
    const connection = { grantId: "grant_new", clientId: "c", clientName: "Claude", redirectHost: "claude.ai" }
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { open } = yield* AssistantConnections
      const made = yield* as("AUDITOR", "usr_a")(open(connection))
      assert.deepInclude(made, { id: "mcpc_new", userId: "usr_a", createdAt: 1_000, expiresAt: 7_776_001_000 })
      assert.strictEqual(kept.get("mcpc_new")?.[0], "grant_new")
      assert.deepStrictEqual(
        entries.map(({ action, after }) => [action, after]),
        [
          [
            "assistant_connection.created",
            { user_id: "usr_a", client_id: "c", client_name: "Claude", redirect_host: "claude.ai" }
          ]
        ]
      )
      assert.strictEqual((yield* Effect.flip(as("OWNER", null)(open(connection))))._tag, "Forbidden")
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends the one of a grant for a reason that the trail tells, and is silent where there is none", () => {
    const { ended, entries, layer } = arrange()
    return Effect.gen(function* () {
      const { end } = yield* AssistantConnections
      yield* end("grant_a", "refresh token used twice")
      yield* end("grant_a", "refresh token used twice")
      yield* end("grant of nobody", "code used twice")
      assert.deepStrictEqual(ended, ["grant_a"])
      assert.deepStrictEqual(
        entries.map(({ actor, detail }) => [actor, detail]),
        [["system", { reason: "refresh token used twice" }]]
      )
    }).pipe(Effect.provide(layer))
  })
})
