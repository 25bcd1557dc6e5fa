import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { makeProvider } from "@sarraf/runtime-http/oauth/provider"
import type { AdapterPayload } from "oidc-provider"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

/** Clients that are named by the address of their metadata document, without the network. */

const documents: Record<string, unknown> = {
  "https://claude.example/client.json": {
    client_id: "https://claude.example/client.json",
    client_name: "Claude",
    redirect_uris: ["https://claude.example/callback"]
  },
  "https://terminal.example/client.json": {
    client_id: "https://terminal.example/client.json",
    client_name: "Terminal",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"]
  },
  "https://liar.example/client.json": {
    client_id: "https://claude.example/client.json",
    redirect_uris: ["https://liar.example/callback"]
  },
  "https://secret.example/client.json": {
    client_id: "https://secret.example/client.json",
    client_secret: "x",
    redirect_uris: ["https://secret.example/callback"]
  },
  "https://plain.example/client.json": {
    client_id: "https://plain.example/client.json",
    redirect_uris: ["http://plain.example/callback"]
  },
  "https://denied.example/client.json": {
    client_id: "https://denied.example/client.json",
    redirect_uris: ["https://claude.example/callback"]
  },
  "https://keys.example/client.json": {
    client_id: "https://keys.example/client.json",
    redirect_uris: ["https://keys.example/callback"],
    token_endpoint_auth_method: "private_key_jwt",
    jwks_uri: "https://keys.example/jwks.json"
  },
  "https://lent.example/client.json": {
    client_id: "https://lent.example/client.json",
    redirect_uris: ["https://sub.denied.example/callback"]
  }
}

/** An endless document of keys, of which somebody has to stop reading. */
let chunksRead = 0
const endless = () =>
  new Response(
    new ReadableStream({
      pull: (controller) => {
        chunksRead += 1
        if (chunksRead > 100) controller.close()
        else controller.enqueue(new Uint8Array(65_536))
      }
    })
  )

const fetched: Array<string> = []
let isAllowed = true
const kept = new Map<string, AdapterPayload>()
let handle: RequestListener = () => {}
const server = createServer((...exchange) => handle(...exchange))
let url = ""

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const provider = makeProvider({
    issuer: url,
    mcpUrl: `${url}/mcp`,
    adapter: (model) => ({
      upsert: async (id, payload) => void kept.set(`${model} ${id}`, payload),
      find: async (id) => kept.get(`${model} ${id}`),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      consume: async () => {},
      destroy: async () => {},
      revokeByGrantId: async () => {}
    }),
    signingKey: { ...privateKey.export({ format: "jwk" }), kty: "EC", alg: "ES256", use: "sig", kid: "test" },
    cookieKeys: ["key"],
    deniedHosts: ["denied.example"],
    mayFetch: async () => isAllowed,
    connectionOf: async () => undefined,
    fetch: async (input) => {
      const address = String(input)
      fetched.push(address)
      if (address === "https://keys.example/jwks.json") return endless()
      const document = documents[address]
      return document === undefined ? new Response("", { status: 404 }) : Response.json(document)
    }
  })
  handle = provider.callback()
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, "close")
})

const authorize = async (clientId: string, redirectUri: string) => {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256"
  })
  const { headers, status } = await fetch(`${url}/oauth/authorize?${query}`, { redirect: "manual" })
  return { status, location: headers.get("location") ?? "" }
}
const isShown = ({ location, status }: { readonly status: number; readonly location: string }) =>
  status === 303 && location.startsWith("/connect/")

describe("A client with a metadata document", () => {
  it("is let in with its own redirect, and its document is fetched once for a while", async () => {
    const id = "https://claude.example/client.json"
    assert.isTrue(isShown(await authorize(id, "https://claude.example/callback")))
    assert.isTrue(isShown(await authorize(id, "https://claude.example/callback")))
    assert.deepStrictEqual(
      fetched.filter((address) => address === id),
      [id]
    )
    const elsewhere = await authorize(id, "https://claude.example/other")
    assert.deepStrictEqual(elsewhere, { status: 400, location: "" })
  })

  it("may come back to any port of its machine, without having said that it is native", async () => {
    const id = "https://terminal.example/client.json"
    assert.isTrue(isShown(await authorize(id, "http://localhost:51234/callback")))
    assert.isTrue(isShown(await authorize(id, "http://127.0.0.1:8085/callback")))
    assert.isFalse(isShown(await authorize(id, "http://localhost:51234/other")))
  })

  it("is refused where its document is not its own, has a secret, redirects over http, or is not there", async () => {
    for (const host of ["liar", "secret", "plain", "absent"]) {
      const answer = await authorize(`https://${host}.example/client.json`, `https://${host}.example/callback`)
      assert.isFalse(isShown(answer), host)
      assert.strictEqual(answer.location, "", host)
    }
  })

  it("of a denied host is not even asked for, and nobody is redirected to such a host", async () => {
    const denied = await authorize("https://denied.example/client.json", "https://claude.example/callback")
    assert.isFalse(isShown(denied))
    assert.notInclude(fetched, "https://denied.example/client.json")
    assert.isFalse(isShown(await authorize("https://sub.denied.example/c.json", "https://claude.example/callback")))
    assert.isFalse(isShown(await authorize("https://lent.example/client.json", "https://sub.denied.example/callback")))
  })

  it("has keys of a bounded size: the rest of a longer list is not read", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const id = "https://keys.example/client.json"
    const claims = { iss: id, sub: id, aud: url, jti: "1", exp: 4_000_000_000 }
    const answer = await fetch(`${url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: "x",
        client_id: id,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: `${part({ alg: "ES256", kid: "k" })}.${part(claims)}.${"x".repeat(86)}`
      })
    })
    assert.isAtLeast(answer.status, 400)
    assert.include(fetched, "https://keys.example/jwks.json")
    assert.isAtMost(chunksRead, 10)
  })

  it("is not asked for by who has asked for too many", async () => {
    isAllowed = false
    const before = fetched.length
    assert.isFalse(isShown(await authorize("https://new.example/client.json", "https://new.example/callback")))
    assert.strictEqual(fetched.length, before)
    isAllowed = true
  })
})
