import { assert, describe, it } from "@effect/vitest"
import type { ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { pagesUrl, version3 } from "./Sample.ts"
import { document, element, open, postAuth, preAuth, status, voidOf } from "./SimulatedBank.ts"

const gateUrl = `${pagesUrl}/fim/est3Dgate`
const okUrl = "https://gateway.example/ok"
const failUrl = "https://gateway.example/fail"

const fields = {
  clientid: "700655000999",
  storetype: "3d",
  amount: "10.00",
  oid: "A1",
  okUrl,
  failUrl,
  rnd: "rand|\\1",
  lang: "tr",
  currency: "949",
  taksit: "",
  TranType: "PreAuth",
  hashAlgorithm: "ver3",
  pan: "4355084355084358",
  Ecom_Payment_Card_ExpDate_Month: "12",
  Ecom_Payment_Card_ExpDate_Year: "30",
  cv2: "739"
}

type Form = Readonly<Record<string, string>>
type Bank = ReturnType<typeof open>

const signed = (changes: Form = {}): Form => {
  const form = { ...fields, ...changes }
  return { ...form, hash: version3(form) }
}

const visit = ({ simulator }: Bank, url: string, form?: Form | string): Effect.Effect<ProviderResponse> =>
  Effect.orDie(
    simulator.handle(
      form === undefined
        ? { provider: "isbank", method: "GET", url, headers: {} }
        : {
            provider: "isbank",
            method: "POST",
            url,
            headers: {},
            body: new TextEncoder().encode(typeof form === "string" ? form : `${new URLSearchParams(form)}`)
          }
    )
  )

const textOf = ({ body }: ProviderResponse) => new TextDecoder().decode(body)

/** Where a page's form goes, and its hidden fields. */
const sentBack = (response: ProviderResponse) => {
  const html = textOf(response)
  const decode = (text = "") => text.replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))
  const inputs = [...html.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/gu)]
  const [, action] = /action="([^"]*)"/u.exec(html) ?? []
  const values: Form = Object.fromEntries(inputs.map(([, name, value]) => [decode(name), decode(value)]))
  return { action: decode(action), values }
}

const arrive = Effect.fnUntraced(function* (bank: Bank, changes: Form = {}) {
  const response = yield* visit(bank, gateUrl, signed(changes))
  assert.strictEqual(response.status, 303)
  const location = response.headers.location ?? ""
  assert.match(location, /^http:\/\/sandbox\.test:8080\/sandbox\/isbank\/issuer\/[0-9A-F]{64}$/u)
  return location
})

/** Through the issuer's page with the right code. */
const authenticated = Effect.fnUntraced(function* (bank: Bank, changes: Form = {}) {
  const { values } = sentBack(yield* visit(bank, yield* arrive(bank, changes), { code: "123456" }))
  assert.strictEqual(values.mdStatus, "1")
  return values
})

const completion = (values: Form, changes: Form = {}): string =>
  Object.entries({
    Type: "PreAuth",
    OrderId: "A1",
    Total: "10.00",
    Currency: "949",
    Taksit: "",
    Number: values.md,
    PayerTxnId: values.xid,
    PayerSecurityLevel: values.eci,
    PayerAuthenticationCode: values.cavv,
    ...changes
  })
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("")

describe("the simulated gate", () => {
  it.effect("sends the buyer to the issuer, and back once with what the bank says under its hash", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const issuer = yield* arrive(bank)
      const page = textOf(yield* visit(bank, issuer))
      assert.include(page, "10.00 TRY")
      assert.include(page, "4358")
      assert.notInclude(page, "4355084355084358")
      const { action, values } = sentBack(yield* visit(bank, issuer, { code: "123 456" }))
      assert.strictEqual(action, okUrl)
      const { HASH, cavv, md, xid, ...rest } = values
      assert.strictEqual(HASH, version3(values))
      assert.match(md ?? "", /^435508:[0-9A-F]{64}:\d{1,4}:##700655000999$/u)
      assert.match(`${xid} ${cavv}`, /^[A-Za-z0-9+/]{27}= [A-Za-z0-9+/]{27}=$/u)
      assert.strictEqual(rest.mdErrorMsg, "Y-status/Challenge authentication")
      const { pan: _, cv2: __, ...echoed } = fields
      const told = { mdStatus: "1", txstatus: "Y", eci: "05", MaskedPan: "435508***4358" }
      for (const [name, value] of Object.entries({ ...echoed, ...told })) assert.strictEqual(rest[name], value)
      for (const again of [undefined, { code: "123456" }]) {
        assert.strictEqual((yield* visit(bank, issuer, again)).status, 410)
      }
    })
  )

  it.effect("keeps neither the card's number nor its security code, on the way or after it", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      yield* arrive(bank, { oid: "B1" })
      const values = yield* authenticated(bank)
      assert.strictEqual(yield* bank.code(completion(values)), "00")
      const book = [...bank.kept.values()].join()
      assert.include(book, "4355 08** **** 4358")
      for (const secret of ["4355084355084358", '"739"', "pan", "cv2"]) assert.notInclude(book, secret)
      assert.notInclude(JSON.stringify(values), "4355084355084358")
    })
  )

  it.effect("shows and signs nothing of a form that is not the shop's", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const genuine = signed()
      const forms: ReadonlyArray<Form | string> = [
        { ...genuine, amount: "1.00" },
        { ...genuine, extra: "" },
        { ...genuine, hash: "" },
        { ...genuine, hash: version3(fields, "SRRF0701") },
        signed({ clientid: "700655000998" }),
        signed({ hashAlgorithm: "ver1" }),
        signed({ okUrl: "javascript:alert(1)" }),
        signed({ failUrl: "" }),
        `${new URLSearchParams(genuine)}&amount=10.00`,
        ""
      ]
      for (const form of forms) {
        const response = yield* visit(bank, gateUrl, form)
        assert.strictEqual(response.status, 400)
        assert.notMatch(textOf(response), /<form|<input|HASH/u)
      }
      assert.strictEqual(bank.kept.size, 0)
    })
  )

  const faults: ReadonlyArray<readonly [string, Form, string]> = [
    ["a store type that it does not have", { storetype: "3d_pay" }, "3D-1007"],
    ["an unknown type", { TranType: "Sale" }, "CORE-2001"],
    ["an order id of 65 letters", { oid: "A".repeat(65) }, "CORE-1015"],
    ["no order id", { oid: "" }, "CORE-2301"],
    ["a wrong check digit", { pan: "4355084355084359" }, "HPP-1001"],
    ["no number", { pan: "" }, "HPP-1001"],
    ["an expired card", { Ecom_Payment_Card_ExpDate_Year: "25" }, "CORE-2010"],
    ["month 13", { Ecom_Payment_Card_ExpDate_Month: "13" }, "CORE-2011"],
    ["no security code", { cv2: "" }, "CORE-2208"],
    ["a currency that the shop lacks", { currency: "784" }, "CORE-2105"],
    ["an amount of zero", { amount: "0.00" }, "CORE-2009"],
    ["installments in euros", { currency: "978", taksit: "3" }, "CORE-2124"],
    ["one installment", { taksit: "1" }, "CORE-2603"]
  ]
  for (const [name, changes, code] of faults) {
    it.effect(`sends the buyer back with ${code} for ${name}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 15))
        const bank = open("instant")
        const { action, values } = sentBack(yield* visit(bank, gateUrl, signed(changes)))
        assert.strictEqual(action, failUrl)
        assert.deepStrictEqual([values.Response, values.ErrorCode], ["Error", code])
        assert.strictEqual(values.HASH, version3(values))
        assert.notProperty(values, "mdStatus")
        for (const secret of ["pan", "cv2", "hash"]) assert.notProperty(values, secret)
        assert.strictEqual(bank.kept.size, 0)
      })
    )
  }

  it.effect("takes its address in lower case, as one bank's shops have it, and knows no other page", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      assert.strictEqual((yield* visit(bank, `${pagesUrl}/fim/est3dgate`, signed())).status, 303)
      for (const path of ["/fim/est3Dgate", "/issuer/", "/issuer/../fim/api", "/"]) {
        assert.strictEqual((yield* visit(bank, `${pagesUrl}${path}`)).status, 404)
      }
      assert.strictEqual((yield* visit(bank, `${pagesUrl}/issuer/${"0".repeat(64)}`)).status, 410)
      assert.strictEqual((yield* visit(bank, `${pagesUrl}/fim/api`, document(preAuth("A1")))).status, 404)
    })
  )

  it.effect("takes no form for an order that is paid", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      yield* bank.code(preAuth("A1"))
      assert.strictEqual(sentBack(yield* visit(bank, gateUrl, signed())).values.ErrorCode, "CORE-2507")
    })
  )
})

describe("the simulated issuer", () => {
  it.effect("asks three times, and then sends the buyer back unauthenticated", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const issuer = yield* arrive(bank)
      for (const code of ["", "123457"]) {
        assert.include(textOf(yield* visit(bank, issuer, { code })), "That code is not right")
      }
      const { action, values } = sentBack(yield* visit(bank, issuer, { code: "000000" }))
      assert.deepStrictEqual([action, values.mdStatus, values.txstatus], [failUrl, "0", "N"])
      assert.strictEqual(values.HASH, version3(values))
      assert.notProperty(values, "cavv")
      assert.strictEqual((yield* visit(bank, issuer, { code: "123456" })).status, 410)
      const [, cavv = ""] = /"cavv":"([^"]+)"/u.exec([...bank.kept.values()].join()) ?? []
      assert.strictEqual(yield* bank.code(completion({ ...values, eci: "05", cavv })), "CORE-2121")
    })
  )

  it.effect("sends a buyer back who cancels, one who fails, and with a proof one who is not asked", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const cancelled = sentBack(yield* visit(bank, yield* arrive(bank), { code: "123456", cancel: "1" }))
      assert.deepStrictEqual([cancelled.action, cancelled.values.mdStatus], [failUrl, "0"])
      const failed = sentBack(yield* visit(bank, gateUrl, signed({ pan: "4000008400001629" })))
      assert.deepStrictEqual([failed.action, failed.values.mdStatus], [failUrl, "0"])
      const { action, values } = sentBack(yield* visit(bank, gateUrl, signed({ pan: "4000000000003063" })))
      assert.deepStrictEqual([action, values.mdStatus], [okUrl, "1"])
      assert.strictEqual(yield* bank.code(completion(values)), "00")
    })
  )

  it.effect("lets one of two answers at once through", () =>
    Effect.gen(function* () {
      const bank = open("instant", () => Effect.yieldNow)
      const issuer = yield* arrive(bank)
      const answers = [visit(bank, issuer, { code: "123456" }), visit(bank, issuer, { code: "123456" })]
      const codes = (yield* Effect.all(answers, { concurrency: "unbounded" })).map((response) => response.status)
      assert.sameMembers(codes, [200, 410])
    })
  )
})

describe("the simulated bank's completion", () => {
  it.effect("takes a proof for the payment that it is of alone", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const values = yield* authenticated(bank)
      const changed: ReadonlyArray<Form> = [
        { OrderId: "A2" },
        { Total: "10.01" },
        { Currency: "978" },
        { Taksit: "2" },
        { Type: "Auth" },
        { PayerTxnId: "x" },
        { PayerSecurityLevel: "07" },
        { PayerAuthenticationCode: "" },
        { Number: `${values.md}`.replace(/^\d{6}/u, "400000") },
        { Number: `435508:${"0".repeat(64)}:1:##700655000999` }
      ]
      for (const changes of changed) assert.strictEqual(yield* bank.code(completion(values, changes)), "CORE-2121")
      assert.strictEqual(yield* bank.code(completion(values)), "00")
      assert.strictEqual(yield* bank.code(completion(values)), "CORE-2507")
      assert.strictEqual(yield* bank.code(postAuth("A1", "10.00")), "00")
    })
  )

  it.effect("takes a proof once, also where the issuer declined the payment", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const values = yield* authenticated(bank, { pan: "4000000000009995" })
      assert.strictEqual(yield* bank.code(completion(values)), "ISO8583-51")
      assert.strictEqual(yield* bank.code(completion(values)), "CORE-2127")
    })
  )

  it.effect("lets one of two with the same proof at once through", () =>
    Effect.gen(function* () {
      const bank = open("instant", () => Effect.yieldNow)
      const values = yield* authenticated(bank)
      const both = [bank.code(completion(values)), bank.code(completion(values))]
      assert.sameMembers(yield* Effect.all(both, { concurrency: "unbounded" }), ["00", "CORE-2507"])
    })
  )

  it.effect("meets with the network's cards too", () =>
    Effect.gen(function* () {
      const tagOf = (bank: Bank, elements: string) =>
        Effect.match(bank.send(document(elements)), { onSuccess: () => "answered", onFailure: ({ _tag }) => _tag })
      const bank = open("instant")
      const down = yield* authenticated(bank, { pan: "4000000000000341" })
      assert.strictEqual(yield* tagOf(bank, completion(down)), "ConnectFailed")
      const lost = yield* authenticated(bank, { pan: "4000000000000259", oid: "A2" })
      const taken = yield* Effect.forkChild(tagOf(bank, completion(lost, { OrderId: "A2" })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(taken), "NoAnswer")
      const never = yield* authenticated(bank, { pan: "4000000000000267", oid: "A3" })
      const dropped = yield* Effect.forkChild(tagOf(bank, completion(never, { OrderId: "A3" })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(dropped), "NoAnswer")
      yield* TestClock.adjust(Duration.seconds(30))
      const record = (orderId: string) =>
        Effect.map(bank.post(document(status(orderId))), (text) => element(text, "TRANS_STAT"))
      assert.deepStrictEqual(
        [yield* record("A1"), yield* record("A2"), yield* record("A3")],
        [undefined, "A", undefined]
      )
    })
  )
})

describe("the network before the simulated bank", () => {
  it.effect("is silent about an order whose answer was lost, for half a minute and to every step", () =>
    Effect.gen(function* () {
      const bank = open("instant")
      const lost = preAuth("A1").replace("4355084355084358", "4000000000000259")
      const taken = yield* Effect.forkChild(Effect.flip(bank.send(document(lost))))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(taken))._tag, "NoAnswer")
      for (const elements of [status("A1"), postAuth("A1", "10.00"), voidOf("A1")]) {
        assert.strictEqual((yield* Effect.flip(bank.send(document(elements))))._tag, "NoAnswer")
      }
      assert.strictEqual(yield* bank.code(preAuth("A2")), "00")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* bank.code(voidOf("A1")), "00")
    })
  )
})
