import type { Page } from "playwright-core"
import { assert, describe, it, vi } from "vitest"
import { makeClient } from "../e2e/support/Client.ts"
import { bodyOf, invite, join, type SessionAnswer, sendJson } from "../e2e/support/people.ts"
import { useService } from "../e2e/support/Service.ts"
import { useBrowser } from "./support/Chromium.ts"
import { look } from "./support/Sandbox.ts"

/** The page behind a one-time link, as the person sees it who was handed one. */

const service = useService({ LOG_LEVEL: "debug" })
const client = makeClient(service)
const visit = useBrowser()
const key = "key_test_sandbox"
const otherKey = "key_test_other"

const narrow = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const
const resetUrl = async (id: string) =>
  bodyOf<{ reset_url: string }>(
    await sendJson(client, "POST", `/api/members/${id}/password-reset`, undefined, { bearer: key })
  ).reset_url
const signsIn = async (email: string, password: string) =>
  bodyOf<SessionAnswer>(await sendJson(client, "POST", "/api/auth/sign-in", { email, password })).user.email

/** Past the browser's own check, as an older browser or a script sends it. */
const unchecked = (page: Page) => page.locator("form").evaluate((form) => form.setAttribute("novalidate", ""))
/** What is read out with the field, beside its label. */
const described = async (page: Page) => {
  const ids = (await page.locator("#password").getAttribute("aria-describedby")) ?? ""
  return (await Promise.all(ids.split(" ").map((id) => page.locator(`#${id}`).textContent()))).join(" ")
}
const expectComplaint = (complaints: ReadonlyArray<string>, text: string) =>
  vi.waitFor(() => assert.include(complaints.join("\n"), text))
const overflow = (page: Page) => page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

describe("The page of an invitation", () => {
  for (const javaScriptEnabled of [true, false]) {
    it(`is filled in by keyboard alone ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const email = `keyboard.${javaScriptEnabled}@sandbox.test`
      const { invitation_url } = await invite(client, key, email)
      const { complaints, context, page } = await visit({ javaScriptEnabled })
      await page.goto(invitation_url)
      await look(page, "account-1-invitation")
      await page.getByRole("heading", { name: "Join Sandbox" }).waitFor()
      assert.strictEqual(await page.getByLabel("E-mail").inputValue(), email)
      await page.getByLabel("New password").focus()
      await page.keyboard.type("a few good words")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "You have joined Sandbox" }).waitFor()
      await look(page, "account-2-joined")
      assert.deepStrictEqual(complaints, [])
      assert.strictEqual(await signsIn(email, "a few good words"), email)
      await page.reload()
      await context.close()
    })
  }

  it("says what is wrong with a password, at the field, and takes another one", async () => {
    const { invitation_url } = await invite(client, key, "mistaken@sandbox.test")
    const { complaints, context, page } = await visit(narrow)
    await page.goto(invitation_url)
    await page.getByLabel("New password").fill("short")
    await page.getByRole("button", { name: "Join" }).click()
    assert.isTrue(await page.locator("#password:invalid").isVisible(), "the browser sends nothing")
    await unchecked(page)
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByRole("alert").waitFor()
    await look(page, "account-3-too-short")
    assert.include(await page.getByRole("alert").textContent(), "8 to 200 characters")
    assert.strictEqual(await page.locator("#password").getAttribute("aria-invalid"), "true")
    assert.include(await described(page), (await page.getByRole("alert").textContent()) ?? "nothing")
    assert.strictEqual(await page.locator(":focus").getAttribute("id"), "password")
    assert.strictEqual(await page.locator("#password").inputValue(), "", "what was typed is not sent back")
    assert.isAtMost(Number(await overflow(page)), 0)
    await page.getByLabel("New password").fill("long enough")
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByRole("heading", { name: "You have joined" }).waitFor()
    // The browser itself notes the status of the page that said what is wrong.
    assert.deepStrictEqual(
      complaints.filter((text) => !text.includes("status of 400")),
      []
    )
    await context.close()
  })

  it("asks who has an account for the password of that, and says so when it is another", async () => {
    const email = "has.account@other.test"
    await join(client, otherKey, email)
    const { invitation_url } = await invite(client, key, email)
    const { context, page } = await visit()
    await page.goto(invitation_url)
    await look(page, "account-4-present")
    await page.getByLabel("Your present password").fill("not this one")
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByRole("alert").waitFor()
    await look(page, "account-5-wrong")
    assert.include(await page.getByRole("alert").textContent(), "not your present password")
    assert.notInclude(await page.content(), "not this one")
    await page.getByLabel("Your present password").fill("a good one")
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByRole("heading", { name: "You have joined Sandbox" }).waitFor()
    await context.close()
  })

  it("may be opened often and used once: who comes back is told so", async () => {
    const { invitation_url } = await invite(client, key, "twice@sandbox.test")
    const { context, page } = await visit(narrow)
    await page.goto(invitation_url)
    await page.reload()
    await page.getByLabel("New password").fill("a good one")
    await page.getByRole("button", { name: "Join" }).dblclick()
    await page.getByRole("heading", { name: /^(You have joined|This link does not work)/ }).waitFor()
    await page.goto(invitation_url)
    await page.getByRole("heading", { name: "This link does not work any more" }).waitFor()
    await look(page, "account-6-dead")
    assert.include(await page.textContent("main"), "If you have just used it yourself, all is well")
    assert.include(await page.textContent("main"), "ask whoever gave it to you for a new one")
    assert.strictEqual(await page.locator("input").count(), 0)
    assert.strictEqual(await signsIn("twice@sandbox.test", "a good one"), "twice@sandbox.test")
    await context.close()
  })
})

describe("The page of a password reset", () => {
  it("sets the password, and neither it nor the link is in any log", async () => {
    const { id, email } = await join(client, key, "forgetful@sandbox.test")
    const url = await resetUrl(id)
    const { complaints, context, page } = await visit()
    await page.goto(url)
    await page.getByRole("heading", { name: "Choose a new password" }).waitFor()
    await look(page, "account-7-reset")
    await page.getByLabel("New password").fill("chosen by the person")
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("heading", { name: "Your password is changed" }).waitFor()
    assert.strictEqual(await signsIn(email, "chosen by the person"), email)
    assert.notMatch(service().output, /acct_|chosen by/)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("is shown in no frame, tells no other page its address, and asks nothing from elsewhere", async () => {
    const { id } = await join(client, key, "framed@sandbox.test")
    const url = await resetUrl(id)
    const { complaints, context, page } = await visit()
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.goto(url)
    assert.isTrue(
      asked.every((address) => address === url || address.startsWith("data:")),
      asked.join(" ")
    )
    assert.include(await page.textContent("main"), "Choose a new password")
    assert.deepStrictEqual(complaints, [])
    // A page of ours that allows it frames this one.
    await page.route(`${service().url}/framing`, (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${url}"></iframe>` })
    )
    await page.goto(`${service().url}/framing`)
    await page.waitForFunction("window.frames.length === 1")
    await expectComplaint(complaints, "frame-ancestors")
    const [frame] = page.frames().slice(1)
    assert.notInclude((await frame?.content().catch(() => "")) ?? "", "Choose a new password")
    await context.close()
  })
})
