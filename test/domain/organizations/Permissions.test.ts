import { assert, describe, it } from "@effect/vitest"
import { Caller, Role, roles } from "@sarraf/domain/organizations/Caller"
import { actions, countsAs, permitted, reachOf, rolesWith } from "@sarraf/domain/organizations/Permissions"
import { Effect } from "effect"

const rank = { own: 1, decidable: 2, all: 3 } as const
const ladder = ["MEMBER", "APPROVER", "ADMIN", "OWNER"] as const

describe("The permission table", () => {
  it("gives each role of the ladder at least what the one below it has", () => {
    for (const action of actions) {
      const reaches = ladder.map((role) => {
        const reach = reachOf(role, action)
        return reach === undefined ? 0 : rank[reach]
      })
      assert.deepStrictEqual(reaches, [...reaches].sort(), action)
    }
  })

  it("lets an AUDITOR write nothing of the organization's", () => {
    const ownThings = ["session.manage", "assistantToken.manage", "assistantConnection.manage"]
    const writing = actions.filter((action) => !action.endsWith(".read") && !ownThings.includes(action))
    assert.isAbove(writing.length, 5)
    for (const action of writing) {
      if (action === "policy.evaluate") continue
      assert.isUndefined(reachOf("AUDITOR", action), action)
    }
  })

  it.effect("is what the guard goes by", () =>
    Effect.gen(function* () {
      for (const role of roles) {
        for (const action of actions) {
          const asked = permitted(action).pipe(
            Effect.provideService(Caller, {
              organizationId: "org_1",
              role,
              name: "user:usr_1",
              kind: "user",
              userId: "usr_1",
              createdBy: null
            }),
            Effect.result
          )
          const answer = yield* asked
          if (answer._tag === "Success") assert.strictEqual(answer.success.reach, reachOf(role, action))
          else
            assert.deepStrictEqual(
              [answer.failure.needed, rolesWith(action).includes(role)],
              [rolesWith(action), false]
            )
        }
      }
    })
  )

  it.prop(
    "counts a role as itself and as those below it, and an AUDITOR as itself alone",
    [Role, Role],
    ([has, wants]) => {
      const below = has !== "AUDITOR" && wants !== "AUDITOR" && ladder.indexOf(has) >= ladder.indexOf(wants)
      assert.strictEqual(countsAs(has, [wants]), has === wants || below)
    }
  )
})
