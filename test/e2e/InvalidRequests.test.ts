import { assert, describe, it } from "vitest"
import { authorized, captured, faultPaths, problemOf, transactionOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

const required = [
  ...["amount", "currency", "merchantReference", "cardNumber", "cardExpMonth", "cardExpYear", "cardCvc"],
  ...["buyer.firstName", "buyer.lastName", "buyer.email"],
  ...["billingAddress.address", "billingAddress.city", "billingAddress.country"]
]

/** The order without the field at the path. */
const without = (path: string) => {
  const [outer = "", inner] = path.split(".")
  const whole: Record<string, unknown> = order()
  if (inner === undefined) delete whole[outer]
  else whole[outer] = Object.fromEntries(Object.entries(whole[outer] as object).filter(([name]) => name !== inner))
  return whole
}

/** The order with another value at the path. */
const changed = (path: string, value: unknown) => {
  const [outer = "", inner] = path.split(".")
  const whole: Record<string, unknown> = order()
  return { ...whole, [outer]: inner === undefined ? value : { ...(whole[outer] as object), [inner]: value } }
}

describe("A body", () => {
  for (const path of required) {
    it(`without ${path} is refused at ${path}`, async () => {
      assert.deepStrictEqual(faultPaths(await client.authorize(without(path))), [path])
    })
  }

  it("without buyer and address is refused at both", async () => {
    const { billingAddress: _, buyer: __, ...rest } = order()
    const paths = faultPaths(await client.authorize(rest))
    assert.isTrue(paths.some((path) => path.startsWith("buyer")))
    assert.isTrue(paths.some((path) => path.startsWith("billingAddress")))
  })

  it("is told all its faults at once", async () => {
    const { buyer, cardExpMonth: _, ...rest } = order({ currency: "JPY", amount: -1, is3DS: "yes" })
    const answer = await client.authorize({ ...rest, buyer: { ...buyer, email: 7 }, surprise: true })
    assert.deepStrictEqual(faultPaths(answer), [
      "amount",
      "buyer.email",
      "cardExpMonth",
      "currency",
      "is3DS",
      "surprise"
    ])
  })

  it("that is empty is told every required field", async () => {
    const paths = faultPaths(await client.authorize({}))
    for (const path of required) {
      const outer = path.split(".")[0] ?? ""
      assert.isTrue(paths.includes(path) || paths.includes(outer), path)
    }
  })

  it("has the types of the specification", async () => {
    for (const path of required.filter((path) => path !== "amount")) {
      for (const value of [7, true, [], {}]) {
        assert.deepStrictEqual(faultPaths(await client.authorize(changed(path, value))), [path])
      }
    }
    for (const [path, value] of [
      ...["yes", 1, "true"].map((value) => ["is3DS", value] as const),
      ...[0, 13, 1.5, -3, "3", true].map((value) => ["installment", value] as const),
      ...["JPY", "usdollar", "", "US"].map((value) => ["currency", value] as const),
      ["buyer", "Jane Doe"],
      ["billingAddress", ["1 Main Street"]]
    ] as const) {
      const paths = faultPaths(await client.authorize(changed(path, value)))
      assert.deepStrictEqual(paths, [path], JSON.stringify(value))
    }
  })

  it("may not have fields that nobody knows, at any depth", async () => {
    const whole = order()
    const answer = await client.authorize({
      ...whole,
      Amount: 1,
      merchant_reference: "x",
      buyer: { ...whole.buyer, middleName: "M" },
      billingAddress: { ...whole.billingAddress, zip: "1" }
    })
    const expected = ["Amount", "billingAddress.zip", "buyer.middleName", "merchant_reference"]
    assert.deepStrictEqual(faultPaths(answer), expected)
  })

  it("may not reach for the prototype of an object", async () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const text = JSON.stringify(order({ surprise: { amount: 1 } })).replace('"surprise"', `"${name}"`)
      assert.deepStrictEqual(faultPaths(await client.authorize(text)), [name])
    }
  })

  it("of a capture, refund or void may not have unknown fields either", async () => {
    const [open, taken] = [await authorized(client), await captured(client)]
    assert.deepStrictEqual(faultPaths(await client.capture(open.transactionId, { amount: 1, final: true })), ["final"])
    assert.deepStrictEqual(faultPaths(await client.cancel(open.transactionId, { reason: "sold out" })), ["reason"])
    assert.deepStrictEqual(faultPaths(await client.refund(taken.transactionId, { amounts: 1 })), ["amounts"])
    assert.strictEqual(transactionOf(await client.find(open.transactionId)).status, "AUTHORIZED")
    assert.strictEqual(transactionOf(await client.find(taken.transactionId)).status, "CAPTURED")
  })
})

describe("A text", () => {
  const texts = { "U+0000": "before\u0000after", "a lone surrogate": "before\ud800after", "a lone low half": "\udc00" }
  for (const [name, text] of Object.entries(texts)) {
    it(`with ${name} is refused where it stands`, async () => {
      for (const path of ["merchantReference", "buyer.firstName", "billingAddress.city", "description"]) {
        assert.deepStrictEqual(faultPaths(await client.authorize(changed(path, text))), [path])
      }
      const paths = faultPaths(await client.authorize(order({ metadata: { basket: text } })))
      assert.isTrue(paths.length === 1 && paths[0]?.startsWith("metadata"), String(paths))
    })
  }

  it("with a whole surrogate pair, quotes and line breaks comes back as it was", async () => {
    const merchantReference = 'çay 🫖 "iki"\n\\ <b>'
    assert.strictEqual((await authorized(client, { merchantReference })).merchantReference, merchantReference)
  })
})

describe("Installments", () => {
  it("are taken where the provider has them, and come back", async () => {
    const payment = await authorized(client, { currency: "TRY", installment: 3 })
    assert.deepInclude(payment, { provider: "isbank", installment: 3, status: "AUTHORIZED" })
    assert.strictEqual(transactionOf(await client.capture(payment.transactionId)).installment, 3)
  })

  it("may be twelve at most, and one is none", async () => {
    assert.strictEqual((await authorized(client, { currency: "TRY", installment: 12 })).installment, 12)
    assert.strictEqual((await authorized(client, { currency: "TRY", installment: 1 })).installment, 1)
    assert.deepStrictEqual(faultPaths(await client.authorize(order({ currency: "TRY", installment: 13 }))), [
      "installment"
    ])
  })

  it("are refused at installment where no provider has them for the currency", async () => {
    for (const currency of ["USD", "AED"]) {
      const body = order({ currency, installment: 3 })
      assert.deepStrictEqual(faultPaths(await client.authorize(body)), ["installment"])
      const again = transactionOf(await client.authorize({ ...body, installment: 1 }))
      assert.strictEqual(again.status, "AUTHORIZED", "the refusal left no payment behind")
    }
  })
})

describe("A card that cannot be one", () => {
  const year = new Date().getUTCFullYear()
  const wrongCards = {
    "a wrong check digit": { cardNumber: "4111111111111112" },
    "too few digits": { cardNumber: "411111111" },
    "too many digits": { cardNumber: "41111111111111111111" },
    "an expiry in the last year": { cardExpYear: String(year - 1) },
    "an expiry in the last year, in two digits": { cardExpYear: String(year - 1).slice(2) },
    "month 13": { cardExpMonth: "13" },
    "month 0": { cardExpMonth: "0" },
    "a CVC of two digits": { cardCvc: "12" },
    "a CVC of five digits": { cardCvc: "12345" },
    "three digits of CVC where American Express has four": { cardNumber: cards.amex, cardCvc: "123" }
  }
  for (const [name, changes] of Object.entries(wrongCards)) {
    it(`has ${name}: INVALID_CARD, and no payment is made`, async () => {
      const body = order(changes)
      const answer = await client.authorize(body)
      const problem = problemOf(answer, 422, "INVALID_CARD")
      assert.isUndefined(problem.transaction)
      assert.isUndefined(problem.transactionId)
      assert.notInclude(answer.text, String(body.cardNumber))
      const listed = (await client.list(`?merchantReference=${body.merchantReference}`)).json as {
        data: Array<unknown>
      }
      assert.deepStrictEqual(listed.data, [])
    })
  }
})
