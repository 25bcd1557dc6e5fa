import { join } from "node:path"
import type { Page } from "playwright-core"
import { assert } from "vitest"
import { transactionOf } from "../../e2e/support/answers.ts"
import { makeClient, sandbox } from "../../e2e/support/Client.ts"
import { order } from "../../e2e/support/orders.ts"
import { useService, type Variables } from "../../e2e/support/Service.ts"
import { toldBy, useShop } from "./Shop.ts"

export const challengeCard = "4000000000003220"

/** The address in an answer's `nextAction`. */
const addressIn = (nextAction: unknown): string => {
  const { type, url } = (nextAction ?? {}) as { readonly type?: string; readonly url?: string }
  assert(type === "redirect" && url !== undefined, JSON.stringify(nextAction))
  return url
}

/** For looking at the pages: `SARRAF_SCREENSHOTS=/tmp/pages npx vitest run test/browser`. */
export const look = async (page: Page, name: string) => {
  const folder = process.env.SARRAF_SCREENSHOTS
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Answers the bank's page. */
export const answerBank = async (page: Page, code: string) => {
  await page.locator("input[name=code]").fill(code)
  await page.getByRole("button", { name: "Confirm" }).click()
}

/** A shop that sells through a service, for one test file. */
export const makeSandbox = (service: () => { readonly url: string }) => {
  const shop = useShop()
  const client = makeClient(service)
  const isShop = (url: URL) => url.href.startsWith(shop())
  return {
    service,
    shop,
    client,
    isShop,

    /** From now on payments go to this provider alone. */
    routeTo: async (provider: string) => {
      const answer = await fetch(new URL("/api/routing-policy", service().url), {
        method: "PUT",
        headers: { authorization: "Bearer key_test_sandbox", "content-type": "application/json" },
        body: JSON.stringify({ rules: [{ name: "only", action: { type: "only", providers: [provider] } }] })
      })
      assert.strictEqual(answer.status, 200, await answer.text())
    },

    /** A payment that waits for its buyer, and the address of its page. */
    challenged: async (currency: string, changes: Readonly<Record<string, unknown>> = { returnUrl: shop() }) => {
      const answer = await client.authorize(order({ currency, is3DS: true, cardNumber: challengeCard, ...changes }))
      assert.strictEqual(answer.status, 200, answer.text)
      const { nextAction, status, transactionId } = transactionOf(answer)
      assert.strictEqual(status, "REQUIRES_ACTION")
      return { id: transactionId, url: addressIn(nextAction) }
    },

    found: async (id: string) => transactionOf(await client.find(id)),

    /** From the hosted page to the bank's, past pages that only carry a form on. */
    toBank: async (page: Page, hasScript = true) => {
      await page.getByRole("button", { name: "Continue to your bank" }).click()
      const code = page.locator("input[name=code]")
      while (!hasScript && (await code.count()) === 0) await page.getByRole("button").click()
      await code.waitFor()
    },

    /** Back to the shop, past pages that only carry the browser back; what the shop is told. */
    toShop: async (page: Page, hasScript = true) => {
      while (!hasScript && !isShop(new URL(page.url()))) await page.getByRole("button").click()
      await page.waitForURL(isShop)
      return toldBy(page.url(), sandbox.secret)
    }
  }
}

/** The same with a service of its own. */
export const useSandbox = (variables: Variables = {}) => {
  const service = useService(variables)
  return { ...makeSandbox(service), output: () => service().output }
}
