import { assert, describe, it } from "vitest"
import { makeClient } from "./support/Client.ts"
import {
  allowStep,
  authorizePath,
  type Browser,
  begin,
  connected,
  follow,
  makeBrowser,
  makePkce,
  otherOrganization,
  registered,
  type Step,
  sandboxOrganization,
  send,
  signInStep
} from "./support/oauth.ts"
import { bodyOf, join, sendJson } from "./support/people.ts"
import { useService } from "./support/Service.ts"
import { totpCode } from "./support/totp.ts"
import { sendOverHttp } from "./support/wire.ts"

/** The pages where people sign in and consent, as a browser gets them. */

const service = useService({ LOG_LEVEL: "debug" })
const client = makeClient(service)
const key = "key_test_sandbox"

const started = async (metadata: object = {}, parameters: Readonly<Record<string, string | undefined>> = {}) => {
  const clientId = await registered(service, { ...metadata })
  const browser = makeBrowser(service)
  const path = authorizePath({ client_id: clientId, code_challenge: makePkce().challenge, ...parameters })
  return { browser, clientId, step: await begin(browser, path) }
}

const signIn = (browser: Browser, step: Step, email: string, password: string) =>
  send(browser, step, { decision: "sign-in", email, password })

const connectionCount = async () =>
  bodyOf<{ readonly data: ReadonlyArray<unknown> }>(
    await sendJson(client, "GET", "/api/assistant-connections?limit=100", undefined, { bearer: key })
  ).data.length

describe("Every page", () => {
  it("is kept by nobody, shown in no frame, runs no script, and tells its address to nobody", async () => {
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, "owner@sandbox.test")
    const unknown = await makeBrowser(service).visit(authorizePath({ client_id: "nobody" }))
    const closed = await makeBrowser(service).visit(consent.path)
    for (const { headers, text } of [step.page, consent.page, unknown, closed]) {
      const policy = headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.include(policy, "base-uri 'none'")
      assert.notInclude(policy, "unsafe")
      assert.notInclude(policy, "script-src")
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.notInclude(text, "<script")
      assert.include(text, '<html lang="en">')
    }
    assert.include(
      consent.page.headers.get("content-security-policy") ?? "",
      "form-action 'self' http://127.0.0.1:3999"
    )
  })

  it("sets cookies that no script reads and no other site sends, signed and for its own path", async () => {
    const { headers } = await fetch(
      new URL(
        authorizePath({ client_id: await registered(service), code_challenge: makePkce().challenge }),
        service().url
      ),
      { redirect: "manual" }
    )
    const cookies = headers.getSetCookie()
    assert.isAtLeast(cookies.length, 4)
    for (const cookie of cookies) {
      assert.match(cookie, /; httponly/iu)
      assert.match(cookie, /; samesite=lax/iu)
    }
    const names = cookies.map((cookie) => cookie.split("=")[0])
    assert.includeMembers(names, ["sarraf_connect", "sarraf_connect.sig", "sarraf_connect_resume"])
    assert.match(cookies.find((cookie) => cookie.startsWith("sarraf_connect=")) ?? "", /path=\/connect\/[\w-]{40}/u)
  })
})

describe("The sign-in page", () => {
  it("says the same of a wrong password and of an account that is not there", async () => {
    const { browser, step } = await started()
    const texts = new Set<string>()
    for (const [email, password] of [
      ["owner@sandbox.test", "not this one"],
      ["nobody@sandbox.test", "nor that one"]
    ] as const) {
      const { status, text } = await signIn(browser, step, email, password)
      assert.strictEqual(status, 403)
      assert.include(text, "The e-mail address or the password is not right.")
      assert.notInclude(text, password)
      texts.add(text.replace(email, ""))
    }
    assert.strictEqual(texts.size, 1, "they differ in the address alone")
  })

  it("goes on with 303 after the form was sent", async () => {
    const { browser, step } = await started()
    const { headers, status } = await signIn(browser, step, "owner@sandbox.test", "sandbox")
    assert.strictEqual(status, 303)
    assert.match(headers.get("location") ?? "", /^\/oauth\/authorize\/[\w-]+$/u)
  })

  it("fills in the address that the assistant knows, as text", async () => {
    const { step } = await started({}, { login_hint: `"><b>x</b>@sandbox.test` })
    assert.notInclude(step.page.text, "<b>x</b>")
    assert.include(step.page.text, "&#62;&#60;b&#62;x")
  })

  it("asks for the password at each connection, also of who has just signed in", async () => {
    const { browser, clientId, step } = await started()
    await allowStep(browser, await signInStep(browser, step, "owner@sandbox.test"), sandboxOrganization)
    const again = await begin(browser, authorizePath({ client_id: clientId, code_challenge: makePkce().challenge }))
    assert.include(again.page.text, "Password")
    // Somebody else may be at the browser now.
    const consent = await signInStep(browser, again, "member@sandbox.test")
    assert.include(consent.page.text, "member@sandbox.test")
    const told = await allowStep(browser, consent, sandboxOrganization)
    assert.isNotNull(told.searchParams.get("code"))
  })

  it("is of one person at a time: who signs in last, in whichever tab, closes the others", async () => {
    const { browser, clientId, step } = await started()
    const path = authorizePath({ client_id: clientId, code_challenge: makePkce().challenge })
    const otherTab = await begin(browser, path)
    const first = await signInStep(browser, step, "owner@sandbox.test")
    const second = await signInStep(browser, otherTab, "member@sandbox.test")
    assert.include(second.page.text, "member@sandbox.test")
    const closed = await send(browser, first, { decision: "allow", organization_id: sandboxOrganization })
    assert.strictEqual(closed.status, 404)
    const told = await allowStep(browser, second, sandboxOrganization)
    assert.isNotNull(told.searchParams.get("code"))
  })

  it("takes no text that no database stores", async () => {
    const { browser, step } = await started()
    for (const fields of [
      { decision: "sign-in", email: "owner\u0000@sandbox.test", password: "sandbox" },
      { decision: "code", proof: "a.\u0000.b", code: "000000" },
      { decision: "allow", organization_id: "\u0000" }
    ]) {
      assert.strictEqual((await send(browser, step, fields)).status, 403)
    }
  })

  it("asks who has a second factor for its code, as a second step that counts once", async () => {
    const person = await join(client, key, "factor@sandbox.test")
    const { secret } = bodyOf<{ readonly secret: string }>(
      await sendJson(client, "POST", "/api/auth/second-factor", { password: "a good one" }, { bearer: person.token })
    )
    const used = totpCode(secret)
    const confirmed = await sendJson(
      client,
      "POST",
      "/api/auth/second-factor/confirm",
      { code: used },
      { bearer: person.token }
    )
    assert.strictEqual(confirmed.status, 204, confirmed.text)
    const { browser, step } = await started()
    const asked = await signIn(browser, step, person.email, "a good one")
    assert.strictEqual(asked.status, 200)
    assert.include(asked.text, "one-time-code")
    assert.notInclude(asked.text, "a good one")
    const proof = /name="proof" value="([^"]*)"/u.exec(asked.text)?.[1] ?? ""
    const sendCode = (code: string, given = proof) => send(browser, step, { decision: "code", code, proof: given })
    assert.strictEqual((await sendCode("000000")).status, 403)
    assert.strictEqual((await sendCode(used)).status, 403, "it was used for the confirmation")
    // Without the proof, with one that was changed, or with that of another sign-in the code is not even looked at.
    const next = totpCode(secret, 1)
    const foreign = await started()
    assert.include((await sendCode(next, "")).text, "Sign in again")
    assert.include(
      (await sendCode(next, proof.replace(person.id, "usr_01kd8z0000e0080000000000p1"))).text,
      "Sign in again"
    )
    assert.include(
      (await send(foreign.browser, foreign.step, { decision: "code", code: next, proof })).text,
      "Sign in again"
    )
    assert.strictEqual((await sendCode(next)).status, 303)
    const withoutCode = await started()
    const skipped = await send(withoutCode.browser, withoutCode.step, {
      decision: "allow",
      organization_id: sandboxOrganization
    })
    assert.notStrictEqual(skipped.status, 303)
  })

  it("takes sixty wrong passwords from one network, and then asks to wait", async () => {
    const { browser, step } = await started()
    const cookie = browser
      .cookies()
      .filter(({ path }) => step.path.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
    const guess = () =>
      sendOverHttp(
        service().url,
        {
          method: "POST",
          path: step.path,
          headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
          body: new TextEncoder().encode(
            String(new URLSearchParams({ csrf: step.csrf, decision: "sign-in", email: "a@b.test", password: "x" }))
          )
        },
        { localAddress: "127.0.0.99" }
      )
    const statuses: Array<number> = []
    // They are counted before they are looked at.
    while (!statuses.includes(429)) {
      const many = await Promise.all(Array.from({ length: 100 }, guess))
      statuses.push(...many.map(({ status }) => status))
    }
    assert.include(statuses, 429)
    assert.include(statuses, 403)
  })
})

describe("The consent page", () => {
  it("shows who asks and where the browser goes, what it may and may not, and warns of this computer", async () => {
    const { browser, step } = await started({ client_name: "<b>Evil</b>\u202e bank" })
    const { page } = await signInStep(browser, step, "owner@sandbox.test")
    assert.notInclude(page.text, "<b>Evil</b>")
    assert.notInclude(page.text, "\u202e")
    assert.include(page.text, "&#60;b&#62;Evil&#60;/b&#62; bank")
    assert.include(page.text, "127.0.0.1:3999")
    assert.include(page.text, "this computer")
    assert.include(page.text, "Unconfirmed")
    assert.include(page.text, "read expenses, cards, bills, vendors, approvals, policies, reports and payments")
    assert.include(page.text, "change, approve or pay anything")
  })

  it("warns of private schemes, and not of sites", async () => {
    const scheme = "cursor://anysphere.cursor-retrieval/oauth/callback"
    const application = await started({ redirect_uris: [scheme] }, { redirect_uri: scheme })
    const shown = await signInStep(application.browser, application.step, "owner@sandbox.test")
    assert.include(shown.page.text, "application on this device")
    assert.include(shown.page.headers.get("content-security-policy") ?? "", "form-action 'self' cursor:;")
    const site = "https://assistant.example/callback"
    const ofSite = await started({ redirect_uris: [site] }, { redirect_uri: site })
    const consent = await signInStep(ofSite.browser, ofSite.step, "owner@sandbox.test")
    assert.include(consent.page.text, "assistant.example")
    assert.notInclude(consent.page.text, 'class="warning"')
  })

  it("takes organizations of the person and no others", async () => {
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, "member@sandbox.test")
    assert.notInclude(consent.page.text, otherOrganization)
    for (const organization_id of [otherOrganization, "", "org_nobody"]) {
      const { status, text } = await send(browser, consent, { decision: "allow", organization_id })
      assert.strictEqual(status, 400)
      assert.include(text, "Choose the organization")
    }
  })

  it("offers no organization that demands a second factor to who has none", async () => {
    const demand = (requires_second_factor: boolean) =>
      sendJson(client, "PATCH", "/api/organization", { requires_second_factor }, { bearer: "key_test_other" })
    const clientId = await registered(service)
    const before = await connected(service, { clientId, email: "owner@other.test", organizationId: otherOrganization })
    assert.strictEqual((await demand(true)).status, 200)
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, "owner@other.test")
    assert.include(consent.page.text, "Demands a second factor")
    assert.notInclude(consent.page.text, 'value="allow"')
    const forced = await send(browser, consent, { decision: "allow", organization_id: otherOrganization })
    assert.strictEqual(forced.status, 400)
    const call = await fetch(new URL("/mcp", service().url), {
      method: "POST",
      headers: { authorization: `Bearer ${before.accessToken}`, "content-type": "application/json" },
      body: "{}"
    })
    assert.strictEqual(call.status, 401, "what was connected before reads nothing as long as that is demanded")
    await demand(false)
  })

  it("makes one connection of two clicks", async () => {
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, "owner@sandbox.test")
    const before = await connectionCount()
    const click = () => send(browser, consent, { decision: "allow", organization_id: sandboxOrganization })
    const clicks = await Promise.all([click(), click(), click()])
    for (const { status } of clicks) assert.strictEqual(status, 303)
    assert.strictEqual(await connectionCount(), before + 1)
    const ends = await Promise.all(clicks.map(({ headers }) => browser.visit(headers.get("location") ?? "")))
    const codes = ends.filter(({ headers }) => headers.get("location")?.includes("code=") === true)
    assert.strictEqual(codes.length, 1, "one of them has a code, and only one")
  })

  it("makes no connection beside a denial: of the two the client hears the one that counts", async () => {
    for (const decisions of [
      ["allow", "deny"],
      ["deny", "allow"]
    ]) {
      const { browser, step } = await started()
      const consent = await signInStep(browser, step, "owner@sandbox.test")
      const before = await connectionCount()
      const clicks = await Promise.all(
        decisions.map((decision) => send(browser, consent, { decision, organization_id: sandboxOrganization }))
      )
      const [first] = clicks
      const told = new URL(first === undefined ? "" : await follow(browser, first))
      const isAllowed = told.searchParams.get("error") === null
      assert.strictEqual(await connectionCount(), before + (isAllowed ? 1 : 0), told.href)
    }
  })

  it("lets another account be used, which the first one is not mixed with", async () => {
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, "owner@sandbox.test")
    const answer = await send(browser, consent, { decision: "other" })
    const path = await follow(browser, answer)
    const page = await browser.visit(path)
    assert.include(page.text, "Password")
    const csrf = /name="csrf" value="([^"]*)"/u.exec(page.text)?.[1] ?? ""
    const again = await signInStep(browser, { path, page, csrf }, "member@sandbox.test")
    assert.include(again.page.text, "member@sandbox.test")
    assert.notInclude(again.page.text, "owner@sandbox.test")
    const told = await allowStep(browser, again, sandboxOrganization)
    assert.isNotNull(told.searchParams.get("code"))
  })

  it("is closed to who has signed in with a password that was changed since", async () => {
    const person = await join(client, key, "changes@sandbox.test")
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, person.email, person.password)
    const body = { current_password: person.password, new_password: "quite another one" }
    await sendJson(client, "POST", "/api/auth/password", body, { bearer: person.token })
    const answer = await send(browser, consent, { decision: "allow", organization_id: sandboxOrganization })
    assert.strictEqual(answer.status, 404)
    assert.include(answer.text, "not open any more")
  })
})

describe("A form that another page has sent", () => {
  it("does nothing, at either step", async () => {
    const { browser, step } = await started()
    const other = await started()
    const fields = { decision: "sign-in", email: "owner@sandbox.test", password: "sandbox" }
    for (const csrf of ["", "x", other.step.csrf, `${step.csrf}0`]) {
      const answer = await browser.visit(step.path, { ...fields, csrf })
      assert.strictEqual(answer.status, 403)
      assert.include(answer.text, "Nothing was done")
    }
    const consent = await signInStep(browser, step, "owner@sandbox.test")
    const before = await connectionCount()
    for (const csrf of ["", step.csrf]) {
      const allowed = { decision: "allow", organization_id: sandboxOrganization, csrf }
      assert.strictEqual((await browser.visit(consent.path, allowed)).status, 403)
    }
    assert.strictEqual(await connectionCount(), before)
  })

  it("from another browser finds the page closed, whatever it knows", async () => {
    const { browser, step } = await started()
    const consent = await signInStep(browser, step, "owner@sandbox.test")
    const stranger = makeBrowser(service)
    for (const { csrf, path } of [step, consent]) {
      const seen = await stranger.visit(path)
      assert.strictEqual(seen.status, 404)
      const answer = await stranger.visit(path, { csrf, decision: "allow", organization_id: sandboxOrganization })
      assert.strictEqual(answer.status, 404)
      assert.include(answer.text, "not open any more")
    }
  })

  it("cannot skip the password by going on at once", async () => {
    const { browser, step } = await started()
    const resume = step.path.replace("/connect/", "/oauth/authorize/")
    const { headers, status } = await browser.visit(resume)
    assert.strictEqual(status, 303)
    const page = await browser.visit(headers.get("location") ?? "")
    assert.include(page.text, "Sign in to connect")
  })
})
