import { assert, describe, it } from "@effect/vitest"
import type { Settlement } from "@sarraf/adapters/providers/Simulator"
import { Duration, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  card,
  credit,
  document,
  element,
  history,
  open,
  postAuth,
  preAuth,
  requestOf,
  status,
  textOf,
  voidOf
} from "./SimulatedBank.ts"

describe("the simulated bank's reading", () => {
  it.effect("takes the document as it is and as the form field DATA", () =>
    Effect.gen(function* () {
      const { post } = open("instant")
      const raw = yield* post(`\n${document(preAuth("RAW1"))}\n`)
      const form = yield* post(`other=1&DATA=${encodeURIComponent(document(preAuth("FORM1"))).replaceAll("%20", "+")}`)
      assert.deepStrictEqual([element(raw, "Response"), element(form, "Response")], ["Approved", "Approved"])
      assert.deepStrictEqual([element(raw, "OrderId"), element(form, "OrderId")], ["RAW1", "FORM1"])
    })
  )

  it.effect("answers in ISO-8859-9, in Turkish", () =>
    Effect.gen(function* () {
      const { simulator } = open("instant")
      const response = yield* Effect.orDie(simulator.handle(requestOf(document(voidOf("NONE")))))
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers["content-type"], "text/xml;charset=ISO-8859-9")
      assert.strictEqual(element(textOf(response), "ErrMsg"), "İptal edilebilecek bir işlem yok.")
      assert.isTrue(response.body.includes(0xdd) && response.body.includes(0xfe))
    })
  )

  it.effect("refuses whoever does not know name, password and shop", () =>
    Effect.gen(function* () {
      const { post, kept } = open("instant")
      for (const known of ["SARRAFAPI", "SANDBOX07", "700655000999"]) {
        const text = yield* post(document(preAuth("A1")).replace(known, "1"))
        assert.strictEqual(element(text, "ERRORCODE"), "CORE-2201")
      }
      assert.strictEqual(kept.size, 0)
    })
  )

  it.effect("refuses what is no document, and knows no other address", () =>
    Effect.gen(function* () {
      const { simulator, post, kept } = open("instant")
      const whole = document(preAuth("A1"))
      for (const body of [
        "",
        "x",
        "DATA=",
        "<a>",
        whole.slice(0, -2),
        whole.replace("<CC5", "<!DOCTYPE x><CC5"),
        "DATA=%zz"
      ]) {
        assert.strictEqual(element(yield* post(body), "Response"), "Error")
      }
      const elsewhere = yield* Effect.orDie(simulator.handle({ ...requestOf(whole), url: "https://x.example/" }))
      assert.deepStrictEqual([elsewhere.status, kept.size], [404, 0])
    })
  )
})

describe("the simulated bank's checks of a payment", () => {
  const withCard = (number: string, expires: string, cvv: string) =>
    preAuth("A1", { card: `<Number>${number}</Number><Expires>${expires}</Expires><Cvv2Val>${cvv}</Cvv2Val>` })
  const withMoney = (total: string, currency: string, taksit = "") =>
    preAuth("A1", { money: `<Total>${total}</Total><Currency>${currency}</Currency>` }).replace(
      "<Taksit></Taksit>",
      `<Taksit>${taksit}</Taksit>`
    )
  const valid = "4355084355084358"
  const table: ReadonlyArray<readonly [string, string, string]> = [
    ["an expiry of MM/YY", withCard(valid, "01/26", "000"), "00"],
    ["an expiry of MM/YYYY", withCard(valid, "01/2026", "000"), "00"],
    ["an expired card", withCard(valid, "12/25", "000"), "CORE-2010"],
    ["an expiry in other forms", withCard(valid, "2026-01", "000"), "CORE-2011"],
    ["month 13", withCard(valid, "13/30", "000"), "CORE-2011"],
    ["a wrong check digit", withCard("4355084355084359", "12/30", "000"), "CORE-2012"],
    ["no number", withCard("", "12/30", "000"), "CORE-2015"],
    ["no security code", withCard(valid, "12/30", ""), "CORE-2208"],
    ["a security code of letters", withCard(valid, "12/30", "abc"), "CORE-2515"],
    ["two to twelve installments", withMoney("10.00", "949", "12"), "00"],
    ["one installment", withMoney("10.00", "949", "1"), "CORE-2603"],
    ["no installments as 0", withMoney("10.00", "949", "0"), "CORE-2603"],
    ["thirteen installments", withMoney("10.00", "949", "13"), "CORE-2603"],
    ["installments in euros", withMoney("10.00", "978", "2"), "CORE-2124"],
    ["euros", withMoney("10.00", "978"), "00"],
    ["a currency that the shop lacks", withMoney("10.00", "784"), "CORE-2105"],
    ["a currency by its letters", withMoney("10.00", "TRY"), "CORE-2106"],
    ["an amount of zero", withMoney("0.00", "949"), "CORE-2009"],
    ["an amount with a comma", withMoney("10,00", "949"), "CORE-2007"],
    ["an amount with three decimals", withMoney("10.001", "949"), "CORE-2007"],
    ["an unknown type", preAuth("A1").replace("PreAuth", "Sale"), "CORE-2001"],
    ["no type", preAuth("A1").replace("PreAuth", ""), "CORE-2003"],
    ["an order id of 65 letters", preAuth("A".repeat(65)), "CORE-1015"],
    ["an order id with a space", preAuth("A 1"), "CORE-2301"],
    ["a card without funds", withCard("4000000000009995", "12/30", "000"), "ISO8583-51"],
    ["a card that is declined", withCard("4000000000000002", "12/30", "000"), "ISO8583-05"],
    ["a card that its issuer calls expired", withCard("4000000000000069", "12/30", "000"), "ISO8583-54"],
    ["a card at which the bank fails", withCard("4000000000000119", "12/30", "000"), "ISO8583-96"]
  ]
  for (const [name, elements, expected] of table) {
    it.effect(`answer ${expected} to ${name}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 15))
        assert.strictEqual(yield* open("instant").code(elements), expected)
      })
    )
  }

  it.effect("refuse an order id that has had a success, and let a failed one be tried again", () =>
    Effect.gen(function* () {
      const { code } = open("daily")
      const declined = preAuth("A1", { card: card.replace("4355084355084358", "4000000000000002") })
      assert.strictEqual(yield* code(declined), "ISO8583-05")
      assert.strictEqual(yield* code(preAuth("A1")), "00")
      assert.strictEqual(yield* code(preAuth("A1")), "CORE-2507")
      assert.strictEqual(yield* code(voidOf("A1")), "00")
      assert.strictEqual(yield* code(preAuth("A1")), "CORE-2507")
    })
  )

  it.effect("let one of two authorizations at once under the same order id through", () =>
    Effect.gen(function* () {
      const { code } = open("daily", () => Effect.yieldNow)
      const codes = yield* Effect.all([code(preAuth("A1")), code(preAuth("A1"))], { concurrency: "unbounded" })
      assert.sameMembers(codes, ["00", "CORE-2507"])
      yield* code(preAuth("A2", { card: card.replace("4355084355084358", "4000000000000002") }))
      const repeats = yield* Effect.all([code(preAuth("A2")), code(preAuth("A2"))], { concurrency: "unbounded" })
      assert.sameMembers(repeats, ["00", "CORE-2507"])
      const captures = [code(postAuth("A1", "6.00")), code(postAuth("A1", "6.00"))]
      assert.sameMembers(yield* Effect.all(captures, { concurrency: "unbounded" }), ["00", "CORE-2509"])
    })
  )

  it.effect("keep no card number", () =>
    Effect.gen(function* () {
      const { code, kept } = open("instant")
      yield* code(preAuth("A1"))
      yield* code(postAuth("A1", "10.00"))
      const book = [...kept.values()].join()
      assert.include(book, "4355 08** **** 4358")
      assert.notInclude(book, "4355084355084358")
    })
  )
})

describe("the simulated bank's captures", () => {
  it.effect("come once, for the amount or less, of an authorization only", () =>
    Effect.gen(function* () {
      const { code } = open("daily")
      assert.strictEqual(yield* code(postAuth("A1", "1.00")), "CORE-2509")
      yield* code(preAuth("A1"))
      assert.strictEqual(yield* code(postAuth("A1", "10.01")), "CORE-2505")
      const above = "<Extra><PREAMT>10.00</PREAMT></Extra>"
      assert.strictEqual(yield* code(postAuth("A1", "10.01", above)), "CORE-2512")
      assert.strictEqual(yield* code(postAuth("A1", "0")), "CORE-2506")
      assert.strictEqual(yield* code(postAuth("A1", "9.99")), "00")
      assert.strictEqual(yield* code(postAuth("A1", "0.01")), "CORE-2509")
      yield* code(preAuth("A2"))
      yield* code(voidOf("A2"))
      assert.strictEqual(yield* code(postAuth("A2", "1.00")), "CORE-2509")
    })
  )

  it.effect("come within fifteen days", () =>
    Effect.gen(function* () {
      const { code } = open("daily")
      yield* code(preAuth("A1"))
      yield* code(preAuth("A2"))
      yield* TestClock.adjust(Duration.days(15))
      assert.strictEqual(yield* code(postAuth("A1", "10.00")), "00")
      yield* TestClock.adjust(Duration.millis(1))
      assert.strictEqual(yield* code(postAuth("A2", "10.00")), "CORE-2513")
    })
  )
})

describe("the simulated bank's settlement", () => {
  const captured = (settlement: Settlement) =>
    Effect.gen(function* () {
      const bank = open(settlement)
      yield* TestClock.setTime(Date.UTC(2026, 0, 15, 23, 0))
      yield* bank.code(preAuth("A1"))
      const text = yield* bank.post(document(postAuth("A1", "9.00")))
      return { ...bank, transId: element(text, "TransId") ?? "" }
    })

  it.effect("comes at once where it is instant: refunds in parts, and no void", () =>
    Effect.gen(function* () {
      const { code, transId } = yield* captured("instant")
      assert.strictEqual(yield* code(voidOf("A1")), "CORE-2511")
      assert.strictEqual(yield* code(`<Type>Void</Type><TransId>${transId}</TransId>`), "CORE-2511")
      assert.strictEqual(yield* code(credit("A1", "4.00")), "00")
      assert.strictEqual(yield* code(credit("A1", "5.01")), "CORE-2503")
      assert.strictEqual(yield* code(credit("A1", "1", "840")), "CORE-2119")
      assert.strictEqual(yield* code(credit("A1", "5")), "00")
      assert.strictEqual(yield* code(credit("A1", "0.01")), "215021")
      assert.strictEqual(yield* code(voidOf("A1")), "CORE-2511")
    })
  )

  it.effect("comes at midnight where it is daily: a void before it, refunds after it", () =>
    Effect.gen(function* () {
      const { code } = yield* captured("daily")
      assert.strictEqual(yield* code(credit("A1", "9.00")), "CORE-2508")
      yield* TestClock.setTime(Date.UTC(2026, 0, 16))
      assert.strictEqual(yield* code(voidOf("A1")), "CORE-2511")
      assert.strictEqual(yield* code(credit("A1", "9.00")), "00")
    })
  )

  it.effect("leaves a void of the capture before midnight, by order or by transaction, once", () =>
    Effect.gen(function* () {
      const { code, transId } = yield* captured("daily")
      const byTransaction = `<Type>Void</Type><TransId>${transId}</TransId>`
      assert.strictEqual(yield* code(byTransaction), "00")
      assert.strictEqual(yield* code(byTransaction), "CORE-2008")
      assert.strictEqual(yield* code(voidOf("A1")), "CORE-2008")
      assert.strictEqual(yield* code(credit("A1", "9.00")), "CORE-2117")
      yield* code(preAuth("A2"))
      yield* code(postAuth("A2", "10.00"))
      assert.strictEqual(yield* code(voidOf("A2")), "00")
    })
  )

  it.effect("holds for refunds too: a void takes back the one of today, and will not choose among two", () =>
    Effect.gen(function* () {
      const { code } = yield* captured("daily")
      yield* TestClock.setTime(Date.UTC(2026, 0, 16, 12))
      yield* code(credit("A1", "4.00"))
      yield* code(credit("A1", "4.00"))
      assert.strictEqual(yield* code(voidOf("A1")), "CORE-2133")
      yield* TestClock.setTime(Date.UTC(2026, 0, 17, 12))
      yield* code(credit("A1", "1.00"))
      assert.strictEqual(yield* code(voidOf("A1")), "00")
      assert.strictEqual(yield* code(credit("A1", "1.00")), "00")
      assert.strictEqual(yield* code(credit("A1", "1.00")), "215021")
    })
  )

  it.effect("answers without ProcReturnCode where nothing is left to refund", () =>
    Effect.gen(function* () {
      const { code, post } = yield* captured("instant")
      yield* code(credit("A1", "9.00"))
      const text = yield* post(document(credit("A1", "1.00")))
      assert.deepStrictEqual([element(text, "Response"), element(text, "ErrMsg")], ["Declined", "Net Tutar 0."])
      assert.strictEqual(element(text, "ProcReturnCode"), undefined)
    })
  )
})

describe("the simulated bank's record", () => {
  it.effect("tells the latest transaction of an order, in minor units and Istanbul time", () =>
    Effect.gen(function* () {
      const { code, post } = open("daily")
      yield* TestClock.setTime(Date.UTC(2026, 0, 15, 22, 30))
      yield* code(preAuth("A1"))
      const text = yield* post(document(status("A1")))
      const names = [
        "Response",
        "OrderId",
        "CHARGE_TYPE_CD",
        "TRANS_STAT",
        "ORIG_TRANS_AMT",
        "CAPTURE_AMT",
        "PROC_RET_CD"
      ]
      const values = names.map((name) => element(text, name))
      assert.deepStrictEqual(values, ["Approved", "A1", "S", "A", "1000", "", "00"])
      assert.deepStrictEqual(element(text, "AUTH_DTTM"), "2026-01-16 01:30:00.000")
      assert.strictEqual(element(text, "PAN"), "4355 08** **** 4358")
      assert.strictEqual(element(text, "ErrMsg"), "Record(s) found for A1")
      assert.match(element(text, "TransId") ?? "", /^26015[A-Z]{4}\d{8}$/)
    })
  )

  it.effect("tells the history, newest first, a refused refund among it", () =>
    Effect.gen(function* () {
      const { code, post } = open("daily")
      yield* TestClock.setTime(Date.UTC(2026, 0, 15))
      yield* code(preAuth("A1"))
      yield* code(postAuth("A1", "9.00"))
      yield* code(credit("A1", "2.00"))
      const text = yield* post(document(history("A1")))
      const row = (index: number) => (element(text, `TRX${index}`) ?? "").split("\t")
      assert.strictEqual(element(text, "TRXCOUNT"), "2")
      assert.deepStrictEqual([row(1).length, ...row(1).slice(0, 4), row(1)[9]], [11, "C", "D", "200", "200", "99"])
      assert.deepStrictEqual([row(2).length, ...row(2).slice(0, 4), row(2)[9]], [11, "S", "C", "1000", "900", "00"])
    })
  )

  it.effect("says of an unknown order 99 in a status and 05 in a history", () =>
    Effect.gen(function* () {
      const { post } = open("daily")
      const ofStatus = yield* post(document(status("NONE")))
      const ofHistory = yield* post(document(history("NONE")))
      const parts = (text: string) =>
        ["Response", "ProcReturnCode", "OrderId", "ErrMsg"].map((name) => element(text, name))
      assert.deepStrictEqual(parts(ofStatus), ["Declined", "99", "", "No record found for NONE"])
      assert.deepStrictEqual(parts(ofHistory), ["Declined", "05", "NONE", "No record found for NONE"])
      assert.strictEqual(element(ofHistory, "TRXCOUNT"), "0")
    })
  )

  it.prop(
    "reads every amount of two decimals to the last minor unit",
    [Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 ** 12 }))],
    ([minor]) =>
      Effect.runSync(
        Effect.gen(function* () {
          const { code, post } = open("instant")
          const digits = `${minor}`.padStart(3, "0")
          const total = `${digits.slice(0, -2)}.${digits.slice(-2)}`
          yield* code(preAuth("A1", { money: `<Total>${total}</Total><Currency>949</Currency>` }))
          assert.strictEqual(element(yield* post(document(status("A1"))), "ORIG_TRANS_AMT"), `${minor}`)
        })
      )
  )
})
