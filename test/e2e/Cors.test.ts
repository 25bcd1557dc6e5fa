import { assert, beforeAll, describe, it } from "vitest"
import { problemOf } from "./support/answers.ts"
import { bearerOf, bodyOf } from "./support/bearer.ts"
import { type Answer, makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** Which web pages may call `/api` from a browser, with a bearer credential (contract section 3). */

const service = useService()
const client = makeClient(service)
const owner = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")
const listed = "https://app.example.com"
const path = "/api/organization"

/** Node's `fetch` sends no `Origin` of its own and takes none away. */
const from = (origin: string, more: Readonly<Record<string, string>> = {}) => ({ origin, ...more })
const allowed = ({ headers }: Answer) => headers.get("access-control-allow-origin")
const preflight = (origin: string, to = path) =>
  client.send({
    method: "OPTIONS",
    path: to,
    headers: from(origin, {
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization,content-type,if-match"
    }),
    body: undefined
  })

beforeAll(async () => {
  bodyOf(await owner("PATCH", path, { allowed_origins: [listed, "http://localhost:5173"] }))
})

describe("A page of another origin", () => {
  it("is shown answers of organizations that list it, refusals too", async () => {
    const answer = await owner("GET", path, undefined, from(listed))
    assert.strictEqual(allowed(answer), listed)
    assert.include(answer.headers.get("vary"), "Origin")
    assert.match(answer.headers.get("access-control-expose-headers") ?? "", /etag/iu)
    const refused = await owner("PATCH", path, { name: "" }, from("http://localhost:5173"))
    problemOf(refused, 400, "INVALID_REQUEST")
    assert.strictEqual(allowed(refused), "http://localhost:5173")
    const token = await signIn(client, "member@sandbox.test")
    assert.strictEqual(allowed(await bearerOf(client, token)("GET", path, undefined, from(listed))), listed)
  })

  it("is told what every caller is: of what is not there 404, and of a wrong method 405", async () => {
    for (const origin of [listed, "https://evil.example.com"]) {
      problemOf(await owner("GET", "/api/members/usr_nothing", undefined, from(origin)), 404, "NOT_FOUND")
      problemOf(await owner("GET", "/api/nothing", undefined, from(origin)), 404, "NOT_FOUND")
      problemOf(await owner("PUT", "/api/members/usr_nothing", {}, from(origin)), 405, "METHOD_NOT_ALLOWED")
    }
    const metrics = await client.visit("/metrics")
    assert.include(metrics.text, 'route="/api/members/:id",status="4xx"')
  })

  it("is shown nothing by other organizations, without a credential, or where no organization lists it", async () => {
    for (const answer of [
      await other("GET", path, undefined, from(listed)),
      await owner("GET", path, undefined, from("https://evil.example.com")),
      await owner("GET", path, undefined, from(`${listed}.evil.example`)),
      await owner("GET", path, undefined, from("null")),
      await bearerOf(client, "key_test_nobody")("GET", path, undefined, from(listed)),
      await client.send({ method: "GET", path, headers: from(listed), body: undefined })
    ]) {
      assert.isNull(allowed(answer))
      assert.include(answer.headers.get("vary"), "Origin")
    }
    assert.isNull(allowed(await owner("GET", path)))
  })

  it("is never shown what a cookie opens, nor asked for cookies", async () => {
    const token = await signIn(client, "member@sandbox.test")
    const withCookie = await client.send({
      method: "GET",
      path,
      headers: from(listed, { cookie: `sarraf_session=${token}; __Host-sarraf_session=${token}` }),
      body: undefined
    })
    for (const answer of [withCookie, await owner("GET", path, undefined, from(listed)), await preflight(listed)]) {
      assert.isNull(answer.headers.get("access-control-allow-credentials"))
    }
    assert.isNull(allowed(withCookie))
  })

  it("asks before with a preflight, which is answered where any organization lists it", async () => {
    for (const to of [path, "/api/expenses/exp_1/approve", "/api/nothing"]) {
      const answer = await preflight(listed, to)
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(allowed(answer), listed)
      assert.include(answer.headers.get("vary"), "Origin")
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        assert.include(answer.headers.get("access-control-allow-methods"), method)
      }
      for (const name of ["authorization", "content-type", "idempotency-key", "if-match"]) {
        assert.include(answer.headers.get("access-control-allow-headers")?.toLowerCase(), name)
      }
    }
    const unknown = await preflight("https://evil.example.com")
    problemOf(unknown, 405, "METHOD_NOT_ALLOWED")
    assert.isNull(allowed(unknown))
  })

  it("reaches nothing of the gateway or of other pages", async () => {
    for (const to of ["/pf/v1/payments", "/pf/v1/capabilities", "/healthz", "/apiary"]) {
      assert.isNull(allowed(await preflight(listed, to)), to)
      assert.notStrictEqual((await preflight(listed, to)).status, 204)
    }
    const signed = await client.request("GET", "/pf/v1/capabilities", undefined, { headers: from(listed) })
    assert.strictEqual(signed.status, 200)
    assert.isNull(allowed(signed))
  })

  it("is let in and shut out from the moment that the setting changes", async () => {
    const fresh = "https://fresh.example.com"
    assert.strictEqual((await preflight(fresh)).status, 405)
    bodyOf(await owner("PATCH", path, { allowed_origins: [listed, fresh] }))
    assert.strictEqual(allowed(await owner("GET", path, undefined, from(fresh))), fresh)
    assert.strictEqual((await preflight(fresh)).status, 204)
    bodyOf(await owner("PATCH", path, { allowed_origins: [listed] }))
    assert.isNull(allowed(await owner("GET", path, undefined, from(fresh))))
    assert.strictEqual((await preflight(fresh)).status, 405)
  })
})
