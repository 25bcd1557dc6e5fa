import { assert, describe, it } from "vitest"
import { authorized, captured, faultPaths, transactionOf } from "./support/answers.ts"
import { makeClient, sandbox, signRequest } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

/** What a payment card is called in an answer, however it was written in the request. */
const visaThrough = (month: number, year: number) => ({ first6: "411111", last4: "1111", month, year })
const year = new Date().getUTCFullYear() + 3

const cardOf = async (changes: Readonly<Record<string, unknown>>) => {
  const { card } = await authorized(client, changes)
  return { first6: card.first6, last4: card.last4, month: Number(card.expMonth), year: Number(card.expYear) }
}

describe("A card", () => {
  for (const cardNumber of ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111"]) {
    it(`may be written ${cardNumber}`, async () => {
      assert.deepStrictEqual(await cardOf({ cardNumber }), visaThrough(12, year))
    })
  }

  for (const cardExpMonth of ["3", "03", "12"]) {
    it(`may expire in month ${cardExpMonth}`, async () => {
      assert.deepStrictEqual(await cardOf({ cardExpMonth }), visaThrough(Number(cardExpMonth), year))
    })
  }

  for (const cardExpYear of [String(year), String(year).slice(2)]) {
    it(`may expire in a year of ${cardExpYear.length} digits`, async () => {
      assert.deepStrictEqual(await cardOf({ cardExpYear }), visaThrough(12, year))
    })
  }

  it("is still good in the month in which it expires", async () => {
    const now = new Date()
    const changes = { cardExpMonth: String(now.getUTCMonth() + 1), cardExpYear: String(now.getUTCFullYear()) }
    assert.deepStrictEqual(await cardOf(changes), visaThrough(now.getUTCMonth() + 1, now.getUTCFullYear()))
  })

  for (const [name, changes, first6] of [
    ["Mastercard", { cardNumber: cards.mastercard }, "555555"],
    ["American Express, with four digits of CVC", { cardNumber: cards.amex, cardCvc: "1234" }, "378282"],
    ["Troy in lira", { cardNumber: cards.troy, currency: "TRY" }, "979203"]
  ] as const) {
    it(`may be ${name}`, async () => {
      const { card, status } = await authorized(client, changes)
      assert.deepStrictEqual([status, card.first6], ["AUTHORIZED", first6])
    })
  }
})

describe("A country", () => {
  const accepted = [
    ..."TR tr TUR tur Turkey TURKEY Türkiye TÜRKİYE Turkiye".split(" "),
    ..."GB GBR Germany Almanya DEU ARE uae".split(" "),
    ...["United Kingdom", "Birleşik Krallık", "İngiltere", "united states", "Amerika Birleşik Devletleri"],
    ...["United Arab Emirates", "Birleşik Arap Emirlikleri", "Netherlands", "Hollanda", "France", "Fransa"]
  ]
  it("may be an ISO code or its usual English or Turkish name, in any case", async () => {
    for (const country of accepted) {
      const billingAddress = { address: "1 Main Street", city: "London", country }
      const answer = await client.authorize(order({ billingAddress }))
      assert.strictEqual(answer.status, 200, `${country}: ${answer.text}`)
    }
  })

  for (const country of ["Atlantis", "XX", "ZZZ", ""]) {
    it(`may not be ${JSON.stringify(country)}`, async () => {
      const billingAddress = { address: "1 Main Street", city: "London", country }
      assert.deepStrictEqual(faultPaths(await client.authorize(order({ billingAddress }))), ["billingAddress.country"])
    })
  }
})

describe("An optional field", () => {
  const optional = ["is3DS", "returnUrl", "installment", "cardHolderName", "description", "metadata"]
  const nulls = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, null]))

  it("is absent when it is null", async () => {
    const { buyer, billingAddress, ...rest } = order()
    const payment = transactionOf(
      await client.authorize({
        ...rest,
        ...nulls(optional),
        buyer: { ...buyer, ...nulls(["ip", "phone"]) },
        billingAddress: { ...billingAddress, ...nulls(["postalCode", "state"]) }
      })
    )
    assert.deepInclude(payment, { status: "AUTHORIZED", is3DS: false, installment: 1 })
    const whole = nulls(["transactionId", "amount", "finalCapture", "reference"])
    assert.strictEqual(transactionOf(await client.capture(payment.transactionId, whole)).status, "CAPTURED")
    const all = nulls(["transactionId", "amount", "reference"])
    assert.strictEqual(transactionOf(await client.refund(payment.transactionId, all)).status, "REFUNDED")
  })

  it("is not refused when it is given", async () => {
    const { buyer, billingAddress, ...rest } = order()
    const payment = transactionOf(
      await client.authorize({
        ...rest,
        is3DS: false,
        returnUrl: "https://shop.example.com/return",
        installment: 1,
        cardHolderName: "AYSE YILMAZ",
        description: "Two carpets",
        metadata: { basket: "basket-7" },
        buyer: { ...buyer, ip: "203.0.113.7", phone: "+905551112233" },
        billingAddress: { ...billingAddress, postalCode: "34126", state: "İstanbul" }
      })
    )
    assert.strictEqual(payment.status, "AUTHORIZED")
  })

  it("is not an excuse for a required one that is null", async () => {
    const { buyer } = order()
    const answer = await client.authorize(order({ merchantReference: null, buyer: { ...buyer, email: null } }))
    assert.deepStrictEqual(faultPaths(answer), ["buyer.email", "merchantReference"])
  })
})

describe("The caller's metadata", () => {
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, `text of entry ${index}`]))

  it("comes back with the payment, up to 20 texts", async () => {
    const { transactionId } = await authorized(client, { metadata: entries(20) })
    const { metadata } = transactionOf(await client.find(transactionId))
    const text = JSON.stringify(metadata)
    for (const value of Object.values(entries(20))) assert.include(text, value)
  })

  it("is refused with 21 texts, and with what is not a text", async () => {
    for (const metadata of [entries(21), { basket: 7 }, { basket: { id: "7" } }, ["basket"]]) {
      const paths = faultPaths(await client.authorize(order({ metadata })))
      assert.isNotEmpty(paths)
      for (const path of paths) assert.match(path, /^metadata/)
    }
  })
})

describe("A capture, refund or void", () => {
  it("needs neither a body nor a Content-Type", async () => {
    const [taken, cancelled] = [await authorized(client), await authorized(client)]
    for (const [id, operation, status] of [
      [taken.transactionId, "capture", "CAPTURED"],
      [taken.transactionId, "refund", "REFUNDED"],
      [cancelled.transactionId, "void", "VOIDED"]
    ] as const) {
      const request = signRequest(sandbox, "POST", `/pf/v1/payments/${id}/${operation}`)
      assert.notProperty(request.headers, "content-type")
      assert.strictEqual(transactionOf(await client.send(request)).status, status)
    }
  })

  it("takes an empty object", async () => {
    const [taken, cancelled] = [await authorized(client), await authorized(client)]
    assert.strictEqual(transactionOf(await client.capture(taken.transactionId, {})).status, "CAPTURED")
    assert.strictEqual(transactionOf(await client.refund(taken.transactionId, {})).status, "REFUNDED")
    assert.strictEqual(transactionOf(await client.cancel(cancelled.transactionId, {})).status, "VOIDED")
  })

  it("without a body may be signed over the timestamp and {} as well", async () => {
    const { transactionId } = await authorized(client)
    for (const [method, path] of [
      ["GET", `/pf/v1/payments/${transactionId}`],
      ["POST", `/pf/v1/payments/${transactionId}/void`]
    ] as const) {
      const { headers } = signRequest(sandbox, method, path, "{}")
      const { "content-type": _, ...bodiless } = headers
      const answer = await client.send({ method, path, headers: bodiless, body: undefined })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  it("may name its payment in the body", async () => {
    const [taken, cancelled] = [await authorized(client), await authorized(client)]
    const { transactionId } = taken
    assert.strictEqual(transactionOf(await client.capture(transactionId, { transactionId })).status, "CAPTURED")
    assert.strictEqual(transactionOf(await client.refund(transactionId, { transactionId })).status, "REFUNDED")
    const named = { transactionId: cancelled.transactionId }
    assert.strictEqual(transactionOf(await client.cancel(cancelled.transactionId, named)).status, "VOIDED")
  })

  it("is refused when its body names another payment than its path", async () => {
    const [open, other] = [await authorized(client), await captured(client)]
    const wrong = { transactionId: other.transactionId }
    assert.deepStrictEqual(faultPaths(await client.capture(open.transactionId, wrong)), ["transactionId"])
    assert.deepStrictEqual(faultPaths(await client.cancel(open.transactionId, wrong)), ["transactionId"])
    const back = { transactionId: open.transactionId }
    assert.deepStrictEqual(faultPaths(await client.refund(other.transactionId, back)), ["transactionId"])
    assert.strictEqual(transactionOf(await client.find(open.transactionId)).status, "AUTHORIZED")
    assert.strictEqual(transactionOf(await client.find(other.transactionId)).status, "CAPTURED")
  })
})
