import { assert, describe, it } from "@effect/vitest"
import {
  type AuthorizationCommand,
  type AuthorizationState,
  afterCommand,
  authorizationTransitions
} from "@sarraf/domain/payments/AuthorizationState"
import { Schema } from "effect"

/** Contract section 4: what PENDING and REQUIRES_ACTION become, and that the rest is decided by the sums alone. */
const stated: Readonly<Record<string, AuthorizationState>> = {
  "PENDING authorize": "AUTHORIZED",
  "PENDING challenge": "REQUIRES_ACTION",
  "PENDING decline": "DECLINED",
  "PENDING fail": "FAILED",
  "PENDING void": "VOIDED",
  "REQUIRES_ACTION authorize": "AUTHORIZED",
  "REQUIRES_ACTION await": "PENDING",
  "REQUIRES_ACTION decline": "DECLINED",
  "REQUIRES_ACTION fail": "FAILED",
  "REQUIRES_ACTION void": "VOIDED"
}

const State = Schema.Literals(["PENDING", "REQUIRES_ACTION", "AUTHORIZED", "DECLINED", "FAILED", "VOIDED"])
const Command = Schema.Literals(["authorize", "challenge", "await", "decline", "fail", "void"])

describe("afterCommand", () => {
  it.prop("succeeds exactly where the table says so", [State, Command], ([state, command]) => {
    const row: Partial<Record<AuthorizationCommand, AuthorizationState>> = authorizationTransitions[state]
    assert.strictEqual(afterCommand(state, command), row[command])
  })

  it("leads where the contract says, and nowhere else", () => {
    for (const state of State.literals) {
      for (const command of Command.literals) {
        assert.strictEqual(afterCommand(state, command), stated[`${state} ${command}`], `${state} ${command}`)
      }
    }
  })

  it("leaves no state that has ended", () => {
    for (const state of ["AUTHORIZED", "DECLINED", "FAILED", "VOIDED"] as const) {
      assert.deepStrictEqual(Object.keys(authorizationTransitions[state]), [])
    }
  })
})
