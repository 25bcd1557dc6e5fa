import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { attemptsOf, problemOf, type Transaction, transactionOf } from "./support/answers.ts"
import { visit } from "./support/browser.ts"
import { makeClient, sandbox } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

const shop = "https://shop.example/back?cart=7"
const buyer = { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse@example.com", ip: "203.0.113.7" }

/** One payment each at a provider that redirects, at one with a form, and at one in the Gulf. */
const places = [
  ["stripe", { currency: "EUR", billingAddress: { address: "Ring 1", city: "Berlin", country: "DE" } }],
  ["isbank", { currency: "TRY" }],
  [
    "network-international",
    { currency: "AED", billingAddress: { address: "Corniche 1", city: "Dubai", country: "AE" } }
  ]
] as const

type Changes = Readonly<Record<string, unknown>>
const secured = (changes: Changes) => order({ is3DS: true, returnUrl: shop, buyer, ...changes })

const urlOf = ({ nextAction }: Transaction): string => {
  assert.strictEqual((nextAction as { type?: string } | undefined)?.type, "redirect")
  const { url } = nextAction as { url: string }
  assert.isTrue(url.startsWith(`${service().url}/pf/v1/3ds/`), url)
  return url
}

const begin = async (changes: Changes) => {
  const payment = transactionOf(await client.authorize(secured(changes)))
  assert.strictEqual(payment.status, "REQUIRES_ACTION")
  return { payment, url: urlOf(payment) }
}

const present = async ({ transactionId }: Transaction) => transactionOf(await client.find(transactionId))

/** Contract section 4, 3DS: what the shop is told, and that it was us. */
const assertTold = (url: URL, { merchantReference, transactionId }: Transaction, status: string) => {
  const names = ["transactionId", "merchantReference", "status", "amount", "currency", "timestamp"]
  const told = names.map((name) => url.searchParams.get(name) ?? "")
  assert.deepStrictEqual(told.slice(0, 3), [transactionId, merchantReference, status])
  assert.strictEqual(url.searchParams.get("cart"), "7")
  const signature = createHmac("sha256", sandbox.secret).update(told.join("\n")).digest("hex")
  assert.strictEqual(url.searchParams.get("signature"), signature)
  assert.closeTo(Number(url.searchParams.get("timestamp")), Date.now(), 60_000)
}

for (const [provider, changes] of places) {
  describe(`A buyer's challenge at ${provider}`, () => {
    it("authorizes after the right code, and the shop hears of it", async () => {
      const { payment, url } = await begin(changes)
      assert.strictEqual(payment.provider, provider)
      const back = await visit(url, "right")
      assertTold(back.url, payment, "AUTHORIZED")
      const after = await present(payment)
      assert.deepInclude(after, { status: "AUTHORIZED", is3DS: true, authorizedAmount: payment.amount })
      assert.isUndefined(after.nextAction)
      assert.strictEqual(transactionOf(await client.capture(payment.transactionId)).status, "CAPTURED")
    })

    it("needs no buyer where the issuer wants nothing", async () => {
      const first = transactionOf(await client.authorize(secured({ ...changes, cardNumber: "4000000000003063" })))
      if (first.status === "REQUIRES_ACTION") await visit(urlOf(first), "cancel")
      assert.strictEqual((await present(first)).status, "AUTHORIZED")
    })

    it("is 3DS_FAILED where the issuer does not know the buyer", async () => {
      const answer = await client.authorize(secured({ ...changes, cardNumber: "4000008400001629" }))
      if (answer.status === 402) return void problemOf(answer, 402, "3DS_FAILED")
      const payment = transactionOf(answer)
      assertTold((await visit(urlOf(payment), "right")).url, payment, "DECLINED")
      assert.strictEqual((await present(payment)).error?.code, "3DS_FAILED")
    })

    for (const answer of ["wrong", "cancel"] as const) {
      it(`is 3DS_FAILED after the answer ${answer}`, async () => {
        const { payment, url } = await begin({ ...changes, cardNumber: "4000000000003220" })
        assertTold((await visit(url, answer)).url, payment, "DECLINED")
        const after = await present(payment)
        assert.deepInclude(after, { status: "DECLINED", authorizedAmount: 0 })
        assert.strictEqual(after.error?.code, "3DS_FAILED")
      })
    }

    it("passes on what the issuer says of the money", async () => {
      const { payment, url } = await begin({ ...changes, cardNumber: cards.insufficientFunds })
      await visit(url, "right")
      const after = await present(payment)
      assert.deepStrictEqual([after.status, after.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
    })

    it("ends with a void, and a buyer who comes back later finds it ended", async () => {
      const { payment, url } = await begin(changes)
      const voided = await client.cancel(payment.transactionId, {})
      assert.include([200, 202], voided.status, voided.text)
      await visit(url, "right")
      assert.notStrictEqual((await present(payment)).status, "AUTHORIZED")
    })

    it("is taken once: neither the page nor the return does anything the second time", async () => {
      const { payment, url } = await begin(changes)
      const { seen } = await visit(url, "right")
      const again = await visit(url, "right")
      assert.notInclude(again.html ?? "", "<form", "the page offers no way on")
      const back = seen.findLast((one) => one.includes("/return"))?.split(" ")[1] ?? ""
      assert.include(back, "/return")
      const replayed = await fetch(back, { redirect: "manual" })
      assert.isBelow(replayed.status, 500)
      assert.strictEqual((await present(payment)).status, "AUTHORIZED")
    })
  })
}

describe("A bank that is away when the buyer comes back", () => {
  it("fails the payment at once, since no other provider may have it", async () => {
    const { payment, url } = await begin({ currency: "TRY", cardNumber: "4000000000000341" })
    assertTold((await visit(url, "right")).url, payment, "FAILED")
    const after = await present(payment)
    assert.deepStrictEqual([after.status, after.error?.code, attemptsOf(after).length], ["FAILED", "PROVIDER_ERROR", 1])
  })
})

describe("A challenge's page", () => {
  it("has no card data, is stored nowhere, and runs nothing", async () => {
    const { url } = await begin({ currency: "TRY" })
    const answer = await fetch(url)
    const html = await answer.text()
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(
      ["cache-control", "referrer-policy", "x-content-type-options"].map((name) => answer.headers.get(name)),
      ["no-store", "no-referrer", "nosniff"]
    )
    const policy = answer.headers.get("content-security-policy") ?? ""
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action"]) {
      assert.include(policy, part)
    }
    assert.notInclude(html, cards.visa)
    assert.notInclude(html, "<script")
  })

  it("is not found under a token that was changed, and nothing is told of the payment", async () => {
    const { payment, url } = await begin({ currency: "TRY" })
    const changed = `${url.slice(0, -3)}${url.endsWith("A") ? "BBB" : "AAA"}`
    for (const address of [changed, `${changed}/return`, `${service().url}/pf/v1/3ds/x`]) {
      const answer = await fetch(address)
      assert.strictEqual(answer.status, 404)
      assert.notInclude(await answer.text(), payment.transactionId)
    }
  })

  it("does not go on without its own one-time value", async () => {
    const { payment, url } = await begin({ currency: "TRY" })
    const answer = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ value: "made up" }),
      redirect: "manual"
    })
    assert.notStrictEqual(answer.status, 303)
    assert.notInclude(await answer.text(), cards.visa)
    await visit(url, "right")
    assert.strictEqual((await present(payment)).status, "AUTHORIZED")
  })

  it("believes no return that the issuer has not made", async () => {
    for (const changes of places.map(([, one]) => one)) {
      const { payment, url } = await begin(changes)
      const body = new URLSearchParams({
        mdStatus: "1",
        Response: "Approved",
        status: "success",
        redirect_status: "succeeded"
      })
      await fetch(`${url}/return`, { method: "POST", body, redirect: "manual" })
      assert.strictEqual((await present(payment)).status, "REQUIRES_ACTION")
      await visit(url, "right")
      assert.strictEqual((await present(payment)).status, "AUTHORIZED")
    }
  })

  it("ends on our own page where the shop named no address", async () => {
    const { payment, url } = await begin({ currency: "TRY", returnUrl: undefined })
    const { html } = await visit(url, "right")
    assert.match(html ?? "", /<h1/u)
    assert.strictEqual((await present(payment)).status, "AUTHORIZED")
  })
})

describe("A request with 3D Secure", () => {
  it("is answered with the same page again under its key", async () => {
    const body = secured({ currency: "TRY" })
    const first = transactionOf(await client.authorize(body, { idempotencyKey: "3ds-1" }))
    const again = transactionOf(await client.authorize(body, { idempotencyKey: "3ds-1" }))
    assert.deepStrictEqual(again, first)
    assert.deepStrictEqual((await present(first)).nextAction, first.nextAction)
  })

  it("names an address to come back to, if any", async () => {
    const refused = problemOf(await client.authorize(secured({ returnUrl: "not an address" })), 400, "INVALID_REQUEST")
    assert.deepStrictEqual(
      refused.errors?.map(({ path }) => path),
      ["returnUrl"]
    )
    const plain = await client.authorize(order({ is3DS: false, returnUrl: "not an address" }))
    assert.strictEqual(transactionOf(plain).status, "AUTHORIZED")
  })
})
