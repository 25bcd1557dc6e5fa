import { assert, describe, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import * as Simulator from "@sarraf/adapters/providers/network-international/Simulator"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { PostedNotification } from "@sarraf/adapters/providers/Simulator"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"

const provider = "network-international"
const pagesUrl = "http://sandbox.test/sandbox/network-international"
const host = "https://api-gateway.sandbox.ngenius-payments.com"
const { apiKey, outletReference } = Simulator.sandboxCredentials(pagesUrl)
const ordersPath = `/transactions/outlets/${outletReference}/orders`
const payments = "application/vnd.ni-payment.v2+json"
const identity = "application/vnd.ni-identity.v1+json"

const at = (json: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (value, name) => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined),
    json
  )

type Method = "GET" | "POST" | "PUT"

/** A simulated gateway of its own at 2026-11-21T09:00:00Z, spoken to in raw JSON. */
const open = Effect.fnUntraced(function* (orderBook: OrderBook = MemoryOrderBook.make()) {
  yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
  const posted: Array<PostedNotification> = []
  const notify = (notification: PostedNotification) => Effect.sync(() => void posted.push(notification))
  const simulator = Simulator.make({ provider, orderBook, settlement: "instant", pagesUrl, notify })
  const send = Effect.fnUntraced(function* (
    method: Method,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>
  ) {
    const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
    const answer = yield* simulator.handle({
      provider,
      method,
      url: `${host}${path}`,
      headers,
      ...(body === undefined ? {} : { body: bytes })
    })
    const json: unknown = JSON.parse(new TextDecoder().decode(answer.body))
    return { status: answer.status, json, at: (...names: ReadonlyArray<string | number>) => at(json, ...names) }
  })
  const exchange = (key: string = Redacted.value(apiKey), body: unknown = { realmName: "ni" }, type = identity) =>
    send("POST", "/identity/auth/access-token", body, { authorization: `Basic ${key}`, "content-type": type })
  const token = `${(yield* exchange()).at("access_token")}`
  const ask = (method: Method, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send(method, path, body, { authorization: `Bearer ${token}`, "content-type": payments, ...headers })
  return { simulator, posted, exchange, ask, token }
})

const goodOrder = {
  action: "AUTH",
  amount: { currencyCode: "AED", value: 1000 },
  emailAddress: "a@example.com",
  language: "en",
  merchantOrderReference: "ord-1",
  billingAddress: { firstName: "A", lastName: "B" },
  merchantAttributes: { skip3DS: true }
}
const card = (pan = "4111111111111111", changes: object = {}) => ({
  pan,
  expiry: "2030-03",
  cvv: "123",
  cardholderName: "A B",
  ...changes
})
const amount = (value: unknown, currencyCode = "AED") => ({ amount: { currencyCode, value } })

type Gateway = Effect.Success<ReturnType<typeof open>>

/** An order, and the path of its payment. */
const created = Effect.fnUntraced(function* ({ ask }: Gateway, changes: object = {}) {
  const made = yield* ask("POST", ordersPath, { ...goodOrder, ...changes })
  assert.strictEqual(made.status, 201)
  const orderPath = `${ordersPath}/${made.at("reference")}`
  return { made, orderPath, path: `${orderPath}/payments/${made.at("_embedded", "payment", 0, "reference")}` }
})

const authorised = Effect.fnUntraced(function* (gateway: Gateway) {
  const one = yield* created(gateway)
  assert.strictEqual((yield* gateway.ask("PUT", `${one.path}/card`, card())).at("state"), "AUTHORISED")
  return one
})

describe("the simulated N-Genius takes a payment", () => {
  it.effect("in the wire's words", () =>
    Effect.gen(function* () {
      const gateway = yield* open()
      const { made, path } = yield* created(gateway)
      assert.strictEqual(made.at("_embedded", "payment", 0, "state"), "STARTED")
      assert.strictEqual(made.at("_embedded", "payment", 0, "_links", "payment:card", "href"), `${host}${path}/card`)
      assert.include(`${made.at("formattedAmount")}`, "\u200F")
      const paid = yield* gateway.ask("PUT", `${path}/card`, card("4093191766216474"))
      assert.strictEqual(paid.status, 200)
      assert.strictEqual(paid.at("state"), "AUTHORISED")
      assert.strictEqual(paid.at("paymentMethod", "pan"), "409319******6474")
      assert.match(`${paid.at("authResponse", "authorizationCode")}`, /^\d{6}$/u)
      assert.deepStrictEqual([paid.at("authResponse", "success"), paid.at("authResponse", "resultCode")], [true, "00"])
    })
  )

  it.effect("and captures, refunds and releases within its sums", () =>
    Effect.gen(function* () {
      const gateway = yield* open()
      const { orderPath, path } = yield* authorised(gateway)
      const { ask } = gateway
      const first = yield* ask("POST", `${path}/captures`, amount(400))
      assert.deepStrictEqual([first.status, first.at("state")], [201, "PARTIALLY_CAPTURED"])
      assert.strictEqual((yield* ask("POST", `${path}/captures`, amount(601))).status, 422)
      assert.strictEqual((yield* ask("POST", `${path}/captures`, amount("600"))).at("state"), "CAPTURED")
      assert.strictEqual((yield* ask("POST", `${path}/captures`, amount(1))).status, 409)
      const captureId = `${first.at("_embedded", "cnp:capture", 0, "_links", "self", "href")}`.split("/").at(-1)
      const refundPath = `${path}/captures/${captureId}/refund`
      assert.strictEqual((yield* ask("POST", refundPath, amount(401))).status, 422)
      assert.strictEqual((yield* ask("POST", refundPath, amount(400))).at("state"), "PARTIALLY_REFUNDED")
      assert.strictEqual((yield* ask("POST", refundPath, amount(1))).status, 422)
      assert.strictEqual((yield* ask("PUT", `${path}/cancel`)).status, 409)
      const asked = yield* ask("GET", orderPath)
      assert.strictEqual(asked.at("_embedded", "payment", 0, "_embedded", "cnp:refund", 0, "amount", "value"), 400)
    })
  )

  const declines: ReadonlyArray<readonly [string, string]> = [
    ["4000000000009995", "51"],
    ["4000000000000002", "05"],
    ["4000000000000069", "54"],
    ["4000000000000119", "91"]
  ]
  for (const [pan, code] of declines) {
    it.effect(`or declines ${pan} with ${code}`, () =>
      Effect.gen(function* () {
        const gateway = yield* open()
        const { path } = yield* created(gateway)
        const refused = yield* gateway.ask("PUT", `${path}/card`, card(pan))
        assert.deepStrictEqual([refused.status, refused.at("state")], [200, "FAILED"])
        assert.deepStrictEqual(refused.at("authResponse", "resultCode"), code)
        assert.strictEqual(refused.at("authResponse", "authorizationCode"), "      ")
      })
    )
  }

  it.effect("and posts each change with the merchant's header", () =>
    Effect.gen(function* () {
      const gateway = yield* open()
      const { path } = yield* authorised(gateway)
      yield* gateway.ask("PUT", `${path}/cancel`, "", { "content-type": "" })
      const told = gateway.posted.map(({ body, delayMillis, headers }) => {
        const json: unknown = JSON.parse(new TextDecoder().decode(body))
        assert.strictEqual(headers["x-sandbox-webhook"], "sandbox-webhook-value")
        assert.strictEqual(delayMillis, 200)
        assert.include(new TextDecoder().decode(body), "http://transaction-service/")
        return [at(json, "eventName"), at(json, "order", "merchantOrderReference")]
      })
      assert.deepStrictEqual(told, [
        ["AUTHORISED", "ord-1"],
        ["REVERSED", "ord-1"]
      ])
    })
  )

  it.effect("in any process that shares its book, and keeps no card number in it", () =>
    Effect.gen(function* () {
      const memory = MemoryOrderBook.make()
      const written: Array<string> = []
      const keep = (order: object) => Effect.sync(() => void written.push(JSON.stringify(order)))
      const book: OrderBook = {
        find: memory.find,
        add: (one, key, order) => Effect.andThen(keep(order), memory.add(one, key, order)),
        save: (one, key, order) => Effect.andThen(keep(order), memory.save(one, key, order))
      }
      const { path } = yield* authorised(yield* open(book))
      const other = yield* open(book)
      assert.strictEqual((yield* other.ask("POST", `${path}/captures`, amount(1000))).at("state"), "CAPTURED")
      assert.isAbove(written.length, 2)
      for (const text of written) assert.notMatch(text, /4111111111111111|"123"/u)
    })
  )

  it.effect("one request at a time for each order", () =>
    Effect.gen(function* () {
      const gateway = yield* open()
      const { path } = yield* created(gateway)
      // The network loses the first after a second, and meanwhile the order is its own.
      const lost = yield* Effect.forkChild(Effect.exit(gateway.ask("PUT", `${path}/card`, card("4000000000000267"))), {
        startImmediately: true
      })
      assert.strictEqual((yield* gateway.ask("PUT", `${path}/card`, card())).status, 409)
      yield* TestClock.adjust("1 second")
      lost.interruptUnsafe()
      assert.strictEqual((yield* gateway.ask("PUT", `${path}/card`, card())).at("state"), "AUTHORISED")
    })
  )
})

describe("the simulated N-Genius refuses", () => {
  it.effect("a key, a realm or a media type that is not its own", () =>
    Effect.gen(function* () {
      const { exchange } = yield* open()
      assert.strictEqual((yield* exchange("d3Jvbmc=")).status, 401)
      assert.strictEqual((yield* exchange(undefined, { realmName: "other" })).status, 401)
      assert.strictEqual((yield* exchange(undefined, {}, payments)).status, 415)
      assert.strictEqual((yield* exchange(undefined, "")).at("expires_in"), 300)
    })
  )

  it.effect("a token that is none, altered or older than five minutes", () =>
    Effect.gen(function* () {
      const { ask, token } = yield* open()
      const create = (authorization: string) => ask("POST", ordersPath, goodOrder, { authorization })
      const altered = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`
      const later = token.replace(/^\d/u, "9")
      for (const wrong of ["", token, "Bearer x", `Bearer ${altered}`, `Bearer ${later}`]) {
        assert.strictEqual((yield* create(wrong)).status, 401)
      }
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual((yield* create(`Bearer ${token}`)).status, 201)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* create(`Bearer ${token}`)).status, 401)
    })
  )

  const orders: ReadonlyArray<readonly [string, unknown, number]> = [
    ["no JSON", "{", 400],
    ["a sale", { ...goodOrder, action: "SALE" }, 400],
    ["no address for letters", { ...goodOrder, emailAddress: "" }, 400],
    ["no name", { ...goodOrder, billingAddress: { firstName: "A" } }, 400],
    ["no amount", { ...goodOrder, amount: { currencyCode: "AED" } }, 400],
    ["nothing", { ...goodOrder, ...amount(0) }, 400],
    ["a part of a fils", { ...goodOrder, ...amount(10.5) }, 400],
    ["a currency that the outlet has not", { ...goodOrder, ...amount(1000, "TRY") }, 422]
  ]
  for (const [name, json, status] of orders) {
    it.effect(`an order with ${name}`, () =>
      Effect.gen(function* () {
        const { ask } = yield* open()
        const refused = yield* ask("POST", ordersPath, json)
        assert.strictEqual(refused.status, status)
        assert.isString(refused.at("errors", 0, "errorCode"))
      })
    )
  }

  const cards: ReadonlyArray<readonly [string, object]> = [
    ["a wrong check digit", card("4111111111111112")],
    ["a month that is none", card(undefined, { expiry: "2030-13" })],
    ["a month that is over", card(undefined, { expiry: "2026-10" })],
    ["a year of two digits", card(undefined, { expiry: "30-03" })],
    ["a short security code", card(undefined, { cvv: "12" })],
    ["no name", card(undefined, { cardholderName: "" })]
  ]
  for (const [name, json] of cards) {
    it.effect(`a card with ${name}, and the order still waits`, () =>
      Effect.gen(function* () {
        const gateway = yield* open()
        const { path } = yield* created(gateway)
        assert.include([400, 422], (yield* gateway.ask("PUT", `${path}/card`, json)).status)
        assert.strictEqual((yield* gateway.ask("PUT", `${path}/card`, card())).at("state"), "AUTHORISED")
      })
    )
  }

  it.effect("what it does not know, and what the state does not allow", () =>
    Effect.gen(function* () {
      const gateway = yield* open()
      const { ask } = gateway
      const { orderPath, path } = yield* created(gateway)
      const nobody = "00000000-0000-4000-8000-000000000000"
      const unknown: ReadonlyArray<readonly [Method, string]> = [
        ["GET", `${ordersPath}/${nobody}`],
        ["PUT", `${orderPath}/payments/${nobody}/cancel`],
        ["GET", `/transactions/outlets/${nobody}/orders/${nobody}`],
        ["PUT", `${path}/unheard-of`],
        ["POST", orderPath],
        ["GET", "/elsewhere"]
      ]
      for (const [method, where] of unknown) assert.strictEqual((yield* ask(method, where)).status, 404, where)
      assert.strictEqual((yield* ask("POST", `${path}/captures`, amount(1))).status, 409)
      assert.strictEqual((yield* ask("PUT", `${path}/cancel`)).status, 409)
      assert.strictEqual((yield* ask("POST", `${path}/card/3ds2/authentications`, {})).status, 400)
      assert.strictEqual((yield* ask("PUT", `${path}/card`, card(), { "content-type": "text/plain" })).status, 415)
      yield* ask("PUT", `${path}/card`, card())
      assert.strictEqual((yield* ask("PUT", `${path}/card`, card())).status, 409)
      assert.strictEqual((yield* ask("POST", `${path}/captures`, amount(1, "USD"))).status, 400)
      assert.strictEqual((yield* ask("POST", `${path}/captures/${nobody}/refund`, amount(1))).status, 404)
    })
  )
})

const device = {
  deviceChannel: "BRW",
  threeDSCompInd: "N",
  notificationURL: "https://gateway.test/return",
  browserInfo: {
    browserLanguage: "en",
    browserColorDepth: "24",
    browserScreenHeight: "1080",
    browserScreenWidth: "1920",
    browserTZ: "0"
  }
}

const decode = (text: unknown): unknown => JSON.parse(Buffer.from(`${text}`, "base64url").toString("utf8"))

/** A payment whose buyer is with the issuer, and a browser. */
const challenged = Effect.fnUntraced(function* () {
  const gateway = yield* open()
  const { path } = yield* created(gateway, { merchantAttributes: {} })
  assert.strictEqual((yield* gateway.ask("PUT", `${path}/card`, card())).at("state"), "AWAIT_3DS")
  const answer = yield* gateway.ask("POST", `${path}/card/3ds2/authentications`, device)
  assert.strictEqual(answer.at("3ds2", "transStatus"), "C")
  const creq = `${answer.at("3ds2", "base64EncodedCReq")}`
  const transId = `${at(decode(creq), "threeDSServerTransID")}`
  const post = Effect.fnUntraced(function* (where: string, fields: Readonly<Record<string, string>>) {
    const { body, status } = yield* gateway.simulator.handle({
      provider,
      method: "POST",
      url: `${pagesUrl}${where}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new TextEncoder().encode(new URLSearchParams(fields).toString())
    })
    return { status, html: new TextDecoder().decode(body) }
  })
  return { ...gateway, path, answer, creq, transId, post }
})

describe("the simulated issuer", () => {
  it.effect("shows its page, and sends the browser back once", () =>
    Effect.gen(function* () {
      const { answer, ask, creq, path, post, transId } = yield* challenged()
      assert.strictEqual(answer.at("3ds2", "acsURL"), `${pagesUrl}/acs`)
      const page = yield* post("/acs", { creq })
      assert.strictEqual(page.status, 200)
      assert.include(page.html, "10.00 AED")
      const challengePath = `${path}/card/3ds2/challenge-response`
      assert.strictEqual((yield* ask("POST", challengePath, {})).status, 409)
      const back = yield* post(`/acs/${transId}`, { code: "123456" })
      const [, cres = ""] = /name="cres" value="([^"]+)"/u.exec(back.html) ?? []
      assert.strictEqual(at(decode(cres), "transStatus"), "Y")
      assert.strictEqual((yield* post(`/acs/${transId}`, { code: "123456" })).status, 410)
      assert.strictEqual((yield* post("/acs", { creq })).status, 410)
      assert.strictEqual((yield* ask("POST", challengePath, { base64EncodedCRes: "e30" })).status, 422)
      assert.strictEqual((yield* ask("POST", challengePath, { base64EncodedCRes: cres })).at("state"), "AUTHORISED")
      assert.strictEqual((yield* ask("POST", challengePath, { base64EncodedCRes: cres })).status, 409)
    })
  )

  it.effect("gives the buyer three tries", () =>
    Effect.gen(function* () {
      const { ask, path, post, transId } = yield* challenged()
      for (const attempt of [1, 2]) {
        assert.include((yield* post(`/acs/${transId}`, { code: "1" })).html, "Try again", `${attempt}`)
      }
      assert.include((yield* post(`/acs/${transId}`, { code: "1" })).html, "cres")
      const failed = yield* ask("POST", `${path}/card/3ds2/challenge-response`, {})
      assert.deepStrictEqual([failed.at("state"), failed.at("3ds", "status")], ["FAILED", "FAILURE"])
      assert.isUndefined(failed.at("authResponse"))
    })
  )

  it.effect("knows no challenge that the gateway did not start", () =>
    Effect.gen(function* () {
      const { creq, post, simulator } = yield* challenged()
      const request = decode(creq)
      assert(typeof request === "object" && request !== null)
      const altered = Buffer.from(JSON.stringify({ ...request, acsTransID: "other" })).toString("base64url")
      for (const wrong of ["", "%", "e30", altered]) {
        assert.strictEqual((yield* post("/acs", { creq: wrong })).status, 410)
      }
      assert.strictEqual((yield* post("/acs/unknown", { code: "123456" })).status, 410)
      assert.strictEqual((yield* post("/elsewhere", {})).status, 404)
      const get = yield* simulator.handle({ provider, method: "GET", url: `${pagesUrl}/acs`, headers: {} })
      assert.strictEqual(get.status, 405)
    })
  )
})
