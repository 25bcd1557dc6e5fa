import { assert, describe, it } from "vitest"
import { bodyOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import {
  bearer,
  connectCurrent,
  connectLegacy,
  message,
  organizationOf,
  otherOrganization,
  raw,
  sandboxOrganization,
  whoami
} from "./support/mcp.ts"
import { signIn } from "./support/members.ts"
import { join, sendJson } from "./support/people.ts"
import { useService } from "./support/Service.ts"

/** The assistant server over HTTP: who gets in, with which client, and whose data they see. */

const service = useService()
const client = makeClient(service)
const url = () => `${service().url}/mcp`
const ask = (headers: Readonly<Record<string, string>>, body: unknown = whoami) => raw(url(), { headers, body })

const challenge = () =>
  `resource_metadata="${service().url}/.well-known/oauth-protected-resource/mcp", scope="mcp:read"`

/** A token of somebody's own, made with their session. */
const makeToken = async (session: string) => {
  const answer = await sendJson(client, "POST", "/api/assistant-tokens", { name: "Test" }, { bearer: session })
  return bodyOf<{ readonly id: string; readonly token: string }>(answer, 201)
}

describe("An assistant", () => {
  for (const [generation, connect] of Object.entries({ legacy: connectLegacy, current: connectCurrent })) {
    it(`lists and calls tools with the ${generation} client`, async () => {
      const assistant = await connect(url(), "mcp_sandbox")
      try {
        const { tools } = await assistant.listTools()
        assert.include(
          tools.map(({ name }) => name),
          "whoami"
        )
        assert.isTrue(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
        assert.strictEqual(organizationOf(await assistant.callTool({ name: "whoami" })), sandboxOrganization)
        assert.strictEqual(assistant.getServerVersion()?.name, "sarraf")
      } finally {
        await assistant.close()
      }
    })
  }

  it("gets the same tools in the same order, in both generations", async () => {
    const lists = await Promise.all(
      [connectLegacy, connectCurrent, connectLegacy].map(async (connect) => {
        const assistant = await connect(url(), "mcp_sandbox")
        const { tools } = await assistant.listTools()
        await assistant.close()
        return tools.map(({ inputSchema, name }) => ({ name, inputSchema }))
      })
    )
    assert.deepStrictEqual(lists[1], lists[0])
    assert.deepStrictEqual(lists[2], lists[0])
  })

  it("is told in the protocol's words that a tool is not there", async () => {
    const answer = await ask(bearer("mcp_sandbox"), message("tools/call", { name: "delete_everything" }))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(JSON.parse(answer.text).error.code, -32_602)
  })

  it("never sees another organization's data, however calls of both interleave", async () => {
    const [own, other] = await Promise.all([connectLegacy(url(), "mcp_sandbox"), connectCurrent(url(), "mcp_other")])
    try {
      const seen = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const isOwn = index % 2 === 0
          const asked = { name: "whoami" }
          const found = organizationOf(isOwn ? await own.callTool(asked) : await other.callTool(asked))
          return { found, expected: isOwn ? sandboxOrganization : otherOrganization }
        })
      )
      for (const { expected, found } of seen) assert.strictEqual(found, expected)
    } finally {
      await own.close()
      await other.close()
    }
  })
})

describe("The assistant server", () => {
  it("says where tokens come from, at both addresses, letter for letter", async () => {
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
      const { status, text } = await raw(url(), { method: "GET", path })
      assert.strictEqual(status, 200)
      const metadata = JSON.parse(text)
      assert.strictEqual(metadata.resource, url())
      assert.deepStrictEqual(metadata.authorization_servers, [service().url])
      assert.deepStrictEqual(metadata.scopes_supported, ["mcp:read"])
      assert.deepStrictEqual(metadata.bearer_methods_supported, ["header"])
    }
    assert.strictEqual((await raw(url(), { path: "/.well-known/oauth-protected-resource" })).status, 405)
  })

  it("challenges who comes without a token, and names no error", async () => {
    const { headers, status } = await ask({})
    assert.strictEqual(status, 401)
    assert.strictEqual(headers["www-authenticate"], `Bearer ${challenge()}`)
  })

  it("refuses a token that it does not know, an API key and a session alike", async () => {
    const session = await signIn(client, "owner@sandbox.test")
    const credentials = ["mcp_nobody", "key_test_sandbox", session, "0123456789abcdef0123456789abcdef0123456789a"]
    for (const credential of credentials) {
      const { headers, status } = await ask(bearer(credential))
      assert.strictEqual(status, 401, credential.slice(0, 8))
      assert.strictEqual(headers["www-authenticate"], `Bearer error="invalid_token", ${challenge()}`)
    }
    assert.strictEqual((await ask({ authorization: "Basic bWNwX3NhbmRib3g6" })).status, 401)
  })

  it("refuses a token in the address, also a good one, and logs it nowhere", async () => {
    const { token } = await makeToken(await signIn(client, "auditor@sandbox.test"))
    for (const query of [`access_token=${token}`, `token=${token}`, `x=${token}`]) {
      const { status, text } = await raw(url(), { path: `/mcp?${query}`, headers: bearer(token), body: whoami })
      assert.strictEqual(status, 400)
      assert.include(text, "Authorization: Bearer")
    }
    assert.strictEqual((await ask(bearer(token))).status, 200)
    assert.notInclude(service().output, token)
  })

  it("forgets a token as soon as it is revoked, and lets it open nothing else", async () => {
    const session = await signIn(client, "approver@sandbox.test")
    const { id, token } = await makeToken(session)
    const assistant = await connectCurrent(url(), token)
    await assistant.callTool({ name: "whoami" })
    assert.strictEqual((await sendJson(client, "GET", "/api/expenses", undefined, { bearer: token })).status, 403)
    const revoked = await sendJson(client, "DELETE", `/api/assistant-tokens/${id}`, undefined, { bearer: session })
    assert.strictEqual(revoked.status, 204)
    assert.strictEqual((await ask(bearer(token))).status, 401)
    let failure: unknown
    await assistant.callTool({ name: "whoami" }).catch((error: unknown) => {
      failure = error
    })
    assert.isDefined(failure, "the client that was connected before is out as well")
    await assistant.close()
  })

  it("lets in nobody who has left", async () => {
    const owner = await signIn(client, "owner@sandbox.test")
    const leaver = await join(client, owner, "leaver@sandbox.test")
    const { token } = await makeToken(leaver.token)
    assert.strictEqual((await ask(bearer(token))).status, 200)
    const left = await sendJson(client, "PATCH", `/api/members/${leaver.id}`, { status: "INACTIVE" }, { bearer: owner })
    bodyOf(left)
    assert.strictEqual((await ask(bearer(token))).status, 401)
  })

  it("answers POST alone", async () => {
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
      const { headers, status } = await raw(url(), { method, headers: bearer("mcp_sandbox") })
      assert.strictEqual(status, 405, method)
      assert.strictEqual(headers.allow, "POST")
    }
  })

  it("refuses names that are not its own, whoever asks", async () => {
    for (const headers of [
      { host: "evil.example" },
      { host: "evil.example:8080" },
      { origin: "https://evil.example" }
    ]) {
      assert.strictEqual((await ask({ ...bearer("mcp_sandbox"), ...headers })).status, 403)
      assert.strictEqual((await ask(headers)).status, 403, "before the token is looked at")
    }
    assert.strictEqual((await ask({ ...bearer("mcp_sandbox"), origin: "null" })).status, 403)
    assert.strictEqual((await ask({ ...bearer("mcp_sandbox"), origin: service().url })).status, 200)
  })

  it("refuses what is too large, not JSON, or said to be something else", async () => {
    const headers = bearer("mcp_sandbox")
    const large = message("tools/call", { name: "whoami", arguments: { text: "x".repeat(1 << 20) } })
    assert.strictEqual((await ask(headers, large)).status, 413)
    assert.strictEqual((await ask({ ...headers, "transfer-encoding": "chunked" }, large)).status, 413)
    assert.strictEqual((await ask({ ...headers, "content-type": "text/plain" })).status, 415)
    const broken = await ask(headers, "{")
    assert.strictEqual(broken.status, 400)
    assert.strictEqual(JSON.parse(broken.text).error.code, -32_700)
    assert.strictEqual((await ask(headers, "")).status, 400)
  })

  it("keeps no session and gives each answer its request's id", async () => {
    const initialize = message("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" }
    })
    const { headers, status } = await ask({ ...bearer("mcp_sandbox"), "x-request-id": "req-of-mine" }, initialize)
    assert.strictEqual(status, 200)
    assert.strictEqual(headers["x-request-id"], "req-of-mine")
    assert.strictEqual(headers["cache-control"], "no-store")
    assert.isUndefined(headers["mcp-session-id"])
    // A call needs no handshake before it, nor the process that answered it.
    assert.strictEqual((await ask({ ...bearer("mcp_sandbox"), "mcp-session-id": "made-up" })).status, 200)
  })

  it("answers several messages in one body, as revision 2025-03-26 allows, and not more than twenty", async () => {
    const headers = { ...bearer("mcp_sandbox"), "mcp-protocol-version": "2025-03-26" }
    const many = (count: number) =>
      Array.from({ length: count }, (_, id) => message("tools/call", { name: "whoami", arguments: {} }, id))
    const { status, text } = await ask(headers, many(3))
    assert.strictEqual(status, 200)
    assert.lengthOf(JSON.parse(text), 3)
    assert.strictEqual((await ask(headers, many(21))).status, 400)
  })

  it("writes down each call: who, what, how it ended, and nothing of what was asked", async () => {
    const marker = "not-to-be-written-down"
    await ask(
      { ...bearer("mcp_sandbox"), "x-request-id": "audited-call" },
      message("tools/call", { name: "list_expenses", arguments: { text: marker, limit: 2 } })
    )
    const answer = await sendJson(client, "GET", "/api/audit?action=assistant.tool_called&limit=100", undefined, {
      bearer: "key_test_sandbox"
    })
    assert.notInclude(answer.text, marker)
    const { data } = bodyOf<{ readonly data: ReadonlyArray<Readonly<Record<string, unknown>>> }>(answer)
    const entry = data.find(({ request_id }) => request_id === "audited-call")
    assert.isDefined(entry)
    assert.match(String(entry?.actor), /^assistant:token:mcpt_/u)
    assert.deepStrictEqual(entry?.subject, { type: "assistant_tool", id: "list_expenses" })
    const detail = entry?.detail as Readonly<Record<string, unknown>>
    assert.strictEqual(detail.outcome, "answered")
    assert.isNumber(detail.rows)
    assert.isNumber(detail.duration_ms)
    assert.strictEqual(detail.user_id, "usr_01kd8z0000e0080000000000p1")
  })

  it("counts calls by tool and outcome, and names no organization", async () => {
    await ask(bearer("mcp_sandbox"))
    const { text } = await raw(url(), { method: "GET", path: "/metrics" })
    assert.match(text, /sarraf_assistant_calls_total\{method="tools\/call",name="whoami",outcome="answered"\} \d+/u)
    assert.match(text, /sarraf_http_requests_total\{method="POST",route="\/mcp",status="2xx"\} \d+/u)
    const lines = text.split("\n").filter((line) => line.includes("assistant"))
    assert.isFalse(lines.some((line) => line.includes("org_") || line.includes("mcpt_")))
  })
})
