import { assert, describe, it } from "vitest"
import { atOnce, faultPaths, problemOf, replayed } from "./support/answers.ts"
import { type Answer, makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import {
  bodyOf,
  type InvitedBody,
  invite,
  join,
  type MemberBody,
  type SessionAnswer,
  sendJson,
  tokenOf
} from "./support/people.ts"
import { useService } from "./support/Service.ts"
import { totpCode } from "./support/totp.ts"
import { sendOverHttp } from "./support/wire.ts"

/** The organization's people and departments: invited, changed, reset, and who may do it. */

const service = useService()
const client = makeClient(service)
const key = "key_test_sandbox"
const otherKey = "key_test_other"
const owner = "usr_01kd8z0000e0080000000000p1"
const member = "usr_01kd8z0000e0080000000000p4"
const otherOwner = "usr_01kd8z0000e0080000000000v1"

const send = (method: string, path: string, body?: unknown, bearer = key, headers?: Readonly<Record<string, string>>) =>
  sendJson(client, method, path, body, { bearer, ...(headers === undefined ? {} : { headers }) })
const patch = (id: string, body: unknown, bearer = key, headers?: Readonly<Record<string, string>>) =>
  send("PATCH", `/api/members/${id}`, body, bearer, headers)
const get = async (id: string, bearer = key) =>
  bodyOf<MemberBody>(await send("GET", `/api/members/${id}`, undefined, bearer))
const accept = (token: string, password = "a good one", more: object = {}) =>
  sendJson(client, "POST", "/api/auth/accept", { token, password, ...more })
const actionsOf = async (id: string) => {
  const answer = await send("GET", `/api/members/${id}/history`)
  return bodyOf<{ data: ReadonlyArray<{ action: string }> }>(answer).data.map(({ action }) => action)
}

interface List {
  readonly data: ReadonlyArray<MemberBody>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

describe("Members", () => {
  it("are listed page by page and filtered, each once", async () => {
    const seen: Array<string> = []
    let path = "/api/members?limit=2"
    for (let page = 0; page < 50; page++) {
      const { data, next_cursor } = bodyOf<List>(await send("GET", path))
      seen.push(...data.map(({ id }) => id))
      if (next_cursor === null) break
      path = `/api/members?limit=2&cursor=${next_cursor}`
    }
    assert.includeMembers(seen, [owner, member])
    assert.strictEqual(new Set(seen).size, seen.length)
    assert.deepStrictEqual(seen, [...seen].sort().reverse())
    const { data } = bodyOf<List>(await send("GET", "/api/members?role=AUDITOR&status=ACTIVE"))
    assert.deepStrictEqual(
      data.map(({ email }) => email),
      ["auditor@sandbox.test"]
    )
    assert.deepStrictEqual(faultPaths(await send("GET", "/api/members?role=KING")), ["role"])
    assert.deepStrictEqual(faultPaths(await send("GET", "/api/members?cursor=x")), ["cursor"])
    assert.deepStrictEqual(faultPaths(await send("GET", "/api/members?colour=x")), ["colour"])
  })

  it("are read by everybody but a MEMBER, who reads itself", async () => {
    for (const name of ["admin", "approver", "auditor"]) {
      const token = await signIn(client, `${name}@sandbox.test`)
      assert.strictEqual((await get(owner, token)).role, "OWNER")
    }
    const token = await signIn(client, "member@sandbox.test")
    assert.strictEqual((await get(member, token)).email, "member@sandbox.test")
    problemOf(await send("GET", `/api/members/${owner}`, undefined, token), 404, "NOT_FOUND")
    problemOf(await send("GET", `/api/members/${owner}/history`, undefined, token), 404, "NOT_FOUND")
    const { data } = bodyOf<List>(await send("GET", "/api/members", undefined, token))
    assert.deepStrictEqual(
      data.map(({ id }) => id),
      [member]
    )
  })

  it("are changed by ADMINs and OWNERs alone", async () => {
    for (const name of ["member", "approver", "auditor"]) {
      const token = await signIn(client, `${name}@sandbox.test`)
      problemOf(await patch(member, { name: "x" }, token), 403, "FORBIDDEN")
      const body = { email: "x@sandbox.test", role: "MEMBER" }
      problemOf(await send("POST", "/api/members", body, token), 403, "FORBIDDEN")
      problemOf(await send("POST", `/api/members/${member}/invitation`, undefined, token), 403, "FORBIDDEN")
      problemOf(await send("POST", `/api/members/${member}/password-reset`, undefined, token), 403, "FORBIDDEN")
      problemOf(await send("POST", "/api/departments", { name: "x" }, token), 403, "FORBIDDEN")
    }
  })

  it("of another organization are not there", async () => {
    const paths = ["", "/history"].map((more) => send("GET", `/api/members/${otherOwner}${more}`))
    const changes = [
      patch(otherOwner, { name: "x" }),
      send("POST", `/api/members/${otherOwner}/invitation`),
      send("POST", `/api/members/${otherOwner}/password-reset`)
    ]
    for (const answer of await Promise.all([...paths, ...changes])) problemOf(answer, 404, "NOT_FOUND")
    assert.include(problemOf(await patch(member, { manager_id: otherOwner }), 404, "NOT_FOUND").detail, "manager_id")
    const { data } = bodyOf<List>(await send("GET", "/api/members?limit=100", undefined, otherKey))
    assert.isFalse(data.some(({ email }) => email.endsWith("@sandbox.test")))
  })
})

describe("A change of a member", () => {
  it("is of a version, is recorded, and counts in open sessions at once", async () => {
    const { id, token } = await join(client, key, "promoted@sandbox.test")
    problemOf(await patch(id, { role: "ADMIN" }, key, { "if-match": '"1"' }), 412, "VERSION_CONFLICT")
    problemOf(await patch(member, { name: "x" }, token), 403, "FORBIDDEN")
    const answer = await patch(id, { role: "ADMIN", unknown: 1 }, key, { "if-match": '"2"' })
    const changed = bodyOf<MemberBody & { warnings: ReadonlyArray<{ path: string }> }>(answer)
    assert.deepInclude(changed, { role: "ADMIN", version: 3 })
    assert.strictEqual(answer.headers.get("etag"), '"3"')
    assert.deepStrictEqual(
      changed.warnings.map(({ path }) => path),
      ["unknown"]
    )
    assert.strictEqual((await patch(member, { name: "Can Öztürk" }, token)).status, 200)
    assert.strictEqual((await patch(id, { role: "ADMIN" })).headers.get("etag"), '"3"', "nothing changed")
    bodyOf(await patch(id, { status: "INACTIVE" }))
    problemOf(await send("GET", "/api/auth/session", undefined, token), 401, "UNAUTHENTICATED")
    problemOf(
      await sendJson(client, "POST", "/api/auth/sign-in", { email: "promoted@sandbox.test", password: "a good one" }),
      401,
      "UNAUTHENTICATED"
    )
    bodyOf(await patch(id, { status: "ACTIVE" }))
    problemOf(await send("GET", "/api/auth/session", undefined, token), 401, "UNAUTHENTICATED")
    assert.isNotEmpty(await signIn(client, "promoted@sandbox.test", "a good one"))
    assert.deepStrictEqual(await actionsOf(id), [
      "member.reactivated",
      "member.deactivated",
      "member.role_changed",
      "member.joined",
      "member.invited"
    ])
  })

  it("by an ADMIN leaves OWNERs alone, and nobody changes their own role", async () => {
    const admin = await join(client, key, "second-admin@sandbox.test", "ADMIN")
    problemOf(await patch(owner, { name: "x" }, admin.token), 403, "FORBIDDEN")
    problemOf(await patch(owner, { role: "MEMBER" }, admin.token), 403, "FORBIDDEN")
    problemOf(await patch(member, { role: "OWNER" }, admin.token), 403, "FORBIDDEN")
    problemOf(await patch(admin.id, { role: "OWNER" }, admin.token), 403, "FORBIDDEN")
    problemOf(await patch(admin.id, { role: "MEMBER" }, admin.token), 403, "FORBIDDEN")
    problemOf(await send("POST", `/api/members/${owner}/password-reset`, undefined, admin.token), 403, "FORBIDDEN")
    const body = { email: "new-owner@sandbox.test", role: "OWNER" }
    problemOf(await send("POST", "/api/members", body, admin.token), 403, "FORBIDDEN")
  })

  it("leaves an active OWNER, and of two who demote each other at once one is left", async () => {
    problemOf(await patch(owner, { role: "ADMIN" }), 409, "INVALID_STATE")
    problemOf(await patch(owner, { status: "INACTIVE" }), 409, "INVALID_STATE")
    const [one, two] = [
      await join(client, otherKey, "one@other.test", "OWNER"),
      await join(client, otherKey, "two@other.test", "OWNER")
    ]
    bodyOf(await patch(otherOwner, { role: "ADMIN" }, otherKey))
    const answers = await Promise.all([
      patch(one.id, { role: "MEMBER" }, two.token),
      patch(two.id, { role: "MEMBER" }, one.token)
    ])
    assert.include(
      answers.map(({ status }) => status),
      200
    )
    assert.isTrue(answers.some(({ status }) => status === 409 || status === 403))
    const { data } = bodyOf<List>(await send("GET", "/api/members?role=OWNER", undefined, otherKey))
    assert.strictEqual(data.length, 1)
    bodyOf(await patch(otherOwner, { role: "OWNER" }, otherKey))
  })

  it("makes no circle of managers, and takes away a manager by null", async () => {
    const { id } = await join(client, key, "managed@sandbox.test")
    bodyOf(await patch(id, { manager_id: member }))
    assert.deepStrictEqual(faultPaths(await patch(member, { manager_id: id })), ["manager_id"])
    assert.deepStrictEqual(faultPaths(await patch(id, { manager_id: id })), ["manager_id"])
    assert.include(problemOf(await patch(id, { manager_id: "usr_nobody" }), 404, "NOT_FOUND").detail, "manager_id")
    assert.include(problemOf(await patch(id, { department_id: "dep_none" }), 404, "NOT_FOUND").detail, "department_id")
    assert.isNull(bodyOf<MemberBody>(await patch(id, { manager_id: null })).manager_id)
  })
})

describe("An invitation", () => {
  it("names whom it invites once, shows its link once, and is accepted once", async () => {
    const body = { email: "Invited@Sandbox.test", role: "APPROVER", name: "In Vited", manager_id: owner }
    const headers = { "idempotency-key": "invite once" }
    const answer = await send("POST", "/api/members", body, key, headers)
    const invited = bodyOf<InvitedBody>(answer, 201)
    assert.deepInclude(invited, {
      email: "invited@sandbox.test",
      status: "INVITED",
      role: "APPROVER",
      manager_id: owner
    })
    assert.isTrue(invited.invitation_url.startsWith(`${service().url}/account/acct_`))
    assert.strictEqual(answer.headers.get("location"), `/api/members/${invited.id}`)
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    const again = await send("POST", "/api/members", body, key, headers)
    assert.isTrue(replayed(again))
    assert.notProperty(again.json, "invitation_url")
    problemOf(await send("POST", "/api/members", body), 409, "INVALID_STATE")
    problemOf(
      await sendJson(client, "POST", "/api/auth/sign-in", { email: "invited@sandbox.test", password: "a good one" }),
      401,
      "UNAUTHENTICATED"
    )
    problemOf(await patch(invited.id, { status: "ACTIVE" }), 409, "INVALID_STATE")

    const token = tokenOf(invited.invitation_url)
    assert.deepStrictEqual(faultPaths(await accept(token, "short")), ["password"])
    assert.deepStrictEqual(faultPaths(await accept(token, "invited@sandbox.test")), ["password"])
    const answers = await atOnce(4, () => accept(token, "a good one", { name: "Other Name" }))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404])
    const begun = answers.find(({ status }) => status === 200)?.json as SessionAnswer
    assert.deepInclude(begun.user, { id: invited.id, name: "Other Name" })
    assert.strictEqual((await get(invited.id, begun.token)).status, "ACTIVE")
    problemOf(await accept(token), 404, "NOT_FOUND")
    problemOf(await send("POST", `/api/members/${invited.id}/invitation`), 409, "INVALID_STATE")
  })

  it("gives way to a new one, and dies with the member's time here", async () => {
    const first = await invite(client, key, "again@sandbox.test")
    const second = bodyOf<InvitedBody>(await send("POST", `/api/members/${first.id}/invitation`))
    problemOf(await accept(tokenOf(first.invitation_url)), 404, "NOT_FOUND")
    bodyOf(await patch(first.id, { status: "INACTIVE" }))
    problemOf(await accept(tokenOf(second.invitation_url)), 404, "NOT_FOUND")
    problemOf(await patch(first.id, { status: "ACTIVE" }), 409, "INVALID_STATE")
    const third = bodyOf<InvitedBody>(await send("POST", `/api/members/${first.id}/invitation`))
    assert.strictEqual(third.status, "INVITED")
    assert.strictEqual((await accept(tokenOf(third.invitation_url))).status, 200)
  })

  it("names every fault, and nobody is invited with one", async () => {
    const faulty = await send("POST", "/api/members", { email: "no address", role: "KING", name: " " })
    assert.deepStrictEqual(faultPaths(faulty), ["email", "name", "role"])
    const place = { email: "nowhere@sandbox.test", role: "MEMBER", department_id: "dep_1", manager_id: "usr_1" }
    assert.include(problemOf(await send("POST", "/api/members", place), 404, "NOT_FOUND").detail, "department_id")
    const managed = { ...place, department_id: null }
    assert.include(problemOf(await send("POST", "/api/members", managed), 404, "NOT_FOUND").detail, "manager_id")
    assert.isFalse((await send("GET", "/api/members?status=INVITED&limit=100")).text.includes("nowhere@"))
  })
})

describe("A password reset", () => {
  const reset = (id: string, bearer = key) => send("POST", `/api/members/${id}/password-reset`, undefined, bearer)
  const urlOf = async (id: string) => bodyOf<{ reset_url: string }>(await reset(id)).reset_url

  it("sets a new password by a link that works once, and ends all sessions", async () => {
    const { id, email, token } = await join(client, key, "forgetful@sandbox.test")
    const [first, second] = [await urlOf(id), await urlOf(id)]
    problemOf(await accept(tokenOf(first), "a new password"), 404, "NOT_FOUND")
    const answers = await atOnce(3, () => accept(tokenOf(second), "a new password"))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
    problemOf(await send("GET", "/api/auth/session", undefined, token), 401, "UNAUTHENTICATED")
    assert.isNotEmpty(await signIn(client, email, "a new password"))
    assert.includeMembers(await actionsOf(id), ["password.reset", "password.reset_begun"])
  })

  it("takes the second factor too where there is one, and is not used up without", async () => {
    const { id, token } = await join(client, key, "careful@sandbox.test")
    const { secret } = bodyOf<{ secret: string }>(
      await send("POST", "/api/auth/second-factor", { password: "a good one" }, token)
    )
    const confirmed = await send("POST", "/api/auth/second-factor/confirm", { code: totpCode(secret) }, token)
    assert.strictEqual(confirmed.status, 204)
    const link = tokenOf(await urlOf(id))
    assert.include(problemOf(await accept(link, "a new password"), 401, "UNAUTHENTICATED").detail, "`code`")
    assert.strictEqual((await send("GET", "/api/auth/session", undefined, token)).status, 200, "nothing has happened")
    assert.strictEqual((await accept(link, "a new password", { code: totpCode(secret, 1) })).status, 200)
  })

  it("is for persons of this organization alone, and for those who are here", async () => {
    const { id } = await join(client, key, "elsewhere@sandbox.test")
    const before = await urlOf(id)
    const there = await invite(client, otherKey, "elsewhere@sandbox.test")
    assert.strictEqual((await reset(id)).status, 200, "an invitation that nobody accepted changes nothing")
    const link = await urlOf(id)
    assert.strictEqual((await accept(tokenOf(there.invitation_url))).status, 200)
    assert.include(problemOf(await reset(id), 403, "FORBIDDEN").detail, "other organizations")
    for (const dead of [before, link]) problemOf(await accept(tokenOf(dead), "stolen password"), 404, "NOT_FOUND")
    const invited = await invite(client, key, "not-here-yet@sandbox.test")
    problemOf(await reset(invited.id), 409, "INVALID_STATE")
  })
})

describe("The page of a link", () => {
  const visit = (url: string): Promise<Answer> => client.visit(new URL(url).pathname)
  const submit = (url: string, fields: Readonly<Record<string, string>>) =>
    client.send({
      method: "POST",
      path: new URL(url).pathname,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new TextEncoder().encode(new URLSearchParams(fields).toString())
    })
  const isPage = (answer: Answer, status: number) => {
    assert.strictEqual(answer.status, status, answer.text)
    assert.include(answer.headers.get("content-type"), "text/html")
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
    const policy = answer.headers.get("content-security-policy") ?? ""
    assert.include(policy, "default-src 'none'")
    assert.notInclude(policy, "script-src")
    assert.notInclude(answer.text, "<script")
  }

  it("asks for a new password, says what is wrong with one, and sets it once", async () => {
    const { id, invitation_url } = await invite(client, key, "page@sandbox.test")
    for (const page of [await visit(invitation_url), await visit(invitation_url)]) {
      isPage(page, 200)
      assert.include(page.text, 'autocomplete="new-password"')
      assert.include(page.text, "page@sandbox.test")
    }
    isPage(await submit(invitation_url, { password: "short" }), 400)
    isPage(await submit(invitation_url, {}), 400)
    const answers = await atOnce(3, () => submit(invitation_url, { password: "a good one" }))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
    assert.strictEqual((await get(id)).status, "ACTIVE")
    assert.isNotEmpty(await signIn(client, "page@sandbox.test", "a good one"))
    isPage(await visit(invitation_url), 404)
    isPage(await submit(invitation_url, { password: "another one" }), 404)
  })

  it("asks a person who has an account for the present password", async () => {
    await join(client, otherKey, "known@other.test")
    const { id, invitation_url } = await invite(client, key, "known@other.test")
    const page = await visit(invitation_url)
    isPage(page, 200)
    assert.include(page.text, 'autocomplete="current-password"')
    isPage(await submit(invitation_url, { password: "not the present one" }), 403)
    isPage(await submit(invitation_url, { password: "a good one" }), 200)
    assert.strictEqual((await get(id)).status, "ACTIVE")
  })

  it("is no place to guess that password", async () => {
    await join(client, otherKey, "guessed@other.test")
    const { invitation_url } = await invite(client, key, "guessed@other.test")
    const request = {
      method: "POST",
      path: new URL(invitation_url).pathname,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new TextEncoder().encode("password=wrong")
    }
    const answers = await atOnce(70, () => sendOverHttp(service().url, request, { localAddress: "127.7.7.8" }))
    const limited = answers.find(({ status }) => status === 429)
    if (limited === undefined) throw new Error("Nothing was limited.")
    isPage(limited, 429)
    assert.isNotNull(limited.headers.get("retry-after"))
    isPage(await submit(invitation_url, { password: "a good one" }), 200)
  })

  it("is not there for what is no link, and shows nothing as markup that somebody wrote", async () => {
    isPage(await client.visit("/account/acct_nothing"), 404)
    isPage(await client.visit(`/account/${encodeURIComponent("<b>")}`), 404)
    const { invitation_url } = await invite(client, key, "a'<b>@sandbox.test")
    assert.notInclude((await visit(invitation_url)).text, "<b>@")
  })
})

describe("Departments", () => {
  it("are made, renamed and deleted while nothing has them", async () => {
    const made = await send("POST", "/api/departments", { name: "Ürün" })
    const { id, version } = bodyOf<{ id: string; version: number }>(made, 201)
    assert.match(id, /^dep_/)
    assert.strictEqual(made.headers.get("location"), `/api/departments/${id}`)
    const path = `/api/departments/${id}`
    assert.deepStrictEqual(faultPaths(await send("POST", "/api/departments", { name: "ÜRÜN" })), ["name"])
    assert.deepStrictEqual(faultPaths(await send("PATCH", path, { name: "finance" })), ["name"])
    const conflict = { "if-match": `"${version + 1}"` }
    problemOf(await send("PATCH", path, { name: "Product" }, key, conflict), 412, "VERSION_CONFLICT")
    assert.strictEqual((await send("PATCH", path, { name: "Product" })).headers.get("etag"), `"${version + 1}"`)
    const token = await signIn(client, "auditor@sandbox.test")
    const list = await send("GET", "/api/departments", undefined, token)
    assert.include(list.text, "Product")
    problemOf(await send("PATCH", path, { name: "x" }, otherKey), 404, "NOT_FOUND")
    problemOf(await send("DELETE", path, undefined, otherKey), 404, "NOT_FOUND")
    bodyOf(await patch(member, { department_id: id }))
    assert.include(problemOf(await send("DELETE", path), 409, "INVALID_STATE").detail, "members")
    bodyOf(await patch(member, { department_id: null }))
    problemOf(await send("DELETE", path, undefined, key, { "if-match": '"1"' }), 412, "VERSION_CONFLICT")
    assert.strictEqual((await send("DELETE", path)).status, 204)
    problemOf(await send("DELETE", path), 404, "NOT_FOUND")
  })
})
