import { type OAuthDiscoveryState, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { makeKeeper } from "../e2e/support/assistants.ts"
import { makeClient } from "../e2e/support/Client.ts"
import { useCallback } from "../e2e/support/callback.ts"
import { authorizePath, makePkce, otherOrganization, registered, sandboxOrganization } from "../e2e/support/oauth.ts"
import { bodyOf, invite, join, sendJson } from "../e2e/support/people.ts"
import { useService } from "../e2e/support/Service.ts"
import { totpCode } from "../e2e/support/totp.ts"
import { useBrowser } from "./support/Chromium.ts"
import { look } from "./support/Sandbox.ts"

/** An assistant is connected in a real browser, as a person sees it. */

const service = useService({ LOG_LEVEL: "debug" })
const client = makeClient(service)
const callback = useCallback()
const visit = useBrowser()
const key = "key_test_sandbox"

const overflow = (page: Page) => page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
const signIn = async (page: Page, email: string, password: string) => {
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** The address of the first page for an assistant that waits on this machine. */
const addressFor = async (name = "Test assistant") => {
  const clientId = await registered(service, { client_name: name, redirect_uris: [callback.address()] })
  const parameters = { client_id: clientId, redirect_uri: callback.address() }
  return service().url + authorizePath({ ...parameters, code_challenge: makePkce().challenge })
}

/** Somebody who is a member of both organizations. */
const inBoth = async (email: string) => {
  const person = await join(client, key, email)
  const { invitation_url } = await invite(client, "key_test_other", email, "AUDITOR")
  await fetch(invitation_url, { method: "POST", body: new URLSearchParams({ password: person.password }) })
  return person
}

describe("The client of the 1.x SDK", () => {
  it("is connected through sign-in, consent and the choice of an organization, and calls a tool", async () => {
    const { email, password } = await inBoth("chooses@sandbox.test")
    const { complaints, context, page } = await visit()
    let arrived: Promise<unknown> = Promise.resolve()
    const authProvider = makeKeeper<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      callback.address(),
      async (url) => {
        arrived = page.goto(url.href)
      }
    )
    const connect = () => {
      const assistant = new Client({ name: "test", version: "1" })
      const transport = new StreamableHTTPClientTransport(new URL("/mcp", service().url), { authProvider })
      // The SDK's own types do not agree under exactOptionalPropertyTypes.
      return { assistant, transport, done: assistant.connect(transport as Parameters<Client["connect"]>[0]) }
    }
    const first = connect()
    const error = await first.done.catch((reason: unknown) => reason)
    assert.instanceOf(error, UnauthorizedError)
    await arrived
    await signIn(page, email, password)
    await page.getByRole("heading", { name: "Allow “Assistant” to read your organization’s data?" }).waitFor()
    await look(page, "connect-choice")
    await page.getByRole("button", { name: "Allow" }).click()
    assert.isTrue(await page.locator("input:invalid").first().isVisible(), "one has to be chosen")
    await page.getByLabel("Other").check()
    await look(page, "connect-chosen")
    const told = callback.next()
    await page.getByRole("button", { name: "Allow" }).click()
    await page.getByRole("heading", { name: "You may close this" }).waitFor()
    assert.notInclude(page.url(), "access_token")
    await first.transport.finishAuth((await told).searchParams.get("code") ?? "")
    const second = connect()
    await second.done
    const answer = await second.assistant.callTool({ name: "whoami", arguments: {} })
    assert.include(JSON.stringify(answer.structuredContent), otherOrganization)
    assert.notInclude(JSON.stringify(answer.structuredContent), sandboxOrganization)
    await second.assistant.close()
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })
})

describe("The pages of a connection", () => {
  for (const width of [390, 1280]) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`fit ${width} pixels, ${colorScheme}, and say what was wrong at the field`, async () => {
        const { context, page } = await visit({ viewport: { width, height: 800 }, colorScheme })
        const seen = async (name: string) => {
          await look(page, `connect-${width}-${colorScheme}-${name}`)
          assert.isAtMost(Number(await overflow(page)), 0, name)
        }
        await page.goto(await addressFor())
        await seen("1-sign-in")
        await signIn(page, "owner@sandbox.test", "not this one")
        await page.getByRole("alert").waitFor()
        await seen("2-wrong")
        assert.strictEqual(await page.locator(":focus").getAttribute("id"), "password")
        assert.strictEqual(await page.locator("#password").getAttribute("aria-describedby"), "wrong")
        assert.strictEqual(await page.locator("#password").inputValue(), "")
        assert.strictEqual(await page.locator("#email").inputValue(), "owner@sandbox.test")
        await signIn(page, "owner@sandbox.test", "sandbox")
        await page.getByRole("heading", { name: /^Allow/u }).waitFor()
        await seen("3-consent")
        await page.goto(await addressFor("A name that goes on and on, ".repeat(4)))
        await seen("4-long-name")
        await page.goto(service().url + authorizePath({ client_id: "nobody" }))
        await page.getByRole("heading", { name: "The assistant could not be connected" }).waitFor()
        await seen("5-unknown")
        await page.goto(`${service().url}/connect/nothing`)
        await page.getByRole("heading", { name: "This page is not open any more" }).waitFor()
        await seen("6-closed")
        await context.close()
      })
    }
  }

  it("are filled in by keyboard alone, without JavaScript, with a second factor", async () => {
    const person = await join(client, key, "keyboard@sandbox.test")
    const { secret } = bodyOf<{ readonly secret: string }>(
      await sendJson(client, "POST", "/api/auth/second-factor", { password: person.password }, { bearer: person.token })
    )
    const confirm = "/api/auth/second-factor/confirm"
    await sendJson(client, "POST", confirm, { code: totpCode(secret) }, { bearer: person.token })
    const { complaints, context, page } = await visit({ javaScriptEnabled: false })
    await page.goto(await addressFor())
    assert.strictEqual(await page.locator(":focus").getAttribute("id"), "email")
    await page.keyboard.type(person.email)
    await page.keyboard.press("Tab")
    await page.keyboard.type(person.password)
    await page.keyboard.press("Enter")
    await page.getByLabel("Code").waitFor()
    await look(page, "connect-code")
    await page.keyboard.type(totpCode(secret, 1))
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^Allow/u }).waitFor()
    const told = callback.next()
    await page.getByRole("button", { name: "Allow" }).focus()
    await page.keyboard.press("Enter")
    assert.isNotNull((await told).searchParams.get("code"))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("let the person say no, which the assistant hears", async () => {
    const { complaints, context, page } = await visit()
    await page.goto(await addressFor())
    await signIn(page, "owner@sandbox.test", "sandbox")
    const told = callback.next()
    await page.getByRole("button", { name: "Deny" }).click()
    const { searchParams } = await told
    assert.strictEqual(searchParams.get("error"), "access_denied")
    assert.strictEqual(searchParams.get("iss"), service().url)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("are shown in no frame", async () => {
    const { complaints, context, page } = await visit()
    const address = await addressFor()
    await page.route(`${service().url}/framing`, (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${address}"></iframe>` })
    )
    await page.goto(`${service().url}/framing`)
    while (!complaints.join("\n").includes("frame-ancestors")) await page.waitForEvent("console")
    const [frame] = page.frames().slice(1)
    assert.notInclude((await frame?.content().catch(() => "")) ?? "", "Sign in to connect")
    await context.close()
  })
})
