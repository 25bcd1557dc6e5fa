import { assert, describe, it } from "@effect/vitest"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Authorization, Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Answer } from "../answers.ts"
import type { Elements } from "../xml.ts"
import {
  answered,
  approved,
  authorization,
  historyRow,
  recordOf,
  reference,
  refusedWith,
  terminalAnswering
} from "./Sample.ts"

const ask = (answers: ReadonlyArray<Answer>, changes: Partial<Authorization> = {}) =>
  terminalAnswering(...answers).terminal.query(authorization({ providerReference: null, ...changes }))

const inShort = (finding: Finding): string => {
  if (finding._tag !== "Found") return finding._tag
  const { stage, settled, capturedMinor, refundedMinor, providerReference, code, echo } = finding
  return [stage, settled, capturedMinor, refundedMinor, providerReference, echo.minor, echo.currency, code]
    .join(" ")
    .trim()
}

const preauth = "preauth 00 00 1001 N - 1"
const postauth = "postauth 00 00 900 N - 2"
const settled = "postauth 00 00 900 Y - 2"

/** Status, history (type, status, code, amount, settlement, void date, number), and what they make of the order. */
const table: ReadonlyArray<readonly [status: string, rows: ReadonlyArray<string>, expected: string]> = [
  ["WAITINGPOSTAUTH", [preauth], "AUTHORIZED  0 0 1 1001 TRY"],
  ["WAITINGPOSTAUTH", ["preauth 01 51 1001 N - 9", preauth], "AUTHORIZED  0 0 1 1001 TRY"],
  ["WAITINGPOSTAUTH", ["preauth 00 00 0 N - 1"], "AUTHORIZED  0 0 1  TRY"],
  ["APPROVED", [preauth, postauth], "CAPTURED false 900 0 2  TRY"],
  ["APPROVED", [preauth, settled], "CAPTURED true 900 0 2  TRY"],
  ["APPROVED", [preauth, "postauth 00 00 900 - - 2"], "CAPTURED  900 0 2  TRY"],
  ["APPROVED", [preauth, "postauth 00 00 0 N - 2"], "CAPTURED false  0 2  TRY"],
  ["APPROVED", ["sales 00 00 900 N - 2"], "CAPTURED false 900 0 2  TRY"],
  ["APPROVED", [preauth, settled, "refund 00 00 400 N - 3"], "CAPTURED true 900 400 2  TRY"],
  ["APPROVED", [preauth, settled, "refund 00 00 400 Y - 3", "refund 00 00 500 N - 4"], "CAPTURED true 900 900 2  TRY"],
  ["APPROVED", [preauth, settled, "refund 01 92 600 N - 3"], "CAPTURED true 900 0 2  TRY"],
  [
    "APPROVED",
    [preauth, settled, "refund 00 00 400 N 20260116 3", "void 00 00 400 N - 4"],
    "CAPTURED true 900 0 2  TRY"
  ],
  ["APPROVED", [preauth, settled, "refund 00 00 0 N - 3"], "CAPTURED true 900  2  TRY"],
  ["WAITINGPOSTAUTH", ["preauth 00 00 1001 N 20260115 1", "void 00 00 1001 N - 3"], "VOIDED  0 0 1  TRY"],
  ["WAITINGPOSTAUTH", [preauth, "void 00 00 1001 N - 3"], "VOIDED  0 0 1  TRY"],
  ["WAITINGPOSTAUTH", ["preauth 00 00 1001 N 20260115 1"], "VOIDED  0 0 1  TRY"],
  ["APPROVED", [preauth, "postauth 00 00 900 N 20260115 2", "void 00 00 900 N - 3"], "VOIDED  0 0 2  TRY"],
  ["", ["preauth 00 00 1001 N 20260115 1"], "VOIDED  0 0 1  TRY"],
  ["WAITINGPOSTAUTH", [preauth, "void 01 92 1001 N - 3"], "AUTHORIZED  0 0 1 1001 TRY"],
  ["DECLINED", ["preauth 01 51 1001 N - 1"], "DECLINED  0 0 1   INSUFFICIENT_FUNDS"],
  ["", ["preauth 01 05 1001 N - 1", "preauth 01 54 1001 N - 2"], "DECLINED  0 0 2   INVALID_CARD"],
  ["", ["preauth 01 92 1001 N - 1"], "DECLINED  0 0 1   PROVIDER_ERROR"],
  // A capture that came between the two answers.
  ["WAITINGPOSTAUTH", [preauth, postauth], "CAPTURED false 900 0 2  TRY"],
  // What contradicts itself or cannot be placed settles nothing.
  ["APPROVED", [preauth], "Unanswered"],
  ["APPROVED", ["preauth 01 51 1001 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 01 51 1001 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 00 05 1001 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 01 00 1001 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 02 00 1001 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 00 - 1001 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 00 00 10.01 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["preauth 00 00 -1 N - 1"], "Unanswered"],
  ["WAITINGPOSTAUTH", [preauth, "reversal 00 00 1001 N - 3"], "Unanswered"],
  ["APPROVED", [preauth, settled, "refund 00 00 400 N - 3", "void 00 00 400 N - 4"], "Unanswered"],
  ["WAITINGPOSTAUTH", ["refund 00 00 400 N - 3"], "Unanswered"],
  ["WAITINGPOSTAUTH", [], "Unanswered"]
]

describe("the record of an order", () => {
  for (const [Status, rows, expected] of table) {
    it.effect(`${Status || "no status"} with ${rows.join(", ") || "no history"} is ${expected}`, () =>
      Effect.gen(function* () {
        const answers = recordOf({ Status, RetrefNum: "8" }, rows.map(historyRow))
        assert.strictEqual(inShort(yield* ask(answers)), expected)
      })
    )
  }

  it.effect("names the order, the card's last four, and the order's own number in place of the inquiry's", () =>
    Effect.gen(function* () {
      const status = {
        Status: "WAITINGPOSTAUTH",
        RetrefNum: "7",
        AuthCode: "257762",
        CardNumberMasked: "428220******8015"
      }
      const rows = [{ ...historyRow(preauth), RetrefNum: "" }]
      const finding = yield* ask(recordOf({ ...status, CardHolderName: "UT** ER***" }, rows))
      assert(finding._tag === "Found")
      assert.deepStrictEqual(finding.echo, { reference, minor: 1001n, currency: "TRY", last4: "8015" })
      assert.strictEqual(finding.providerReference, "7")
      assert.deepStrictEqual(finding.answer.fields, {
        OrderID: reference,
        Source: "GVPS",
        Code: "00",
        Message: "Approved",
        Status: "WAITINGPOSTAUTH",
        RetrefNum: "7",
        AuthCode: "257762"
      })
    })
  )

  it.effect("is left open while the history cannot be had, is another order's, or is refused", () =>
    Effect.gen(function* () {
      const [status, history] = recordOf({ Status: "WAITINGPOSTAUTH" }, [historyRow(preauth)])
      assert(status !== undefined && history !== undefined)
      const others = [
        Effect.fail(new NoAnswer({ reason: "reset" })),
        answered(approved, {}, { OrderID: "OTHER" }),
        answered(refusedWith("0108")),
        answered(approved, {}, { OrderHistInqResult: "" }),
        answered(approved, {}, { OrderHistInqResult: { OrderTxnList: "" } })
      ]
      for (const other of others) assert.strictEqual((yield* ask([status, other]))._tag, "Unanswered")
      assert.strictEqual((yield* ask([status, history]))._tag, "Found")
    })
  )
})

const emptyInquiry: Elements = { Status: "", RetrefNum: "", CardNumberMasked: "null", AuthAmount: "0" }
const nothing = (reason: string, order: Elements = {}, response: Elements = {}) =>
  answered({ ...refusedWith(reason), ...response }, { RetrefNum: "" }, { OrderInqResult: emptyInquiry, ...order })

describe("an order without record", () => {
  it.effect("is absent by 0110 and by 0108", () =>
    Effect.gen(function* () {
      for (const reason of ["0110", "0108"]) {
        const finding = yield* ask([nothing(reason)])
        assert(finding._tag === "Absent")
        assert.strictEqual(finding.answer.responseCode, "92")
        assert.strictEqual(finding.answer.fields.ReasonCode, reason)
      }
    })
  )

  const others: Readonly<Record<string, ReturnType<typeof nothing>>> = {
    "another order's": nothing("0110", { OrderID: "OTHER" }),
    "a longer reference": nothing("0110", { OrderID: `${reference}0` }),
    "no order": nothing("0110", { OrderID: "" }),
    "a status": nothing("0110", { OrderInqResult: { ...emptyInquiry, Status: "APPROVED" } }),
    "a number": nothing("0110", { OrderInqResult: { ...emptyInquiry, RetrefNum: "1" } }),
    "another reason": nothing("0103"),
    "a wrong password": nothing("0651"),
    "another code": nothing("0110", {}, { Code: "96" }),
    "an approval": nothing("0110", {}, { Message: "Approved" })
  }
  for (const [name, response] of Object.entries(others)) {
    it.effect(`is not proven by an answer with ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask([response]))._tag, "Unanswered")
      })
    )
  }

  it.effect("is not believed for a minute after a completion was sent, however old the payment is", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const notes = { completionSentAt: "1000000" }
      assert.strictEqual((yield* ask([nothing("0110")], { notes }))._tag, "Unanswered")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* ask([nothing("0110")], { notes }))._tag, "Unanswered")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* ask([nothing("0110")], { notes }))._tag, "Absent")
    })
  )
})
