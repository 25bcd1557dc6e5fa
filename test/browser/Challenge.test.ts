import type { Request } from "playwright-core"
import { assert, beforeAll, describe, it } from "vitest"
import { sandbox } from "../e2e/support/Client.ts"
import { useBrowser } from "./support/Chromium.ts"
import { answerBank, challengeCard, look, useSandbox } from "./support/Sandbox.ts"
import { toldBy } from "./support/Shop.ts"

const { challenged, found, isShop, output, routeTo, service, shop, toBank, toShop } = useSandbox({ LOG_LEVEL: "debug" })
const visit = useBrowser()

/** Stripe redirects the browser; İşbank takes a form with the card in it. */
const providers = [
  { currency: "AED", provider: "stripe" },
  { currency: "TRY", provider: "isbank" }
] as const

describe.each(providers)("A buyer at $provider", ({ currency, provider }) => {
  beforeAll(() => routeTo(provider))

  for (const hasScript of [true, false]) {
    it(`pays ${hasScript ? "with" : "without"} JavaScript, and the browser complains of nothing`, async () => {
      const { id, url } = await challenged(currency)
      const { complaints, context, page } = await visit({ javaScriptEnabled: hasScript })
      await page.goto(url)
      await look(page, `${provider}-1-hosted`)
      assert.include(await page.textContent("main"), "Visa •••• 3220")
      await toBank(page, hasScript)
      await look(page, `${provider}-2-bank`)
      await answerBank(page, "123456")
      assert.deepInclude(await toShop(page, hasScript), {
        transactionId: id,
        status: "AUTHORIZED",
        amount: "149.90",
        currency
      })
      assert.deepInclude(await found(id), { status: "AUTHORIZED", provider })
      assert.deepStrictEqual(complaints, [])
      await context.close()
    })
  }

  it("is declined after wrong codes", async () => {
    const { id, url } = await challenged(currency)
    const { complaints, page, context } = await visit()
    await page.goto(url)
    await toBank(page)
    for (let tries = 0; tries < 2; tries++) {
      await answerBank(page, "000000")
      await page.getByRole("alert").waitFor()
    }
    await answerBank(page, "000000")
    assert.deepInclude(await toShop(page), { transactionId: id, status: "DECLINED" })
    const { error, status } = await found(id)
    assert.deepStrictEqual([status, error?.code], ["DECLINED", "3DS_FAILED"])
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("is declined after cancelling", async () => {
    const { id, url } = await challenged(currency)
    const { page, context } = await visit()
    await page.goto(url)
    await toBank(page)
    await page.getByRole("button", { name: "Cancel" }).click()
    assert.deepInclude(await toShop(page), { transactionId: id, status: "DECLINED" })
    assert.strictEqual((await found(id)).error?.code, "3DS_FAILED")
    await context.close()
  })

  it("sees our own page where there is no shop to go back to", async () => {
    for (const [code, heading, status] of [
      ["123456", "Payment approved", "AUTHORIZED"],
      ["cancel", "Payment not confirmed", "DECLINED"]
    ] as const) {
      const { id, url } = await challenged(currency, {})
      const { complaints, context, page } = await visit({ colorScheme: "dark", viewport: { width: 360, height: 700 } })
      await page.goto(url)
      await toBank(page)
      if (code === "cancel") await page.getByRole("button", { name: "Cancel" }).click()
      else await answerBank(page, code)
      await page.getByRole("heading", { name: heading }).waitFor()
      await look(page, `${provider}-3-${status}`)
      assert.notInclude(await page.content(), "3220")
      assert.strictEqual(page.url(), url)
      assert.strictEqual((await found(id)).status, status)
      assert.deepStrictEqual(complaints, [])
      await context.close()
    }
  })

  it("may close the browser before going on, and open the page again", async () => {
    const { id, url } = await challenged(currency)
    const first = await visit()
    await first.page.goto(url)
    await first.page.reload()
    await first.context.close()
    assert.strictEqual((await found(id)).status, "REQUIRES_ACTION")
    const { page, context } = await visit()
    await page.goto(url)
    await toBank(page)
    await answerBank(page, "123456")
    assert.deepInclude(await toShop(page), { status: "AUTHORIZED" })
    await context.close()
  })

  it("goes on once: who opens the page again, or goes back, is told so", async () => {
    const { id, url } = await challenged(currency)
    const { page, context } = await visit()
    await page.goto(url)
    const other = await context.newPage()
    await other.goto(url)
    await toBank(page)
    await other.getByRole("button", { name: "Continue to your bank" }).click()
    await other.getByRole("heading", { name: "Finish the payment at your bank" }).waitFor()
    await look(other, `${provider}-4-begun`)
    assert.notInclude(await other.content(), "3220")
    await other.reload()
    await other.getByRole("heading", { name: "Finish the payment at your bank" }).waitFor()
    await page.reload()
    await page.locator("input[name=code]").waitFor()
    await answerBank(page, "123456")
    await toShop(page)
    await other.getByRole("link", { name: "Look again" }).click()
    await other.getByRole("heading", { name: "Payment approved" }).waitFor()
    await other.getByRole("link", { name: "Back to" }).click()
    await other.waitForURL(isShop)
    assert.deepInclude(toldBy(other.url(), sandbox.secret), { transactionId: id, status: "AUTHORIZED" })
    await context.close()
  })

  it("may press the button twice at once", async () => {
    const { url } = await challenged(currency)
    const { page, context } = await visit()
    await page.goto(url)
    await page.getByRole("button", { name: "Continue to your bank" }).dblclick()
    await page.locator("input[name=code]").waitFor()
    await answerBank(page, "123456")
    assert.strictEqual((await toShop(page)).status, "AUTHORIZED")
    await context.close()
  })

  it("changes nothing by going back after it is done", async () => {
    const { id, url } = await challenged(currency)
    const { page, context } = await visit()
    await page.goto(url)
    await toBank(page)
    await answerBank(page, "123456")
    await toShop(page)
    const before = await found(id)
    for (let pages = 0; pages < 3; pages++) {
      await page.goBack({ waitUntil: "load" }).catch(() => undefined)
      assert.notInclude(await page.content(), challengeCard)
    }
    await page.goto(url)
    await page.getByRole("heading", { name: "Payment approved" }).waitFor()
    assert.deepStrictEqual(await found(id), before)
    await context.close()
  })

  it("cannot be robbed of the payment by a forged return, nor pay by one", async () => {
    const { id, url } = await challenged(currency)
    const { page, context } = await visit()
    await page.goto(url)
    await toBank(page)
    const forged = new URLSearchParams({
      mdStatus: "1",
      Response: "Approved",
      ProcReturnCode: "00",
      success: "true",
      redirect_status: "succeeded"
    })
    const answers = await Promise.all([
      fetch(`${url}/return?${forged}`, { redirect: "manual" }),
      fetch(`${url}/return`, { method: "POST", body: forged, redirect: "manual" })
    ])
    for (const answer of answers) {
      assert.strictEqual(answer.status, 303)
      const { status } = toldBy(answer.headers.get("location") ?? "", sandbox.secret)
      assert.notInclude(["AUTHORIZED", "DECLINED", "FAILED"], status)
    }
    await answerBank(page, "123456")
    await toShop(page)
    assert.strictEqual((await found(id)).status, "AUTHORIZED")
    await context.close()
  })

  it("changes nothing by coming back twice", async () => {
    const { id, url } = await challenged(currency)
    const { page, context } = await visit()
    const returns: Array<Request> = []
    page.on("request", (request) => {
      if (request.url().startsWith(`${url}/return`)) returns.push(request)
    })
    await page.goto(url)
    await toBank(page)
    await answerBank(page, "123456")
    await toShop(page)
    const before = await found(id)
    const [first] = returns
    assert(first !== undefined)
    for (let times = 0; times < 2; times++) {
      const body = first.postData()
      const again = await fetch(first.url(), {
        method: first.method(),
        redirect: "manual",
        ...(body === null ? {} : { body, headers: { "content-type": "application/x-www-form-urlencoded" } })
      })
      assert.strictEqual(toldBy(again.headers.get("location") ?? "", sandbox.secret).status, "AUTHORIZED")
    }
    assert.deepStrictEqual(await found(id), before)
    await context.close()
  })
})

describe("A hosted page", () => {
  beforeAll(() => routeTo("stripe"))

  it("is shown in no frame", async () => {
    const { url } = await challenged("AED")
    const { page, context } = await visit()
    await page.goto(shop())
    await page.evaluate(`document.body.innerHTML = '<iframe src="${url}"></iframe>'`)
    await page.waitForTimeout(500)
    const [, frame] = page.frames()
    assert.notInclude(await frame?.content(), "Confirm your payment")
    await context.close()
  })

  it("counts down without a script", async () => {
    const { url } = await challenged("AED")
    const { page, context } = await visit()
    await page.goto(url)
    const shown = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(".clock")).getPropertyValue("--left")`)
    const before = Number(await shown())
    assert.isAbove(before, 800)
    await page.waitForTimeout(2_100)
    assert.isBelow(Number(await shown()), before)
    await context.close()
  })

  it("is a page also where there is none", async () => {
    const { page, context, complaints } = await visit()
    const answer = await page.goto(`${service().url}/pf/v1/3ds/nothing`)
    assert.strictEqual(answer?.status(), 404)
    await page.getByRole("heading", { name: "There is no such payment page" }).waitFor()
    // The browser itself says that it got a 404.
    assert.isTrue(complaints.every((text) => text.includes("404")))
    await context.close()
  })
})

describe("The log of all this", () => {
  it("holds no token and no card number", () => {
    assert.include(output(), "GET /pf/v1/3ds/* 200")
    assert.notMatch(output(), /3ds\/[\w-]{20}/u)
    assert.notInclude(output(), challengeCard)
  })
})
