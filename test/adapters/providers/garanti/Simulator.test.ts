import { assert, describe, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { card, documentOf, known, type Message, open, pagesUrl, secretOf, sha512 } from "./SimulatedBank.ts"

const start = Date.UTC(2026, 0, 15, 9)
const day = 86_400_000

/** A bank on 15 January 2026, nine o'clock UTC. */
const bank = (options: Parameters<typeof open>[0] = {}) => Effect.as(TestClock.setTime(start), open(options))

const authorized = Effect.fnUntraced(function* (options: Parameters<typeof open>[0] = {}) {
  const one = yield* bank(options)
  const { result, retrefNum } = yield* one.post("preauth", { Card: card })
  assert.strictEqual(result, "00")
  const by = (target: string, changes = {}): Message => ({ Transaction: { OriginalRetrefNum: target, ...changes } })
  return { ...one, preauth: retrefNum, by }
})

const captured = Effect.fnUntraced(function* (options: Parameters<typeof open>[0] = {}) {
  const one = yield* authorized(options)
  const { result, retrefNum } = yield* one.post("postauth", one.by(one.preauth))
  assert.strictEqual(result, "00")
  return { ...one, postauth: retrefNum }
})

describe("the simulated bank", () => {
  it.effect("signs its answers with the user's secret", () =>
    Effect.gen(function* () {
      const { by, post, preauth } = yield* authorized()
      const voided = yield* post("void", by(preauth))
      const parts = ["Code", "RetrefNum", "AuthCode", "ProvDate"].map(voided.transaction).join("")
      const secret = secretOf(known.refundPassword)
      assert.strictEqual(voided.transaction("HashData"), sha512(`${parts}order1${secret}`))
      assert.strictEqual(voided.transaction("ProvDate"), "20260115 12:00:00")
      const declined = yield* post("preauth", { OrderID: "order2", Card: { ...card, Number: "4000000000000002" } })
      const others = ["Code", "RetrefNum", "AuthCode", "ProvDate"].map(declined.transaction).join("")
      const hashed = sha512(`${others}order2${secretOf(known.password)}`)
      assert.strictEqual(declined.transaction("HashData"), hashed)
    })
  )

  const wrong: ReadonlyArray<readonly [what: string, type: string, message: Message, expected: string]> = [
    ["another terminal", "preauth", { Card: card, Terminal: { ID: "30691298" } }, "92/0752"],
    ["another merchant", "preauth", { Card: card, Terminal: { MerchantID: "7000679" } }, "92/0753"],
    ["a user it does not know", "preauth", { Card: card, Terminal: { ProvUserID: "X", UserID: "X" } }, "92/0653"],
    ["two users", "preauth", { Card: card, Terminal: { UserID: "PROVRFN" } }, "92/0653"],
    ["a wrong hash", "preauth", { Card: card, Terminal: { HashData: "0".repeat(128) } }, "92/0651"],
    ["no hash", "preauth", { Card: card, Terminal: { HashData: "" } }, "92/0651"],
    ["a live message", "preauth", { Card: card, top: { Mode: "PROD" } }, "92/0001"],
    ["an older version", "preauth", { Card: card, top: { Version: "v0.01" } }, "92/0001"],
    ["no address of the buyer", "preauth", { Card: card, Customer: { IPAddress: "" } }, "92/0002"],
    ["an address of another kind", "preauth", { Card: card, Customer: { IPAddress: "::1" } }, "92/0001"],
    ["an order of 33 letters", "preauth", { Card: card, OrderID: "x".repeat(33) }, "92/0231"],
    ["an order with a hyphen", "preauth", { Card: card, OrderID: "a-b" }, "92/0001"],
    ["no card", "preauth", {}, "92/0002"],
    ["no security code", "preauth", { Card: { ...card, CVV2: "" } }, "92/0002"],
    ["a security code of letters", "preauth", { Card: { ...card, CVV2: "abc" } }, "12"],
    ["a wrong check digit", "preauth", { Card: { ...card, Number: "4282209004348016" } }, "14"],
    ["a month that is none", "preauth", { Card: { ...card, ExpireDate: "1330" } }, "92/0003"],
    ["a card that is over", "preauth", { Card: { ...card, ExpireDate: "1225" } }, "54"],
    ["an amount with a point", "preauth", { Card: card, Transaction: { Amount: "10.01" } }, "92/0001"],
    ["no amount", "preauth", { Card: card, Transaction: { Amount: "0" } }, "92/0001"],
    ["dirhams", "preauth", { Card: card, Transaction: { CurrencyCode: "784" } }, "92/0759"],
    ["one installment", "preauth", { Card: card, Transaction: { InstallmentCnt: "1" } }, "92/0001"],
    [
      "installments in dollars",
      "preauth",
      { Card: card, Transaction: { InstallmentCnt: "3", CurrencyCode: "840" } },
      "92/0001"
    ],
    ["a type that it does not know", "credit", {}, "92/0001"],
    ["a capture without the preauth's number", "postauth", {}, "92/0002"],
    ["a capture of nothing", "postauth", { Transaction: { OriginalRetrefNum: "1" } }, "92/0102"],
    ["a void of nothing", "void", { Transaction: { OriginalRetrefNum: "1" } }, "92/0201"],
    ["a refund of nothing", "refund", { Transaction: { OriginalRetrefNum: "1" } }, "92/0103"],
    ["the history of nothing", "orderhistoryinq", {}, "92/0108"],
    ["the status of nothing", "orderinq", {}, "92/0110"]
  ]
  for (const [what, type, message, expected] of wrong) {
    it.effect(`refuses ${what} with ${expected}`, () =>
      Effect.gen(function* () {
        const { post } = yield* bank()
        assert.strictEqual((yield* post(type, message)).result, expected)
        // Nothing of it is in the book.
        assert.strictEqual((yield* post("orderinq")).result, "92/0110")
      })
    )
  }

  it.effect("refuses what is no document, and serves no other address", () =>
    Effect.gen(function* () {
      const { postDocument, simulator, visit } = yield* bank()
      for (const document of ["", "<GVPSRequest>", "<x/>", documentOf("orderinq").slice(0, -1)]) {
        assert.strictEqual((yield* postDocument(document)).result, "92/0001")
      }
      const url = "https://sanalposprovtest.garantibbva.com.tr/other"
      const other = yield* simulator.handle({ provider: "garanti", method: "POST", url, headers: {} })
      assert.strictEqual(other.status, 404)
      assert.strictEqual((yield* visit(`${pagesUrl}/other`)).status, 404)
    })
  )

  it.effect("lets each user do its own steps alone", () =>
    Effect.gen(function* () {
      const { by, post, preauth } = yield* authorized()
      const hashOf = (password: Redacted.Redacted<string>, amount: string) =>
        sha512(`order1${known.terminalId}${amount}949${secretOf(password)}`)
      const asFirst = { ProvUserID: "PROVAUT", UserID: "PROVAUT", HashData: hashOf(known.password, "100") }
      const asSecond = { ProvUserID: "PROVRFN", UserID: "PROVRFN", HashData: hashOf(known.refundPassword, "1001") }
      assert.strictEqual((yield* post("void", { ...by(preauth), Terminal: asFirst })).result, "92/0652")
      assert.strictEqual((yield* post("postauth", { ...by(preauth), Terminal: asSecond })).result, "92/0652")
      assert.deepStrictEqual((yield* post("orderhistoryinq")).history, ["preauth 00 00 N"])
    })
  )

  it.effect("takes one sale for an order, also where two come at once, and another after a decline", () =>
    Effect.gen(function* () {
      const { post } = yield* bank()
      const results = yield* Effect.all([post("preauth", { Card: card }), post("sales", { Card: card })], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.map(({ result }) => result).sort(), ["00", "92/0104"])
      const declined = { OrderID: "order2", Card: { ...card, Number: "4000000000009995" } }
      assert.strictEqual((yield* post("preauth", declined)).result, "51")
      assert.strictEqual((yield* post("orderinq", { OrderID: "order2" })).order("Status"), "DECLINED")
      assert.strictEqual((yield* post("preauth", { OrderID: "order2", Card: card })).result, "00")
      const { history } = yield* post("orderhistoryinq", { OrderID: "order2" })
      assert.deepStrictEqual(history, ["preauth 01 51 N", "preauth 00 00 N"])
    })
  )

  it.effect("captures once, up to the authorization, within 15 days", () =>
    Effect.gen(function* () {
      const { by, post, preauth } = yield* authorized()
      assert.strictEqual((yield* post("postauth", by(preauth, { Amount: "1002" }))).result, "13")
      assert.strictEqual((yield* post("postauth", by("000000000000"))).result, "92/0102")
      assert.strictEqual((yield* post("postauth", by(preauth, { CurrencyCode: "840" }))).result, "92/0209")
      yield* TestClock.setTime(start + 15 * day)
      assert.strictEqual((yield* post("postauth", by(preauth, { Amount: "900" }))).result, "00")
      assert.strictEqual((yield* post("postauth", by(preauth, { Amount: "1" }))).result, "92/0209")
      const status = yield* post("orderinq")
      assert.deepStrictEqual(["Status", "AuthAmount"].map(status.order), ["APPROVED", "900"])

      const late = yield* authorized()
      yield* TestClock.setTime(start + 15 * day + 1)
      assert.strictEqual((yield* late.post("postauth", late.by(late.preauth))).result, "92/0209")
    })
  )

  it.effect("voids what has not settled, the last step first", () =>
    Effect.gen(function* () {
      const { by, post, postauth, preauth } = yield* captured({ settlement: "daily" })
      assert.strictEqual((yield* post("void", by(preauth))).result, "92/0207")
      assert.strictEqual((yield* post("void", by(postauth))).result, "00")
      assert.strictEqual((yield* post("void", by(postauth))).result, "92/0201")
      assert.strictEqual((yield* post("refund", by(postauth))).result, "92/0103")
      assert.strictEqual((yield* post("postauth", by(preauth))).result, "92/0209")
      // Its status does not tell, as no source says that it would.
      assert.strictEqual((yield* post("orderinq")).order("Status"), "APPROVED")
      const history = ["preauth 00 00 N", "postauth 00 00 N", "void 00 00 N", "refund 01 92 N", "postauth 01 92 N"]
      assert.deepStrictEqual((yield* post("orderhistoryinq")).history, history)
    })
  )

  it.effect("wants the number of a transaction where several could be voided", () =>
    Effect.gen(function* () {
      const { by, post, postauth } = yield* captured({ settlement: "daily" })
      yield* TestClock.setTime(start + day)
      assert.strictEqual((yield* post("void", by(postauth))).result, "92/0210")
      for (const Amount of ["400", "500"]) {
        assert.strictEqual((yield* post("refund", by(postauth, { Amount }))).result, "00")
      }
      assert.strictEqual((yield* post("void")).result, "92/0202")
    })
  )

  it.effect("refunds what has settled, in parts, up to the capture", () =>
    Effect.gen(function* () {
      const { by, post, postauth, preauth } = yield* captured({ settlement: "daily" })
      assert.strictEqual((yield* post("refund", by(postauth))).result, "92/0208")
      yield* TestClock.setTime(start + day)
      assert.strictEqual((yield* post("refund", by(preauth))).result, "92/0103")
      assert.strictEqual((yield* post("refund", by(postauth, { CurrencyCode: "840" }))).result, "92/0203")
      assert.strictEqual((yield* post("refund", by(postauth, { Amount: "1002" }))).result, "92/0214")
      assert.strictEqual((yield* post("refund", by(postauth, { Amount: "600" }))).result, "00")
      assert.strictEqual((yield* post("refund", by(postauth, { Amount: "402" }))).result, "92/0214")
      assert.strictEqual((yield* post("refund", by(postauth, { Amount: "401" }))).result, "00")
      const { history } = yield* post("orderhistoryinq")
      assert.deepStrictEqual(history.slice(0, 2), ["preauth 00 00 N", "postauth 00 00 Y"])
      assert.deepStrictEqual(history.slice(-1), ["refund 00 00 N"])
    })
  )
})

const form = (changes: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {
    secure3dsecuritylevel: "3D",
    mode: "TEST",
    apiversion: "512",
    terminalprovuserid: "PROVAUT",
    terminaluserid: "PROVAUT",
    terminalmerchantid: known.merchantId,
    terminalid: known.terminalId,
    txntype: "preauth",
    txnamount: "1001",
    txncurrencycode: "949",
    txninstallmentcount: "",
    orderid: "order1",
    successurl: "https://shop.example/yes",
    errorurl: "https://shop.example/no",
    customeripaddress: "203.0.113.7",
    cardnumber: "4000000000003220",
    cardexpiredatemonth: "08",
    cardexpiredateyear: "30",
    cardcvv2: "739",
    ...changes
  }
  const signed = ["terminalid", "orderid", "txnamount", "txncurrencycode", "successurl", "errorurl", "txntype"]
  const text = [...signed, "txninstallmentcount"].map((name) => fields[name]).join("")
  const secret = `${Redacted.value(known.storeKey)}${secretOf(known.password)}`
  return { secure3dhash: sha512(`${text}${secret}`), ...fields }
}
const gateUrl = `${pagesUrl}/servlet/gt3dengine`

type Bank = ReturnType<typeof open>

/** What the buyer brings back with the right code. */
const authenticated = Effect.fnUntraced(function* ({ visit }: Bank, changes: Readonly<Record<string, string>> = {}) {
  const { location } = yield* visit(gateUrl, form(changes))
  return (yield* visit(location, { code: "123456" })).fields
})

const proofOf = (
  fields: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string>> = {}
): Message => ({
  Transaction: {
    CardholderPresentCode: "13",
    Secure3D: {
      AuthenticationCode: fields.cavv ?? "",
      SecurityLevel: fields.eci ?? "",
      TxnID: fields.xid ?? "",
      Md: fields.md ?? "",
      ...changes
    }
  }
})

describe("the simulated bank's 3-D Secure gate", () => {
  it.effect("sends the buyer to the issuer and back with a signed word, and takes the proof once", () =>
    Effect.gen(function* () {
      const one = yield* bank()
      const fields = yield* authenticated(one)
      const names = "clientid oid authcode procreturncode response mdstatus cavv eci md rnd".split(" ")
      assert.strictEqual(fields.hashparams, `${names.join(":")}:`)
      const values = names.map((name) => fields[name] ?? "").join("")
      assert.strictEqual(fields.hash, sha512(`${values}${Redacted.value(known.storeKey)}`))
      assert.deepStrictEqual(
        [fields.mdstatus, fields.oid, fields.txnamount, fields.MaskedPan],
        ["1", "order1", "1001", "400000******3220"]
      )
      assert.notProperty(fields, "cardnumber")
      assert.notProperty(fields, "cardcvv2")
      assert.strictEqual((yield* one.post("orderinq")).result, "92/0110")
      assert.strictEqual((yield* one.post("preauth", proofOf(fields))).result, "00")
      assert.strictEqual((yield* one.post("preauth", proofOf(fields))).result, "92/0104")
      assert.strictEqual((yield* one.post("preauth", { ...proofOf(fields), OrderID: "order2" })).result, "92/0804")
    })
  )

  it.effect("takes a proof once, also where the issuer declined the card", () =>
    Effect.gen(function* () {
      const one = yield* bank()
      const fields = yield* authenticated(one, { cardnumber: "4000000000009995" })
      assert.strictEqual((yield* one.post("preauth", proofOf(fields))).result, "51")
      assert.strictEqual((yield* one.post("preauth", proofOf(fields))).result, "92/0804")
    })
  )

  it.effect("takes a proof for its own payment alone", () =>
    Effect.gen(function* () {
      const one = yield* bank()
      const fields = yield* authenticated(one)
      const { post } = one
      const changed = (changes: Message["Transaction"]) => {
        const { Transaction } = proofOf(fields)
        return post("preauth", { Transaction: { ...Transaction, ...changes } })
      }
      assert.strictEqual((yield* changed({ Amount: "1002" })).result, "92/0804")
      assert.strictEqual((yield* changed({ CurrencyCode: "840" })).result, "92/0804")
      assert.strictEqual((yield* changed({ InstallmentCnt: "3" })).result, "92/0804")
      assert.strictEqual((yield* post("sales", proofOf(fields))).result, "92/0804")
      for (const name of ["AuthenticationCode", "TxnID", "SecurityLevel", "Md"]) {
        assert.strictEqual((yield* post("preauth", proofOf(fields, { [name]: "x" }))).result, "92/0804")
      }
      assert.strictEqual((yield* post("preauth", proofOf(fields, { Md: "" }))).result, "92/0763")
      assert.strictEqual((yield* post("preauth", proofOf(fields))).result, "00")
    })
  )

  it.effect("shows the page again after a wrong code, ends it after three, and shows it no more after that", () =>
    Effect.gen(function* () {
      const { post, visit } = yield* bank()
      const { location, status } = yield* visit(gateUrl, form())
      assert.strictEqual(status, 303)
      const page = yield* visit(location)
      assert.include(page.html, "10.01 TRY")
      assert.include(page.html, "•••• 3220")
      for (const _ of [1, 2]) assert.include((yield* visit(location, { code: "1" })).html, "That code is not right")
      const { fields, html } = yield* visit(location, { code: "1" })
      assert.include(html, 'action="https://shop.example/no"')
      assert.strictEqual(fields.mdstatus, "0")
      assert.strictEqual((yield* visit(location)).status, 404)
      assert.strictEqual((yield* visit(location, { code: "123456" })).status, 404)
      assert.strictEqual((yield* post("preauth", proofOf({ ...fields, eci: "05" }))).result, "92/0804")
    })
  )

  it.effect("comes straight back where the issuer asks for nothing", () =>
    Effect.gen(function* () {
      const { visit } = yield* bank()
      const frictionless = yield* visit(gateUrl, form({ cardnumber: "4000000000003063" }))
      assert.strictEqual(frictionless.fields.mdstatus, "1")
      assert.include(frictionless.html, 'action="https://shop.example/yes"')
      const failing = yield* visit(gateUrl, form({ cardnumber: "4000008400001629" }))
      assert.strictEqual(failing.fields.mdstatus, "0")
    })
  )

  const faults: ReadonlyArray<readonly [what: string, changes: Readonly<Record<string, string>>, text: string]> = [
    ["a wrong hash", { secure3dhash: "0".repeat(128) }, "Guvenlik Kodu hatali"],
    ["another terminal", { terminalid: "30691298" }, "Sistem Hatasi"],
    ["another merchant", { terminalmerchantid: "1" }, "Sistem Hatasi"],
    ["a level at which it charges by itself", { secure3dsecuritylevel: "3D_PAY" }, "Sistem Hatasi"],
    ["a card with a wrong check digit", { cardnumber: "4000000000003221" }, "Sistem Hatasi"],
    ["no security code", { cardcvv2: "" }, "Sistem Hatasi"],
    ["an amount with a point", { txnamount: "10.01" }, "Sistem Hatasi"]
  ]
  for (const [what, changes, text] of faults) {
    it.effect(`does not begin with ${what}, and says so without a hash`, () =>
      Effect.gen(function* () {
        const { visit } = yield* bank()
        const { fields, html } = yield* visit(gateUrl, form(changes))
        assert.include(html, 'action="https://shop.example/no"')
        assert.deepStrictEqual([fields.mdstatus, fields.mderrormessage], ["7", text])
        assert.notProperty(fields, "hash")
        assert.notProperty(fields, "hashparams")
        assert.notProperty(fields, "cardnumber")
      })
    )
  }

  it.effect("meets with the network's cards too", () =>
    Effect.gen(function* () {
      const one = yield* bank()
      const completed = Effect.fnUntraced(function* (cardnumber: string, OrderID: string) {
        const fields = yield* authenticated(one, { cardnumber, orderid: OrderID })
        const call = one.post("preauth", { ...proofOf(fields), OrderID })
        const end = Effect.match(call, { onSuccess: ({ result }) => result, onFailure: ({ _tag }) => _tag })
        const fiber = yield* Effect.forkChild(end)
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(fiber)
      })
      assert.strictEqual(yield* completed("4000000000000341", "order1"), "ConnectFailed")
      assert.strictEqual(yield* completed("4000000000000267", "order2"), "NoAnswer")
      assert.strictEqual(yield* completed("4000000000000259", "order3"), "NoAnswer")
      assert.strictEqual(yield* completed("4000000000003220", "order3"), "NoAnswer")
      yield* TestClock.adjust("30 seconds")
      const record = (OrderID: string) => Effect.map(one.post("orderinq", { OrderID }), ({ result }) => result)
      const records = yield* Effect.forEach(["order1", "order2", "order3"], record)
      assert.deepStrictEqual(records, ["92/0110", "92/0110", "00"])
    })
  )

  it.effect("keeps neither number nor security code", () =>
    Effect.gen(function* () {
      const kept: Array<string> = []
      const memory = MemoryOrderBook.make()
      const keep = (value: object) => Effect.sync(() => void kept.push(JSON.stringify(value)))
      const orderBook: OrderBook = {
        find: memory.find,
        add: (provider, key, order) => Effect.andThen(keep({ key, order }), memory.add(provider, key, order)),
        save: (provider, key, order) => Effect.andThen(keep({ key, order }), memory.save(provider, key, order))
      }
      const one = yield* bank({ orderBook })
      yield* one.post("preauth", proofOf(yield* authenticated(one)))
      yield* one.post("preauth", { OrderID: "order2", Card: { ...card, CVV2: "739" } })
      assert.isAbove(kept.length, 4)
      for (const text of kept) {
        assert.notInclude(text, "4000000000003220")
        assert.notInclude(text, card.Number)
        assert.notInclude(text, '"739"')
      }
    })
  )
})
