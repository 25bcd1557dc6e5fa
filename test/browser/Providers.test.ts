import { assert, describe, it } from "vitest"
import { useBrowser } from "./support/Chromium.ts"
import { answerBank, look, useSandbox } from "./support/Sandbox.ts"

const { challenged, client, found, routeTo, shop, toBank, toShop } = useSandbox()
const visit = useBrowser()

interface Capabilities {
  readonly providers: ReadonlyArray<{
    readonly provider: string
    readonly currencies: ReadonlyArray<string>
    readonly threeDS: boolean
  }>
}

/** With every field that a provider may ask for. */
const buyer = {
  buyer: {
    firstName: "Ayşe",
    lastName: "Yılmaz",
    email: "ayse@example.com",
    ip: "203.0.113.7",
    phone: "+905321112233"
  },
  billingAddress: {
    address: "Kapalıçarşı 1",
    city: "İstanbul",
    country: "TR",
    postalCode: "34126",
    state: "İstanbul"
  }
}

const threeDSProviders = async () => {
  const { providers } = (await client.request("GET", "/pf/v1/capabilities")).json as Capabilities
  return providers.filter(({ threeDS }) => threeDS)
}

/** Tells what went wrong at which provider, all at once. */
const atEach = async (
  walk: (provider: Capabilities["providers"][number]) => Promise<void>
): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  const all = await threeDSProviders()
  assert.isAbove(all.length, 1)
  for (const one of all) {
    await routeTo(one.provider)
    await walk(one).catch((error) => faults.push(`${one.provider}: ${String(error).slice(0, 300)}`))
  }
  return faults
}

describe("Every provider with 3D Secure", () => {
  for (const hasScript of [true, false]) {
    it(`takes a buyer ${hasScript ? "with" : "without"} JavaScript to the bank and back`, {
      timeout: 180_000
    }, async () => {
      const faults = await atEach(async ({ currencies: [currency = "TRY"], provider }) => {
        const { id, url } = await challenged(currency, { ...buyer, returnUrl: shop() })
        const { complaints, context, page } = await visit({ javaScriptEnabled: hasScript })
        page.setDefaultTimeout(5_000)
        try {
          await page.goto(url)
          await toBank(page, hasScript)
          await look(page, `${provider}-bank`)
          await answerBank(page, "123456")
          assert.strictEqual((await toShop(page, hasScript)).status, "AUTHORIZED")
          assert.deepInclude(await found(id), { status: "AUTHORIZED", provider })
          assert.deepStrictEqual(complaints, [])
        } finally {
          await context.close()
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  }

  it("declines a buyer who cancels", { timeout: 180_000 }, async () => {
    const faults = await atEach(async ({ currencies: [currency = "TRY"] }) => {
      const { id, url } = await challenged(currency, { ...buyer, returnUrl: shop() })
      const { context, page } = await visit()
      page.setDefaultTimeout(5_000)
      try {
        await page.goto(url)
        await toBank(page)
        await page.getByRole("button", { name: "Cancel" }).click()
        assert.strictEqual((await toShop(page)).status, "DECLINED")
        assert.strictEqual((await found(id)).error?.code, "3DS_FAILED")
      } finally {
        await context.close()
      }
    })
    assert.deepStrictEqual(faults, [])
  })
})
