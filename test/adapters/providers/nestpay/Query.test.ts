import { assert, describe, it } from "@effect/vitest"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { answerWith, authorization, reference, shopAnswering } from "./Sample.ts"

type Elements = Parameters<typeof answerWith>[0]

const found = (Extra: Elements): Elements => ({
  ErrMsg: `Record(s) found for ${reference}`,
  ProcReturnCode: "00",
  Response: "Approved",
  OrderId: reference,
  TransId: "T9",
  Extra
})

/** `S C 1001 900 00 T1`: side, state, original and captured amount, code, transaction; `-` for nothing. */
const parts = (row: string) => row.split(" ").map((part) => (part === "-" ? "" : part))

const status = (row: string, more: Elements = {}): Elements => {
  const [side = "", stat = "", original = "", captured = "", code = "", transId = ""] = parts(row)
  const amounts = { ORIG_TRANS_AMT: original, CAPTURE_AMT: captured }
  const PAN = "4355 08** **** 4358"
  return found({
    CHARGE_TYPE_CD: side,
    TRANS_STAT: stat,
    ...amounts,
    PROC_RET_CD: code,
    TRANS_ID: transId,
    PAN,
    ...more
  })
}

const history = (...rows: ReadonlyArray<string>): Elements => {
  const lines = rows.map((row, index) => {
    const [side, stat, original, captured, code, transId] = parts(row)
    return [`TRX${index + 1}`, [side, stat, original, captured, "", "", "", "", "", code, transId].join("\t")]
  })
  return found({ ...Object.fromEntries(lines), TRXCOUNT: `${rows.length}` })
}

const ask = (...answers: ReadonlyArray<Elements>) =>
  shopAnswering(...answers.map((elements) => Effect.succeed(answerWith(elements)))).shop.query(authorization())

const inShort = (finding: Finding): string => {
  if (finding._tag !== "Found") return finding._tag
  const { stage, settled, capturedMinor, refundedMinor, providerReference, code, echo } = finding
  return [stage, settled, capturedMinor, refundedMinor, providerReference, echo.minor, code].join(" ").trim()
}

/** Status, history where it is asked for, and what they make of the order. */
const table: ReadonlyArray<readonly [string, ReadonlyArray<string> | undefined, string]> = [
  ["S A 1001 - 00 T1", undefined, "AUTHORIZED  0 0 T1 1001"],
  ["S A 1001 0 00 T1", undefined, "AUTHORIZED  0 0 T1 1001"],
  ["S C 1001 900 00 T2", undefined, "CAPTURED false 900 0 T2"],
  ["S PN 1001 - - T1", undefined, "PENDING    T1"],
  ["S R 1001 - 92 T1", undefined, "PENDING    T1"],
  ["S S 1001 900 00 T2", ["S S 1001 900 00 T2"], "CAPTURED true 900 0 T2"],
  ["C C 400 400 00 T3", ["C C 400 400 00 T3", "S S 1001 900 00 T2"], "CAPTURED true 900 400 T2"],
  ["C S 500 500 00 T4", ["C S 500 500 00 T4", "C C 400 400 00 T3", "S S 1001 900 00 T2"], "CAPTURED true 900 900 T2"],
  ["C D 600 600 99 T4", ["C D 600 600 99 T4", "C C 400 400 00 T3", "S S 1001 900 00 T2"], "CAPTURED true 900 400 T2"],
  ["C V 400 400 00 T3", ["C V 400 400 00 T3", "S S 1001 900 00 T2"], "CAPTURED true 900 0 T2"],
  ["C PN 400 - - T3", ["C PN 400 - - T3", "S S 1001 900 00 T2"], "CAPTURED true 900  T2"],
  ["S V 1001 900 00 T2", ["S V 1001 900 00 T2"], "VOIDED  0 0 T2"],
  ["S CNCL 1001 - 00 T1", ["S CNCL 1001 - 00 T1"], "VOIDED  0 0 T1"],
  ["S D 1001 - 51 T1", ["S D 1001 - 51 T1"], "DECLINED  0 0 T1  INSUFFICIENT_FUNDS"],
  ["S ERR 1001 - 96 T1", ["S ERR 1001 - 96 T1"], "DECLINED  0 0 T1  PROVIDER_ERROR"],
  ["S D 1001 - 99 T1", ["S D 1001 - 99 T1"], "DECLINED  0 0 T1  PROVIDER_ERROR"],
  // A refused capture and a retried order id change nothing.
  ["S D 2000 2000 99 T2", ["S D 2000 2000 99 T2", "S A 1001 - 00 T1"], "AUTHORIZED  0 0 T1 1001"],
  ["S A 1001 - 00 T2", undefined, "AUTHORIZED  0 0 T2 1001"],
  // What contradicts itself settles nothing.
  ["S A 1001 900 00 T1", undefined, "Unanswered"],
  ["S A 1001 - 05 T1", undefined, "Unanswered"],
  ["S C 1001 900 05 T1", undefined, "Unanswered"],
  ["S D 1001 - 00 T1", undefined, "Unanswered"],
  ["S X 1001 - 00 T1", undefined, "Unanswered"],
  ["X A 1001 - 00 T1", undefined, "Unanswered"],
  ["- - - - - -", undefined, "Unanswered"],
  ["S A 10.01 - 00 T1", undefined, "Unanswered"],
  ["S A -1 - 00 T1", undefined, "Unanswered"],
  ["S constructor 1 - 00 T1", undefined, "Unanswered"],
  ["S S 1001 900 00 T2", ["S S 1001 900 00 T2", "S C 1001 900 00 T1"], "Unanswered"],
  ["C C 400 400 00 T3", ["C C 400 400 00 T3"], "Unanswered"],
  ["C C 400 400 00 T3", ["C C 400 400 00 T3", "S A 1001 - 00 T1"], "Unanswered"],
  ["S S 1001 900 00 T2", ["S S 1001 900 00 T2", "S Q 1 1 00 T1"], "Unanswered"],
  ["S S 1001 900 00 T2", [], "Unanswered"]
]

describe("the record of an order", () => {
  for (const [latest, rows, expected] of table) {
    it.effect(`${latest}${rows === undefined ? "" : ` with ${rows.length} in the history`} is ${expected}`, () =>
      Effect.gen(function* () {
        const answers = rows === undefined ? [status(latest)] : [status(latest), history(...rows)]
        assert.strictEqual(inShort(yield* ask(...answers)), expected)
      })
    )
  }

  it.effect("names the order and the card's last four", () =>
    Effect.gen(function* () {
      const finding = yield* ask(status("S A 1001 - 00 T1"))
      assert(finding._tag === "Found")
      assert.deepStrictEqual(finding.echo, { reference, minor: 1001n, last4: "4358" })
      assert.notProperty(finding.answer.fields, "PAN")
      assert.strictEqual(finding.answer.fields.TRANS_STAT, "A")
    })
  )

  it.effect("is left open while the history cannot be had, or is another order's, or is said not to exist", () =>
    Effect.gen(function* () {
      const settled = status("S S 1001 900 00 T2")
      const other = { ...history("S S 1001 900 00 T2"), OrderId: "OTHER" }
      const none = {
        ErrMsg: `No record found for ${reference}`,
        ProcReturnCode: "05",
        Response: "Declined",
        OrderId: reference
      }
      assert.strictEqual((yield* ask(settled, other))._tag, "Unanswered")
      assert.strictEqual((yield* ask(settled, { ...none, Extra: { TRXCOUNT: "0" } }))._tag, "Unanswered")
      const away = Effect.fail(new NoAnswer({ reason: "reset" }))
      const { shop } = shopAnswering(Effect.succeed(answerWith(settled)), away)
      assert.strictEqual((yield* shop.query(authorization()))._tag, "Unanswered")
    })
  )

  it.effect("is left open where the history counts other transactions than it has", () =>
    Effect.gen(function* () {
      const settled = status("S S 1001 900 00 T2")
      const { Extra } = history("S S 1001 900 00 T2")
      for (const TRXCOUNT of ["0", "2", "", "x", "100000"]) {
        assert.strictEqual((yield* ask(settled, found({ ...Object(Extra), TRXCOUNT })))._tag, "Unanswered")
      }
    })
  )
})

describe("an order without record", () => {
  const none: Elements = {
    ErrMsg: `No record found for ${reference}`,
    ProcReturnCode: "99",
    Response: "Declined",
    OrderId: "",
    TransId: "",
    Extra: { NUMCODE: "0", ORDERSTATUS: "ORD_ID:\tCHARGE_TYPE_CD:\tTRANS_STAT:" }
  }
  it.effect("is absent, with code 99 as with a history's 05", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask(none))._tag, "Absent")
      const ofHistory = { ...none, ProcReturnCode: "05", OrderId: reference, Extra: { TRXCOUNT: "0" } }
      assert.strictEqual((yield* ask(ofHistory))._tag, "Absent")
    })
  )

  const others: Readonly<Record<string, Elements>> = {
    "another order's": { ...none, ErrMsg: "No record found for OTHER" },
    "a longer reference": { ...none, ErrMsg: `No record found for ${reference}0` },
    "an order that is named": { ...none, OrderId: "OTHER" },
    "an error": { ...none, Response: "Error" },
    "an approval": { ...none, Response: "Approved", ProcReturnCode: "00" },
    "another code": { ...none, ProcReturnCode: "96" },
    "another text": { ...none, ErrMsg: "Kayıt bulunamadı." },
    "a state": { ...none, Extra: { TRANS_STAT: "A" } },
    "a user who is not known": { Response: "Error", ProcReturnCode: "99", Extra: { ERRORCODE: "CORE-2201" } }
  }
  for (const [name, elements] of Object.entries(others)) {
    it.effect(`is not proven by an answer with ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask(elements))._tag, "Unanswered")
      })
    )
  }
})
