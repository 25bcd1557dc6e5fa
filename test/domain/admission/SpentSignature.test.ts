import { assert, describe, it } from "@effect/vitest"
import { judgeUse, type SignatureUse } from "@sarraf/domain/admission/SpentSignature"
import { Schema } from "effect"

const first: SignatureUse = {
  target: "POST /pf/v1/payments/txn_a/capture",
  operation: "capture",
  idempotencyKey: "key-1",
  usedAt: 1_000_000
}

const onOther = "POST /pf/v1/payments/txn_b/capture"
const refund = { target: "POST /pf/v1/payments/txn_a/refund", operation: "refund" }
const read = { target: "GET /pf/v1/payments/txn_a", operation: "read" }

const fiveMinutes = 5 * 60_000

/** Contract section 3, "Spent signatures", one row a sentence. */
const cases: ReadonlyArray<readonly [string, SignatureUse | undefined, Partial<SignatureUse>, string]> = [
  ["is fresh the first time", undefined, {}, "fresh"],
  ["is a retry on the same target with the same key", first, {}, "retry"],
  ["is a retry however late", first, { usedAt: first.usedAt + fiveMinutes }, "retry"],
  ["is a retry without the key that the first use had", first, { idempotencyKey: null }, "retry"],
  ["is under another key on the same target", first, { idempotencyKey: "key-2" }, "otherKey"],
  ["is under another key where the first had none", { ...first, idempotencyKey: null }, {}, "otherKey"],
  ["is a retry where neither has a key", { ...first, idempotencyKey: null }, { idempotencyKey: null }, "retry"],
  ["is accepted on another payment at the same time", first, { target: onOther }, "accepted"],
  ["is accepted there with another key", first, { target: onOther, idempotencyKey: "key-2" }, "accepted"],
  ["is accepted there at exactly two seconds", first, { target: onOther, usedAt: first.usedAt + 2_000 }, "accepted"],
  ["is spent there a millisecond later", first, { target: onOther, usedAt: first.usedAt + 2_001 }, "spent"],
  ["is spent on another operation of the same payment at once", first, refund, "spent"],
  ["is spent on a write after a read at once", { ...first, ...read }, {}, "spent"],
  [
    "is spent on another read, which no two writes are",
    { ...first, ...read },
    { ...read, target: "GET /pf/v1/payments" },
    "spent"
  ],
  [
    "is accepted by a process whose clock is a little behind",
    first,
    { target: onOther, usedAt: first.usedAt - 50 },
    "accepted"
  ]
]

const Key = Schema.NullOr(Schema.Literals(["key-1", "key-2"]))
const Use = Schema.Struct({
  target: Schema.Literals(["a", "b", "c"]),
  operation: Schema.Literals(["capture", "refund", "void", "read"]),
  idempotencyKey: Key,
  usedAt: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
})

describe("A signature", () => {
  it.each(cases)("%s", (_, before, now, verdict) => {
    assert.strictEqual(judgeUse(before, { ...first, ...now }), verdict)
  })

  it.prop("serves a second target only for the same operation and within two seconds", [Use, Use], ([before, now]) => {
    const verdict = judgeUse(before, now)
    if (before.target === now.target) {
      assert.include(["retry", "otherKey"], verdict)
    } else {
      const isShared =
        before.operation === now.operation && now.operation !== "read" && now.usedAt - before.usedAt <= 2_000
      assert.strictEqual(verdict, isShared ? "accepted" : "spent")
    }
  })

  it.prop("is fresh only once", [Use, Use], ([before, now]) => {
    assert.notStrictEqual(judgeUse(before, now), "fresh")
    assert.strictEqual(judgeUse(undefined, now), "fresh")
  })
})
