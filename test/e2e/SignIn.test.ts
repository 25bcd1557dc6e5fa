import { assert, describe, it } from "vitest"
import { atOnce, faultPaths, problemOf } from "./support/answers.ts"
import { type Answer, makeClient } from "./support/Client.ts"
import { bodyOf, join, type SessionAnswer, sendJson } from "./support/people.ts"
import { useService } from "./support/Service.ts"
import { totpCode } from "./support/totp.ts"
import { sendOverHttp } from "./support/wire.ts"

/** The way in: sessions, the console's cookie, passwords, second factors. */

const service = useService()
const client = makeClient(service)
const key = "key_test_sandbox"
const otherKey = "key_test_other"

type Body = Readonly<Record<string, unknown>>

const signIn = (email: string, password = "sandbox", more: Body = {}) =>
  sendJson(client, "POST", "/api/auth/sign-in", { email, password, ...more })

const session = async (email: string, password = "sandbox", more: Body = {}) =>
  bodyOf<SessionAnswer>(await signIn(email, password, more))

const tokenOf = async (email: string, password = "sandbox", more: Body = {}) =>
  (await session(email, password, more)).token ?? ""

const get = (path: string, bearer: string) => sendJson(client, "GET", path, undefined, { bearer })

/** A problem without what is the request's own. */
const sayingOf = (answer: Answer) => {
  const { requestId: _, ...rest } = problemOf(answer, 401, "UNAUTHENTICATED") as unknown as Body
  return rest
}

describe("Signing in", () => {
  it("gives a session with the person, the organization and the role", async () => {
    for (const [name, role] of [
      ["owner", "OWNER"],
      ["admin", "ADMIN"],
      ["approver", "APPROVER"],
      ["member", "MEMBER"],
      ["auditor", "AUDITOR"]
    ] as const) {
      const answer = await signIn(`${name}@sandbox.test`)
      const body = bodyOf<SessionAnswer>(answer)
      assert.match(body.token ?? "", /^sess_[A-Za-z0-9_-]{43}$/)
      assert.strictEqual(body.user.email, `${name}@sandbox.test`)
      assert.deepInclude(body.organization, { id: "org_01kd8z0000e0080000000000s1", role })
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      const seen = bodyOf<SessionAnswer>(await get("/api/auth/session", body.token ?? ""))
      assert.deepStrictEqual(seen.organization, body.organization)
    }
  })

  it("is refused in the same words, whoever it is that is not there or has another password", async () => {
    const refusals = await Promise.all([
      signIn("owner@sandbox.test", "wrong"),
      signIn("nobody@sandbox.test"),
      signIn("nobody@sandbox.test", "wrong"),
      signIn("owner@sandbox.test", "sandbox", { organization_id: "org_01kd8z0000e0080000000000s2" }),
      signIn("owner@sandbox.test", "sandbox", { organization_id: "org_nowhere" })
    ])
    const [first, ...others] = refusals.map(sayingOf)
    for (const other of others) assert.deepStrictEqual(other, first)
    for (const answer of refusals) assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
  })

  it("names what is not of the form, and never what was sent", async () => {
    const strange = await sendJson(client, "POST", "/api/auth/sign-in", {
      email: 1,
      password: 87654321,
      code: "hunter",
      extra: true
    })
    assert.deepStrictEqual(faultPaths(strange), ["code", "email", "password"])
    assert.notMatch(strange.text, /87654321|hunter/)
    const known = bodyOf<{ warnings: unknown }>(await signIn("owner@sandbox.test", "sandbox", { extra: 1 }))
    assert.deepStrictEqual(known.warnings, [{ path: "extra", message: "is not a known field: it was ignored" }])
  })

  it("from an address that guesses is refused with 429, the right password too, and from others it is not", async () => {
    const guess = (password: string) => {
      const body = new TextEncoder().encode(JSON.stringify({ email: "auditor@sandbox.test", password }))
      const headers = { "content-type": "application/json" }
      const request = { method: "POST", path: "/api/auth/sign-in", headers, body }
      return sendOverHttp(service().url, request, { localAddress: "127.7.7.7" })
    }
    const begun = Date.now()
    const answers = await atOnce(90, (index) => guess(index < 70 ? "wrong" : "sandbox"))
    const seconds = Math.ceil((Date.now() - begun) / 1_000)
    const tried = answers.filter(({ status }) => status === 401)
    assert.isAtMost(tried.length, 60 + seconds, "sixty at once, then one a second")
    const limited = answers.slice(70).find(({ status }) => status === 429)
    if (limited === undefined) throw new Error("The right password was never refused.")
    problemOf(limited, 429, "RATE_LIMITED")
    assert.isAtLeast(Number(limited.headers.get("retry-after")), 1)
    assert.strictEqual((await signIn("auditor@sandbox.test")).status, 200, "the account is nobody's to close")
  })

  it("again and again is no guessing", async () => {
    const answers = await atOnce(35, () => signIn("member@sandbox.test"))
    const more = await atOnce(35, () => signIn("member@sandbox.test"))
    assert.isTrue([...answers, ...more].every(({ status }) => status === 200))
  })

  it("is made by nobody's page for a browser: the body has to say that it is JSON", async () => {
    const credentials = JSON.stringify({ email: "member@sandbox.test", password: "sandbox", cookie: true })
    for (const type of [undefined, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const answer = await client.send({
        method: "POST",
        path: "/api/auth/sign-in",
        headers: { origin: "https://evil.example.com", ...(type === undefined ? {} : { "content-type": type }) },
        body: new TextEncoder().encode(credentials)
      })
      problemOf(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
      assert.deepStrictEqual(answer.headers.getSetCookie(), [])
    }
  })

  it("takes no notice of an Idempotency-Key: each is a session of its own", async () => {
    const body = { email: "member@sandbox.test", password: "sandbox" }
    const send = () =>
      sendJson(client, "POST", "/api/auth/sign-in", body, { headers: { "idempotency-key": "the same" } })
    const tokens = [await send(), await send()].map((answer) => bodyOf<SessionAnswer>(answer).token)
    assert.notStrictEqual(tokens[0], tokens[1])
  })
})

describe("A session", () => {
  it("is listed with the others, ends when it is told to, and is nobody else's to end", async () => {
    const { token: mine } = await join(client, key, "sessions@sandbox.test")
    const second = await tokenOf("sessions@sandbox.test", "a good one")
    interface Listed {
      readonly data: ReadonlyArray<{ id: string; current: boolean; address: string; user_agent: string }>
    }
    const { data } = bodyOf<Listed>(await get("/api/auth/sessions", second))
    assert.deepStrictEqual(
      data.map(({ current }) => current),
      [true, false]
    )
    assert.strictEqual(data[0]?.address, "127.0.0.1")
    const path = `/api/auth/sessions/${data[1]?.id}`
    const stranger = await tokenOf("owner@sandbox.test")
    problemOf(await sendJson(client, "DELETE", path, undefined, { bearer: stranger }), 404, "NOT_FOUND")
    assert.strictEqual((await sendJson(client, "DELETE", path, undefined, { bearer: second })).status, 204)
    problemOf(await get("/api/auth/session", mine), 401, "UNAUTHENTICATED")
    problemOf(await sendJson(client, "DELETE", path, undefined, { bearer: second }), 404, "NOT_FOUND")
    const out = await sendJson(client, "POST", "/api/auth/sign-out", undefined, { bearer: second })
    assert.strictEqual(out.status, 204)
    problemOf(await get("/api/members", second), 401, "UNAUTHENTICATED")
  })

  it("is no key's, and a broken token is none", async () => {
    problemOf(await get("/api/auth/session", key), 403, "FORBIDDEN")
    problemOf(await get("/api/auth/sessions", key), 403, "FORBIDDEN")
    for (const wrong of ["sess_", `sess_${"x".repeat(43)}`, "sess_' OR true --", "other_1"]) {
      problemOf(await get("/api/members", wrong), 401, "UNAUTHENTICATED")
    }
    problemOf(await get("/api/members", "mcp_sandbox"), 403, "FORBIDDEN")
  })

  it("sees its own organization alone, and a person with two has one for each", async () => {
    const { token: first } = await join(client, key, "both@sandbox.test", "ADMIN")
    const invited = await sendJson(
      client,
      "POST",
      "/api/members",
      { email: "both@sandbox.test", role: "MEMBER" },
      { bearer: otherKey }
    )
    const { invitation_url } = bodyOf<{ invitation_url: string }>(invited, 201)
    const accept = (password: string) =>
      sendJson(client, "POST", "/api/auth/accept", { token: invitation_url.split("/account/")[1], password })
    problemOf(await accept("not the present one"), 401, "UNAUTHENTICATED")
    const { organizations, token: second = "" } = bodyOf<SessionAnswer>(await accept("a good one"))
    assert.strictEqual(organizations.length, 2)
    const emailsOf = async (token: string) =>
      bodyOf<{ data: ReadonlyArray<{ email: string }> }>(await get("/api/members", token)).data.map(
        ({ email }) => email
      )
    assert.include(await emailsOf(first), "owner@sandbox.test")
    assert.deepStrictEqual(await emailsOf(second), ["both@sandbox.test"], "a MEMBER sees itself")
    const chosen = async (more: Body = {}) => (await session("both@sandbox.test", "a good one", more)).organization.id
    assert.strictEqual(await chosen(), "org_01kd8z0000e0080000000000s2", "the one used last")
    assert.strictEqual(
      await chosen({ organization_id: "org_01kd8z0000e0080000000000s1" }),
      "org_01kd8z0000e0080000000000s1"
    )
    assert.strictEqual(await chosen(), "org_01kd8z0000e0080000000000s1")
  })
})

describe("The console's cookie", () => {
  const begin = async () => {
    const answer = await signIn("admin@sandbox.test", "sandbox", { cookie: true })
    const [set = ""] = answer.headers.getSetCookie()
    return { body: bodyOf<SessionAnswer>(answer), set, cookie: set.split(";")[0] ?? "" }
  }

  it("holds the token, which the answer then does not", async () => {
    const { body, set } = await begin()
    assert.notProperty(body, "token")
    assert.match(set, /^sarraf_session=sess_[A-Za-z0-9_-]{43}; /)
    for (const attribute of ["HttpOnly", "SameSite=Strict", "Path=/"]) assert.include(set, attribute)
    assert.notInclude(set, "Secure", "the address of this service is http")
  })

  it("is enough to read, and takes the CSRF token to change something", async () => {
    const { body, cookie } = await begin()
    const seen = bodyOf<SessionAnswer>(
      await sendJson(client, "GET", "/api/auth/session", undefined, { headers: { cookie } })
    )
    assert.strictEqual(seen.csrf_token, body.csrf_token)
    const create = (headers: Readonly<Record<string, string>>) =>
      sendJson(client, "POST", "/api/departments", { name: `By cookie ${Math.random()}` }, { headers })
    problemOf(await create({ cookie }), 403, "FORBIDDEN")
    problemOf(await create({ cookie, "x-csrf-token": "wrong" }), 403, "FORBIDDEN")
    const { body: another } = await begin()
    problemOf(await create({ cookie, "x-csrf-token": another.csrf_token ?? "" }), 403, "FORBIDDEN")
    assert.strictEqual((await create({ cookie, "x-csrf-token": body.csrf_token ?? "" })).status, 201)
  })

  it("counts only where there is no Authorization, and goes with the sign-out", async () => {
    const { body, cookie } = await begin()
    const wrong = { headers: { cookie }, bearer: "key_test_nobody" }
    problemOf(await sendJson(client, "GET", "/api/auth/session", undefined, wrong), 401, "UNAUTHENTICATED")
    const headers = { cookie, "x-csrf-token": body.csrf_token ?? "" }
    const out = await sendJson(client, "POST", "/api/auth/sign-out", undefined, { headers })
    assert.strictEqual(out.status, 204)
    assert.match(out.headers.getSetCookie()[0] ?? "", /^sarraf_session=; /)
    problemOf(await sendJson(client, "GET", "/api/auth/session", undefined, { headers }), 401, "UNAUTHENTICATED")
  })
})

describe("A password", () => {
  it("is changed with the present one, and ends the other sessions", async () => {
    const { token: first } = await join(client, key, "password@sandbox.test")
    const second = await tokenOf("password@sandbox.test", "a good one")
    const change = (current_password: string, new_password: string) =>
      sendJson(client, "POST", "/api/auth/password", { current_password, new_password }, { bearer: second })
    assert.deepStrictEqual(faultPaths(await change("wrong", "another good one")), ["current_password"])
    assert.deepStrictEqual(faultPaths(await change("a good one", "short")), ["new_password"])
    assert.deepStrictEqual(faultPaths(await change("a good one", "Password@sandbox.test")), ["new_password"])
    assert.strictEqual((await change("a good one", "another good one")).status, 204)
    problemOf(await get("/api/auth/session", first), 401, "UNAUTHENTICATED")
    assert.strictEqual((await get("/api/auth/session", second)).status, 200)
    problemOf(await signIn("password@sandbox.test", "a good one"), 401, "UNAUTHENTICATED")
    assert.strictEqual((await signIn("password@sandbox.test", "another good one")).status, 200)
  })
})

describe("A second factor", () => {
  const begin = async (bearer: string) =>
    bodyOf<{ secret: string; uri: string }>(
      await sendJson(client, "POST", "/api/auth/second-factor", { password: "a good one" }, { bearer })
    )
  const confirm = (bearer: string, code: string) =>
    sendJson(client, "POST", "/api/auth/second-factor/confirm", { code }, { bearer })
  const remove = (bearer: string, password: string) =>
    sendJson(client, "DELETE", "/api/auth/second-factor", { password }, { bearer })

  it("counts once it is confirmed; then each sign-in takes a code that was not used", async () => {
    const email = "factor@sandbox.test"
    const { token } = await join(client, key, email)
    problemOf(await confirm(token, "000000"), 409, "INVALID_STATE")
    const unproven = await sendJson(
      client,
      "POST",
      "/api/auth/second-factor",
      { password: "a bad one" },
      { bearer: token }
    )
    assert.deepStrictEqual(faultPaths(unproven), ["password"])
    problemOf(await confirm(token, "000000"), 409, "INVALID_STATE")
    await begin(token)
    const { secret, uri } = await begin(token)
    assert.include(uri, secret)
    assert.strictEqual((await signIn(email, "a good one")).status, 200, "it waits for its first code")
    assert.deepStrictEqual(faultPaths(await confirm(token, totpCode(secret, 100))), ["code"])
    const first = totpCode(secret)
    assert.strictEqual((await confirm(token, first)).status, 204)
    problemOf(
      await sendJson(client, "POST", "/api/auth/second-factor", { password: "a good one" }, { bearer: token }),
      409,
      "INVALID_STATE"
    )

    assert.include(problemOf(await signIn(email, "a good one"), 401, "UNAUTHENTICATED").detail, "`code`")
    assert.notInclude(problemOf(await signIn(email, "wrong"), 401, "UNAUTHENTICATED").detail, "code")
    for (const code of [first, totpCode(secret, 100)]) {
      problemOf(await signIn(email, "a good one", { code }), 401, "UNAUTHENTICATED")
    }
    const next = totpCode(secret, 1)
    const answers = await atOnce(3, () => signIn(email, "a good one", { code: next }))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 401, 401])

    assert.deepStrictEqual(faultPaths(await remove(token, "wrong")), ["password"])
    assert.strictEqual((await remove(token, "a good one")).status, 204)
    problemOf(await remove(token, "a good one"), 409, "INVALID_STATE")
    assert.strictEqual((await signIn(email, "a good one")).status, 200)
  })

  it("is not guessed, from however many addresses, and who has not the password closes it to nobody", async () => {
    const email = "guessed.factor@sandbox.test"
    const { token } = await join(client, key, email)
    const { secret } = await begin(token)
    assert.strictEqual((await confirm(token, totpCode(secret))).status, 204)
    const guess = (password: string, code: string, localAddress: string) => {
      const body = new TextEncoder().encode(JSON.stringify({ email, password, code }))
      const headers = { "content-type": "application/json" }
      return sendOverHttp(service().url, { method: "POST", path: "/api/auth/sign-in", headers, body }, { localAddress })
    }
    const wrongCode = totpCode(secret, 100)
    const strangers = await atOnce(15, (at) => guess("wrong", wrongCode, `127.7.8.${at + 1}`))
    for (const answer of strangers) problemOf(answer, 401, "UNAUTHENTICATED")
    const answers = await atOnce(15, (at) => guess("a good one", wrongCode, `127.7.9.${at + 1}`))
    assert.strictEqual(answers.filter(({ status }) => status === 401).length, 10)
    const limited = answers.find(({ status }) => status === 429)
    if (limited === undefined) throw new Error("Nothing was limited.")
    problemOf(limited, 429, "RATE_LIMITED")
    assert.strictEqual(limited.headers.get("retry-after"), "180")
    problemOf(await signIn(email, "a good one", { code: totpCode(secret, 1) }), 429, "RATE_LIMITED")
    assert.strictEqual((await get("/api/auth/session", token)).status, 200, "who is signed in stays so")
  })

  it("that the organization demands opens nothing but its enrolment until it is there", async () => {
    const demand = (requires_second_factor: boolean) =>
      sendJson(client, "PATCH", "/api/organization", { requires_second_factor }, { bearer: otherKey })
    const { token: before } = await join(client, otherKey, "demanded@other.test", "ADMIN")
    assert.strictEqual((await demand(true)).status, 200)
    try {
      const { second_factor, token = "" } = await session("demanded@other.test", "a good one")
      assert.strictEqual(second_factor, "required")
      for (const bearer of [before, token]) {
        assert.include(problemOf(await get("/api/members", bearer), 403, "FORBIDDEN").detail, "second factor")
        problemOf(await get("/api/auth/sessions", bearer), 403, "FORBIDDEN")
      }
      assert.strictEqual((await get("/api/auth/session", token)).status, 200)
      const { secret } = await begin(token)
      assert.strictEqual((await confirm(token, totpCode(secret))).status, 204)
      assert.strictEqual((await get("/api/members", token)).status, 200)
      assert.strictEqual((await get("/api/members", otherKey)).status, 200, "keys have none")
    } finally {
      await demand(false)
    }
  })
})

describe("The audit trail", () => {
  it("tells who signed in from where, and holds no secret", async () => {
    const token = await tokenOf("owner@sandbox.test")
    const answer = await get("/api/audit?action=session.begun&limit=1", token)
    const { data } = bodyOf<{ data: ReadonlyArray<{ actor: string; address: string }> }>(answer)
    assert.deepInclude(data[0], { actor: "user:usr_01kd8z0000e0080000000000p1", address: "127.0.0.1" })
    const everything = await get("/api/audit?limit=100", token)
    assert.notMatch(everything.text, /sess_|acct_|argon2|a good one|otpauth/)
    assert.notMatch(service().output, /sess_|acct_|argon2|a good one|otpauth/)
  })
})
