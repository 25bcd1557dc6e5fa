import type { OAuthClientInformationMixed, OAuthDiscoveryState, OAuthTokens } from "@modelcontextprotocol/client"
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client"
import * as oauth from "oauth4webapi"
import { assert, describe, it } from "vitest"
import { makeKeeper } from "./support/assistants.ts"
import {
  allowStep,
  begin,
  connected,
  makeBrowser,
  postForm,
  register,
  sandboxOrganization,
  signInStep
} from "./support/oauth.ts"
import { useService } from "./support/Service.ts"

/** Clients that others have written connect from nothing but the assistant server's address, and read. */

const service = useService()
const redirectUri = "http://127.0.0.1:3999/callback"

/** The person at the browser: where it was sent in the end. */
const consent = async (address: URL): Promise<URL> => {
  const browser = makeBrowser(service)
  const step = await signInStep(browser, await begin(browser, address.href), "owner@sandbox.test")
  return allowStep(browser, step, sandboxOrganization)
}

describe("The client of the 2.x SDK", () => {
  it("registers, connects through sign-in and consent, and calls a tool", async () => {
    let sentTo: URL | undefined
    const authProvider = makeKeeper<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      redirectUri,
      async (url) => {
        sentTo = url
      }
    )
    const server = new URL("/mcp", service().url)
    const connect = async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } })
      const transport = new StreamableHTTPClientTransport(server, { authProvider })
      return { client, transport, done: client.connect(transport) }
    }
    const first = await connect()
    const error = await first.done.then(
      () => undefined,
      (reason: unknown) => reason
    )
    assert.instanceOf(error, UnauthorizedError)
    if (sentTo === undefined) return assert.fail("The person was sent nowhere")
    assert.strictEqual(sentTo.searchParams.get("resource"), server.href)
    await first.transport.finishAuth((await consent(sentTo)).searchParams)
    const second = await connect()
    await second.done
    const answer = await second.client.callTool({ name: "whoami", arguments: {} })
    assert.include(JSON.stringify(answer.structuredContent), sandboxOrganization)
    await second.client.close()
  })
})

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const noAuth = oauth.None()

  it("accepts every answer, from the challenge to introspection and revocation", async () => {
    const resource = new URL("/mcp", service().url)
    const challenged = await fetch(resource, { method: "POST", body: "{}" })
    assert.strictEqual(challenged.status, 401)
    const found = await oauth.resourceDiscoveryRequest(resource, insecure)
    const { authorization_servers = [] } = await oauth.processResourceDiscoveryResponse(resource, found)
    const issuer = new URL(authorization_servers[0] ?? "")
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
    const as = await oauth.processDiscoveryResponse(issuer, discovery)
    const registration = await oauth.dynamicClientRegistrationRequest(
      as,
      { client_name: "oauth4webapi", redirect_uris: [redirectUri] },
      insecure
    )
    const client = await oauth.processDynamicClientRegistrationResponse(registration)

    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const authorization = new URL(as.authorization_endpoint ?? "")
    authorization.search = String(
      new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "mcp:read",
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        resource: resource.href,
        state
      })
    )
    // Checks state, and the issuer of RFC 9207.
    const parameters = oauth.validateAuthResponse(as, client, await consent(authorization), state)
    const redeemed = await oauth.authorizationCodeGrantRequest(as, client, noAuth, parameters, redirectUri, verifier, {
      additionalParameters: { resource: resource.href },
      ...insecure
    })
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, redeemed)
    assert.strictEqual(tokens.scope, "mcp:read")
    const refreshed = await oauth.refreshTokenGrantRequest(as, client, noAuth, tokens.refresh_token ?? "", insecure)
    const renewed = await oauth.processRefreshTokenResponse(as, client, refreshed)
    assert.notStrictEqual(renewed.refresh_token, tokens.refresh_token)

    const call = await oauth.protectedResourceRequest(
      renewed.access_token,
      "POST",
      resource,
      new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" }),
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } }),
      insecure
    )
    assert.include(await call.text(), sandboxOrganization)

    const ended = await oauth.revocationRequest(as, client, noAuth, renewed.refresh_token ?? "", insecure)
    assert.isUndefined(await oauth.processRevocationResponse(ended))
    const again = await oauth.refreshTokenGrantRequest(as, client, noAuth, renewed.refresh_token ?? "", insecure)
    const refusal = await oauth.processRefreshTokenResponse(as, client, again).catch((error: unknown) => error)
    assert.instanceOf(refusal, oauth.ResponseBodyError)
    assert.deepInclude(refusal, { error: "invalid_grant" })
  })

  it("introspects tokens of its own client and no others", async () => {
    const { json } = await register(service, { token_endpoint_auth_method: "client_secret_post" })
    const { json: other } = await register(service, { token_endpoint_auth_method: "client_secret_post" })
    const publicId = String((await register(service)).json.client_id)
    const tokens = await connected(service, { clientId: publicId })
    const introspect = (fields: Readonly<Record<string, string>>) =>
      postForm(new URL("/oauth/introspect", service().url).href, { token: tokens.accessToken, ...fields })
    const own = await introspect({ client_id: publicId })
    assert.deepInclude(own.json, { active: true, aud: `${service().url}/mcp`, scope: "mcp:read" })
    for (const client of [json, other]) {
      const foreign = await introspect({
        client_id: String(client.client_id),
        client_secret: String(client.client_secret)
      })
      assert.notProperty(foreign.json, "sub")
      assert.notStrictEqual(foreign.json.active, true)
    }
  })
})
