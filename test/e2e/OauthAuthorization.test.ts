import { assert, describe, it } from "vitest"
import {
  authorizePath,
  begin,
  connected,
  makeBrowser,
  makePkce,
  obtainCode,
  postForm,
  redeem,
  redirectUri,
  register,
  registered,
  send
} from "./support/oauth.ts"
import { useService } from "./support/Service.ts"

/** What the authorization server gives whom, and what it refuses (OAuth 2.1, RFC 9700), over HTTP alone. */

const service = useService({ LOG_LEVEL: "debug", SARRAF_OAUTH_DENIED_HOSTS: "evil.example" })
const at = (path: string) => new URL(path, service().url).href
const site = "https://assistant.example/callback"

/** Where a refusal of the authorization endpoint leads; undefined: nowhere, it is a page. */
const refusal = async (parameters: Readonly<Record<string, string | undefined>>) => {
  const { headers, status, text } = await makeBrowser(service).visit(authorizePath(parameters))
  const location = headers.get("location")
  return { status, text, told: location === null ? undefined : new URL(location, service().url) }
}

describe("The metadata of the authorization server (RFC 8414)", () => {
  it("says what it takes, at both addresses, whatever host was asked for", async () => {
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
      const answer = await fetch(at(path), {
        headers: { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" }
      })
      const metadata = (await answer.json()) as Readonly<Record<string, unknown>>
      assert.strictEqual(metadata.issuer, service().url)
      assert.deepStrictEqual(metadata.code_challenge_methods_supported, ["S256"])
      assert.deepStrictEqual(metadata.grant_types_supported, ["authorization_code", "refresh_token"])
      assert.deepStrictEqual(metadata.response_types_supported, ["code"])
      assert.deepStrictEqual(metadata.response_modes_supported, ["query"])
      assert.strictEqual(metadata.authorization_response_iss_parameter_supported, true)
      assert.strictEqual(metadata.client_id_metadata_document_supported, true)
      assert.include(metadata.token_endpoint_auth_methods_supported as Array<string>, "none")
      for (const [name, value] of Object.entries(metadata)) {
        if (name.endsWith("_endpoint") || name === "jwks_uri") {
          assert.isTrue(String(value).startsWith(`${service().url}/oauth/`), `${name} ${value}`)
        }
      }
    }
  })

  it("shows the public part of its key and no other", async () => {
    const { keys } = (await (await fetch(at("/oauth/jwks"))).json()) as { readonly keys: ReadonlyArray<object> }
    assert.strictEqual(keys.length, 1)
    assert.notProperty(keys[0], "d")
  })
})

describe("A redirect", () => {
  it("is exact but for the port of a loopback address", async () => {
    const clientId = await registered(service, { redirect_uris: [redirectUri, "http://localhost/callback"] })
    const { challenge: code_challenge } = makePkce()
    for (const redirect_uri of ["http://127.0.0.1:51004/callback", "http://localhost:8085/callback"]) {
      const { status, told } = await refusal({ client_id: clientId, code_challenge, redirect_uri })
      assert.strictEqual(status, 303)
      assert.match(told?.pathname ?? "", /^\/connect\//u)
    }
  })

  it("that was not registered is never gone to, whatever else is wrong", async () => {
    const loopback = await registered(service)
    const ofSite = await registered(service, { redirect_uris: [site] })
    const { challenge: code_challenge } = makePkce()
    const wrong: ReadonlyArray<readonly [string, string]> = [
      [loopback, "http://127.0.0.1:3999/callback/"],
      [loopback, "http://127.0.0.1:3999/callback?x=1"],
      [loopback, "http://127.0.0.1:3999/other"],
      [loopback, "http://localhost:3999/callback"],
      [loopback, "https://127.0.0.1:3999/callback"],
      [loopback, "https://evil.example/callback"],
      [loopback, "http://127.0.0.1:3999@evil.example/callback"],
      [ofSite, "https://assistant.example:444/callback"],
      [ofSite, "https://assistant.example.evil.example/callback"],
      [ofSite, "https://assistant.example/callback#x"],
      [ofSite, "javascript:alert(1)"]
    ]
    for (const [client_id, redirect_uri] of wrong) {
      for (const more of [
        {},
        { response_type: "token" },
        { code_challenge: undefined },
        { resource: "https://x.test" }
      ]) {
        const { status, text, told } = await refusal({ client_id, code_challenge, redirect_uri, ...more })
        assert.strictEqual(status, 400, `${redirect_uri} ${text}`)
        assert.isUndefined(told, redirect_uri)
        assert.notInclude(text, "evil.example")
      }
    }
  })

  it("of a client that nobody knows is never gone to", async () => {
    for (const client_id of [
      "nobody",
      "nobody\u0000",
      "https://127.0.0.1/client.json",
      "https://evil.example/client.json"
    ]) {
      const { status, text, told } = await refusal({ client_id, code_challenge: makePkce().challenge })
      assert.include([400, 401], status)
      assert.isUndefined(told)
      assert.include(text, "The assistant could not be connected")
      assert.notMatch(text, /\bat .*\.js:\d/u)
    }
  })
})

describe("A request of a client", () => {
  it("without PKCE, or with a challenge that is plain, is refused, and the answer names the issuer (RFC 9207)", async () => {
    const clientId = await registered(service)
    for (const parameters of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: makePkce().challenge, code_challenge_method: "plain" },
      { code_challenge: makePkce().challenge, code_challenge_method: undefined }
    ]) {
      const { status, told } = await refusal({ client_id: clientId, ...parameters })
      assert.strictEqual(status, 303)
      assert.strictEqual(told?.origin + (told?.pathname ?? ""), redirectUri)
      assert.strictEqual(told?.searchParams.get("error"), "invalid_request")
      assert.strictEqual(told?.searchParams.get("iss"), service().url)
      assert.strictEqual(told?.searchParams.get("state"), "state")
    }
  })

  it("for anything but a code is refused: there is no implicit and no hybrid flow", async () => {
    const clientId = await registered(service)
    for (const response_type of ["token", "id_token", "code token", "code id_token", "none"]) {
      const parameters = { client_id: clientId, code_challenge: makePkce().challenge, response_type, nonce: "n" }
      const { told } = await refusal(parameters)
      const error = told?.searchParams.get("error") ?? new URLSearchParams(told?.hash.slice(1)).get("error")
      assert.strictEqual(error, "unsupported_response_type")
    }
  })

  it("for an answer in a form or a fragment is refused: a code is in the query alone", async () => {
    const clientId = await registered(service)
    for (const response_mode of ["form_post", "fragment", "jwt", "web_message"]) {
      const challenge = makePkce().challenge
      const { told } = await refusal({ client_id: clientId, code_challenge: challenge, response_mode })
      assert.strictEqual(told?.searchParams.get("error"), "unsupported_response_mode")
    }
    const parameters = { response_mode: "query" }
    const { told } = await obtainCode(service, { clientId, parameters })
    assert.strictEqual(told.hash, "")
  })

  it("that is wrong leads to no site by itself (RFC 9700, section 4.11.2)", async () => {
    const site = "https://assistant.example/callback?kept=1"
    const clientId = await registered(service, { redirect_uris: [site] })
    const right = { client_id: clientId, redirect_uri: site, code_challenge: makePkce().challenge }
    for (const wrong of [
      { prompt: "none" },
      { code_challenge: undefined },
      { response_type: "token" },
      { resource: "https://elsewhere.example" },
      { state: "a\u0000" }
    ]) {
      const { status, text, told } = await refusal({ ...right, ...wrong })
      assert.isUndefined(told, JSON.stringify(wrong))
      assert.strictEqual(status, 400)
      assert.include(text, "Go back to assistant.example")
      const href = /href="([^"]*)"/u.exec(text)?.[1]?.replaceAll("&#38;", "&") ?? ""
      const { hash, origin, search } = new URL(href)
      assert.strictEqual(origin, "https://assistant.example")
      const answer = new URLSearchParams(hash === "" ? search : hash.slice(1))
      assert.isNotNull(answer.get("error"))
      assert.strictEqual(answer.get("iss"), service().url)
    }
  })

  it("for another resource is refused (RFC 8707)", async () => {
    const clientId = await registered(service)
    for (const resource of ["https://elsewhere.example/mcp", `${service().url}/api`, `${service().url}/mcp/x`]) {
      const { told } = await refusal({ client_id: clientId, code_challenge: makePkce().challenge, resource })
      assert.strictEqual(told?.searchParams.get("error"), "invalid_target")
      assert.strictEqual(told?.searchParams.get("iss"), service().url)
    }
    const obtained = await obtainCode(service, { clientId, parameters: { resource: `${service().url}/mcp` } })
    const elsewhere = await redeem(service, obtained, { resource: "https://elsewhere.example/mcp" })
    assert.deepInclude(elsewhere.json, { error: "invalid_target" })
  })

  it("without a scope, or with foreign ones, is a request to read", async () => {
    const clientId = await registered(service)
    for (const scope of [undefined, "openid profile", "offline_access"]) {
      const { json } = await redeem(service, await obtainCode(service, { clientId, parameters: { scope } }))
      assert.include(String(json.scope).split(" "), "mcp:read")
    }
  })

  it("that wants no page is told so", async () => {
    const clientId = await registered(service)
    const { told } = await refusal({ client_id: clientId, code_challenge: makePkce().challenge, prompt: "none" })
    assert.strictEqual(told?.searchParams.get("error"), "login_required")
    assert.strictEqual(told?.searchParams.get("iss"), service().url)
  })

  it("that the person denies, at either step, is told so with the issuer", async () => {
    const clientId = await registered(service)
    const path = authorizePath({ client_id: clientId, code_challenge: makePkce().challenge })
    const browser = makeBrowser(service)
    const answer = await send(browser, await begin(browser, path), { decision: "deny" })
    assert.strictEqual(answer.status, 303)
    const told = new URL((await browser.visit(answer.headers.get("location") ?? "")).headers.get("location") ?? "")
    assert.strictEqual(told.searchParams.get("error"), "access_denied")
    assert.strictEqual(told.searchParams.get("iss"), service().url)
    assert.strictEqual(told.searchParams.get("state"), "state")
    assert.isNull(told.searchParams.get("code"))
  })

  it("succeeds with the issuer in the answer, and with nothing but the code and the state beside it", async () => {
    const { told } = await obtainCode(service, { clientId: await registered(service) })
    assert.deepStrictEqual([...told.searchParams.keys()].sort(), ["code", "iss", "state"])
    assert.strictEqual(told.searchParams.get("iss"), service().url)
  })
})

describe("The token endpoint", () => {
  it("knows no password, client or device grant", async () => {
    const clientId = await registered(service)
    for (const grant_type of [
      "password",
      "client_credentials",
      "implicit",
      "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:token-exchange"
    ]) {
      const fields = { grant_type, client_id: clientId, username: "owner@sandbox.test", password: "sandbox" }
      const { json, status } = await postForm(at("/oauth/token"), fields)
      assert.strictEqual(status, 400)
      assert.deepInclude(json, { error: "unsupported_grant_type" })
    }
  })

  it("answers a client that nobody knows with 401, so that it registers again", async () => {
    const { json, status } = await redeem(service, { clientId: "nobody", code: "x", verifier: "x".repeat(43) })
    assert.strictEqual(status, 401)
    assert.deepInclude(json, { error: "invalid_client" })
  })

  it("wants the verifier, the redirect and the client of the code", async () => {
    const clientId = await registered(service)
    const other = await registered(service)
    const wrong = async (changes: Readonly<Record<string, string>>) => {
      const obtained = await obtainCode(service, { clientId })
      const { json, status } = await redeem(service, { ...obtained, ...changes }, changes)
      assert.strictEqual(status, 400, JSON.stringify(json))
      assert.include(["invalid_grant", "invalid_request"], json.error)
    }
    await wrong({ verifier: makePkce().verifier })
    await wrong({ clientId: other, client_id: other })
    await wrong({ redirect_uri: "http://127.0.0.1:4000/callback" })
  })

  it("lets nobody keep its answers", async () => {
    const answer = await redeem(service, await obtainCode(service, { clientId: await registered(service) }))
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    assert.strictEqual(answer.json.token_type, "Bearer")
    assert.strictEqual(answer.json.expires_in, 600)
    assert.notProperty(answer.json, "id_token")
  })

  it("knows the secret of a confidential client", async () => {
    const { json } = await register(service, {
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: [site]
    })
    const clientId = String(json.client_id)
    const parameters = { redirect_uri: site }
    const redeemed = async (client_secret: string) =>
      redeem(service, await obtainCode(service, { clientId, parameters }), { client_secret, redirect_uri: site })
    assert.strictEqual((await redeemed("wrong")).status, 401)
    assert.strictEqual((await redeemed(String(json.client_secret))).status, 200)
  })
})

describe("Registration (RFC 7591)", () => {
  it("refuses what breaks the rules of redirects, and says which", async () => {
    for (const redirect_uris of [
      ["http://assistant.example/callback"],
      ["https://user:word@assistant.example/callback"],
      ["https://evil.example/callback"],
      ["https://deep.evil.example/callback"],
      [redirectUri, "http://10.0.0.1/callback"],
      ["https://assistant.example/callback#fragment"],
      ["javascript:alert(1)"],
      ["ms-msdt:/id"],
      ["https://a;sandbox/"],
      ["https://assistant.example/callback?code=mine"],
      ["relative"],
      [],
      Array.from({ length: 11 }, (_, index) => `https://assistant.example/${index}`)
    ]) {
      const { json, status } = await register(service, { redirect_uris })
      assert.strictEqual(status, 400, JSON.stringify(redirect_uris))
      assert.include(["invalid_redirect_uri", "invalid_client_metadata"], json.error)
    }
  })

  it("refuses other grants, names without end, and texts that no database stores", async () => {
    for (const metadata of [
      { grant_types: ["password"] },
      { grant_types: ["authorization_code", "client_credentials"] },
      { response_types: ["token"] },
      { client_name: "x".repeat(121) },
      { client_name: "a\u0000b" },
      { contacts: ["x".repeat(20_000)] },
      { sector_identifier_uri: "https://127.0.0.1/sector.json" }
    ]) {
      const { json, status } = await register(service, metadata)
      assert.strictEqual(status, 400, JSON.stringify(json))
    }
  })

  it("takes private schemes and loopback redirects, as a native client", async () => {
    const { json } = await register(service, { redirect_uris: ["cursor://anysphere.cursor-retrieval/oauth/callback"] })
    assert.strictEqual(json.application_type, "native")
    assert.strictEqual(json.token_endpoint_auth_method, "none")
    assert.notProperty(json, "client_secret")
  })
})

describe("An access token", () => {
  it("opens nothing of /api, and an API key nothing of an assistant", async () => {
    const { accessToken } = await connected(service, { clientId: await registered(service) })
    for (const path of ["/api/expenses", "/api/members", "/api/assistant-connections"]) {
      const answer = await fetch(at(path), { headers: { authorization: `Bearer ${accessToken}` } })
      assert.strictEqual(answer.status, 403, path)
    }
    const inAddress = await fetch(at(`/api/expenses?access_token=${accessToken}`))
    assert.strictEqual(inAddress.status, 401)
  })
})
