import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { type OperationStatus, type OperationType, operationTransitions } from "@sarraf/domain/payments/Operation"
import { decide } from "@sarraf/domain/payments/OperationDecision"
import { Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { answered, apply, type PaymentEvent, rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { allowedOperations, paymentStatuses, releasesReference, statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, isSound, refundable } from "@sarraf/domain/payments/Sums"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { able } from "../routing/support/SampleCandidates.ts"
import { Moves, play } from "./support/History.ts"
import {
  accepted,
  authorized,
  begunEvent,
  begunOperation,
  carriedOut,
  noon,
  operation,
  request,
  settledOperation,
  type Told,
  tell,
  told
} from "./support/SamplePayment.ts"

const Amount = Schema.Literals([1n, 2n, 3n, 10_000n, 9_999_999_999n])

const answer = { responseCode: "05", fields: {} }
const refused = Refused({ code: "CARD_DECLINED", detail: "No.", answer, mayTryAnother: false, echo: {} })
const pending = Unknown({ reason: "no answer" })

/** Every state that a random history goes through, from a payment that was begun or already authorized. */
const histories = Arbitrary.all([
  Arbitrary.schema(Moves),
  Arbitrary.schema(Schema.Boolean),
  Arbitrary.schema(Amount)
]).pipe(
  Arbitrary.map(([moves, isAuthorized, minor]) => {
    const asked = request({ money: new Money({ currency: "EUR", minor }) })
    return play(moves, isAuthorized ? authorized(asked) : told(asked))
  })
)

const many = { arbitrary: { runs: 400 } }

const total = (payment: Payment, type: string, status: string) =>
  payment.operations
    .filter((one) => one.type === type && one.status === status)
    .reduce((sum, { minor }) => sum + minor, 0n)

describe("The sums of a payment", () => {
  it.prop(
    "stay sound after whatever happens",
    [histories],
    ([states]) => {
      for (const { payment } of states) assert.isTrue(isSound(payment.sums), JSON.stringify(payment.sums, String))
    },
    many
  )

  it.prop(
    "are those of its operations",
    [histories],
    ([states]) => {
      for (const { payment } of states) {
        const { authorized: whole, captured, capturePending, refunded, refundPending, released } = payment.sums
        assert.strictEqual(whole, payment.authorization === "AUTHORIZED" ? payment.money.minor : 0n)
        assert.strictEqual(captured, total(payment, "CAPTURE", "SUCCEEDED"))
        assert.strictEqual(capturePending, total(payment, "CAPTURE", "PENDING"))
        assert.strictEqual(refunded, total(payment, "REFUND", "SUCCEEDED"))
        assert.strictEqual(refundPending, total(payment, "REFUND", "PENDING"))
        assert.strictEqual(whole, captured + capturePending + released + capturable(payment.sums))
        assert.isTrue(0n <= refunded && refunded <= captured && captured <= whole)
        const left = captured - refunded - refundPending - payment.sums.disputed
        assert.strictEqual(refundable(payment.sums), left > 0n ? left : 0n)
      }
    },
    many
  )

  it.prop(
    "never give back to the card holder more than was captured, counting what is under way",
    [histories],
    ([states]) => {
      for (const { payment } of states) {
        assert.isTrue(payment.sums.refunded + payment.sums.refundPending <= payment.sums.captured)
      }
    }
  )
})

/** Contract section 4, "Status, first match", in its own words. A capture under way still holds the authorization. */
const contractStatus = ({ authorization, lapsed, sums }: Payment): string => {
  if (authorization !== "AUTHORIZED" && authorization !== "VOIDED") return authorization
  const isLeft = capturable(sums) > 0n
  if (sums.captured === 0n) return isLeft || sums.capturePending > 0n ? "AUTHORIZED" : lapsed ? "EXPIRED" : "VOIDED"
  if (sums.refunded === 0n) return sums.captured === sums.authorized ? "CAPTURED" : "PARTIALLY_CAPTURED"
  return sums.refunded === sums.captured && !isLeft ? "REFUNDED" : "PARTIALLY_REFUNDED"
}

describe("An operation", () => {
  const ended = { PENDING: pending, SUCCEEDED: accepted(), FAILED: refused } as const

  it.each(
    ["CAPTURE", "REFUND", "VOID"].flatMap((type) =>
      Object.keys(ended).flatMap((from) => Object.keys(ended).map((to) => [type, from, to] as const))
    ) as ReadonlyArray<readonly [OperationType, OperationStatus, OperationStatus]>
  )("of the type %s that is %s becomes %s only where its table says so, and else changes nothing", (type, from, to) => {
    const captured = carriedOut(authorized(), operation({ id: "op_0", minor: 6_000n, final: false }))
    const one = operation({ id: "op_1", type, minor: 1_000n, final: false })
    const before = tell(captured, begunOperation(one), settledOperation(one, ended[from])).payment
    const { payment: after } = tell({ payment: before, events: [] }, settledOperation(one, ended[to]))
    const commands: Readonly<Record<string, OperationStatus>> = operationTransitions[from]
    const isPossible = from === "PENDING" || Object.values(commands).includes(to)
    assert.strictEqual(after.operations[1]?.status, isPossible ? to : from)
    if (!isPossible) assert.deepStrictEqual(after.sums, before.sums)
    assert.isTrue(isSound(after.sums))
  })
})

describe("statusOf", () => {
  it.prop(
    "is the contract's status after whatever happens",
    [histories],
    ([states]) => {
      for (const { payment } of states) {
        assert.strictEqual(statusOf(payment), contractStatus(payment))
      }
    },
    many
  )

  it.effect("is every status there is somewhere in those histories", () =>
    Effect.gen(function* () {
      const drawn = yield* Arbitrary.sampleEffect(histories, { count: 400, size: 30, seed: 1 })
      const seen = new Set(drawn.flat().map(({ payment }) => statusOf(payment)))
      assert.sameMembers([...seen], [...paymentStatuses])
    })
  )

  it.each([
    ["captured in part, all of that refunded, the rest still capturable", 6_000n, false, 6_000n, "PARTIALLY_REFUNDED"],
    ["captured in part, all of that refunded, the rest released", 6_000n, true, 6_000n, "REFUNDED"],
    ["captured whole, all of it refunded", 10_000n, true, 10_000n, "REFUNDED"],
    ["captured whole, a part refunded", 10_000n, true, 1n, "PARTIALLY_REFUNDED"]
  ] as const)("of a payment that is %s", (_, captured, final, refunded, status) => {
    const before = carriedOut(authorized(), operation({ id: "op_1", minor: captured, final }))
    const { payment } = carriedOut(before, operation({ id: "op_2", type: "REFUND", minor: refunded }))
    assert.strictEqual(statusOf(payment), status)
  })

  it("gives the merchantReference free in the four statuses without money", () => {
    assert.deepStrictEqual(paymentStatuses.filter(releasesReference), ["VOIDED", "EXPIRED", "DECLINED", "FAILED"])
  })
})

describe("allowedOperations", () => {
  it.prop("names exactly the operations that may be begun", [histories], ([states]) => {
    for (const { payment } of states) {
      for (const type of ["CAPTURE", "REFUND", "VOID"] as const) {
        const isAllowed = allowedOperations(payment).includes(type)
        assert.strictEqual(Result.isSuccess(decide(payment, { type }, able)), isAllowed, `${statusOf(payment)} ${type}`)
      }
    }
  })
})

describe("The events of a payment", () => {
  it.prop("make its state", [histories], ([states]) => {
    for (const { events, payment } of states) assert.deepStrictEqual(rebuild(events), payment)
  })

  it.prop("number its versions and date its last change", [histories], ([states]) => {
    for (const { events, payment } of states) {
      assert.strictEqual(payment.version, events.length)
      assert.strictEqual(payment.updatedAt, events.at(-1)?.at)
    }
  })

  it.prop("never change what was asked for", [histories], ([states]) => {
    for (const { payment } of states) assert.deepInclude(payment, request({ money: payment.money }))
  })

  it("make nothing unless the first is a beginning", () => {
    assert.isUndefined(rebuild([]))
    assert.isUndefined(rebuild([{ type: "authorization.lapsed", at: noon }, begunEvent()]))
  })

  it("leave a state alone, whose copy is changed", () => {
    const { payment } = authorized()
    const before = structuredClone({ ...payment, money: undefined })
    apply(payment, begunOperation(operation()))
    assert.deepEqual({ ...payment, money: undefined }, before)
  })

  it("keep the notes of an attempt that its end adds to", () => {
    const begun = tell(told(), { type: "payment.noted", at: noon, attempt: 1, notes: { session: "s-1" } })
    const attempt = lastAttempt(begun.payment)
    assert.deepStrictEqual(attempt?.notes, { session: "s-1" })
    const { payment } = tell(begun, {
      type: "authorization.settled",
      at: noon,
      by: "request",
      command: "authorize",
      result: { ...(attempt ?? assert.fail()), outcome: "Accepted", notes: { batch: "7" } },
      error: null,
      expiresAt: null
    })
    assert.deepStrictEqual(lastAttempt(payment)?.notes, { session: "s-1", batch: "7" })
  })
})

/** What ends a payment's own request with a word that stays: everything but a challenge and what is not known. */
const finalCommands = ["authorize", "decline", "fail", "void"]

const finalWord = (events: ReadonlyArray<PaymentEvent>, operationId: string | null): number =>
  operationId === null
    ? events.findIndex(
        (event, index) =>
          event.type === "authorization.settled" &&
          event.by === "request" &&
          finalCommands.includes(event.command ?? "") &&
          // The word that a later void brought is the void's, and the reconciler's is nobody's.
          !events.slice(0, index).some(({ type }) => type === "operation.begun" || type === "authorization.settled")
      )
    : events.findIndex(
        (event) =>
          event.type === "operation.settled" &&
          event.by === "request" &&
          event.result.id === operationId &&
          event.result.status !== "PENDING"
      )

const told3DS = (): Told => {
  const begun = told(request({ is3DS: true }))
  const result = {
    ...(lastAttempt(begun.payment) ?? assert.fail()),
    completedAt: noon,
    outcome: "ActionRequired"
  } as const
  const challenged: PaymentEvent = {
    type: "authorization.settled",
    at: noon + 1_000,
    by: "request",
    command: "challenge",
    result,
    error: null,
    expiresAt: null
  }
  return tell(begun, challenged)
}

describe("answered", () => {
  it.prop(
    "is the state right after the request's own final word, and undefined without one",
    [histories],
    ([states]) => {
      const { events, payment } = states.at(-1) ?? told()
      for (const id of [null, ...payment.operations.map((one) => one.id), "op_of_another"]) {
        const index = finalWord(events, id)
        const expected = index < 0 ? undefined : rebuild(events.slice(0, index + 1))
        assert.deepStrictEqual(answered(events, id), expected)
      }
    },
    many
  )

  it("is the authorized payment for a repeated authorization, however much has happened since", () => {
    const first = authorized()
    const later = carriedOut(first, operation())
    assert.deepStrictEqual(answered(later.events, null), first.payment)
    assert.strictEqual(statusOf(later.payment), "CAPTURED")
  })

  it("is the present state for a request that ended in a challenge, which is no final word", () => {
    assert.isUndefined(answered(told3DS().events, null))
  })

  it("is the present state where a crash ended the request, and a later void the payment", () => {
    const begun = told()
    const cancel = operation({ type: "VOID" })
    const voiding = tell(begun, begunOperation(cancel))
    const result = { ...(lastAttempt(begun.payment) ?? assert.fail()), completedAt: noon, outcome: "Accepted" } as const
    const ended: PaymentEvent = {
      type: "authorization.settled",
      at: noon + 60_000,
      by: "request",
      command: "void",
      result,
      error: null,
      expiresAt: null
    }
    const voided = tell(voiding, ended, settledOperation(cancel, accepted()))
    assert.isUndefined(answered(voided.events, null))
    assert.deepStrictEqual(answered(voided.events, cancel.id), voided.payment)
  })

  it("is the present state for a capture that ended without a word", () => {
    const open = tell(authorized(), begunOperation(operation()))
    assert.isUndefined(answered(open.events, operation().id))
    const done = tell(open, settledOperation(operation(), accepted()))
    assert.strictEqual(answered(done.events, operation().id)?.sums.captured, 10_000n)
  })
})
