import type { Sql } from "postgres"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { makeClient } from "./support/Client.ts"
import {
  connected,
  obtainCode,
  otherOrganization,
  postForm,
  redeem,
  redirectUri,
  refresh,
  register,
  registered,
  sandboxOrganization
} from "./support/oauth.ts"
import { bodyOf, invite, sendJson, tokenOf } from "./support/people.ts"
import { useService } from "./support/Service.ts"
import { everyRow, openDatabase } from "./support/stored.ts"

/** How long what opens something stays good, who else may use it, and what is left of it (RFC 9700, section 10 ff.). */

const service = useService({ LOG_LEVEL: "debug" })
const client = makeClient(service)
const key = "key_test_sandbox"
let sql: Sql
beforeAll(async () => {
  sql = await openDatabase(service().folder)
})
afterAll(async () => {
  await sql.end()
})

interface Connection {
  readonly id: string
  readonly client_id: string
  readonly client_name: string
  readonly client_host: string | null
  readonly redirect_host: string
  readonly user_id: string
  readonly last_used_at: string | null
}
const connectionsOf = async (bearer: string) =>
  bodyOf<{ readonly data: ReadonlyArray<Connection> }>(
    await sendJson(client, "GET", "/api/assistant-connections?limit=100", undefined, { bearer })
  ).data
const connectionOf = async (clientId: string) =>
  (await connectionsOf(key)).find(({ client_id }) => client_id === clientId)

/** What the assistant server answers to a call with this token; 401: it opens nothing. */
const call = async (token: string) => {
  const response = await fetch(new URL("/mcp", service().url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } })
  })
  return { status: response.status, text: await response.text() }
}
const opens = async (token: string) => (await call(token)).status === 200

interface Entry {
  readonly subject: { readonly id: string }
  readonly detail?: unknown
  readonly address: string | null
  readonly request_id: string
}
const audited = async (action: string) =>
  bodyOf<{ readonly data: ReadonlyArray<Entry> }>(
    await sendJson(client, "GET", `/api/audit?action=${action}&limit=100`, undefined, { bearer: key })
  ).data

describe("A code", () => {
  it("is redeemed once, of eighty attempts on ten codes at the same time exactly ten succeed", async () => {
    const clientId = await registered(service)
    const codes: Array<Awaited<ReturnType<typeof obtainCode>>> = []
    for (let count = 0; count < 10; count++) codes.push(await obtainCode(service, { clientId }))
    const attempts = codes.flatMap((code) => Array.from({ length: 8 }, () => code))
    const answers = await Promise.all(attempts.map((code) => redeem(service, code)))
    assert.strictEqual(answers.filter(({ status }) => status === 200).length, 10)
    for (const { json, status } of answers) {
      if (status !== 200) assert.deepInclude(json, { error: "invalid_grant" })
    }
  })

  it("that is used again takes the tokens with it, and ends the connection", async () => {
    const clientId = await registered(service)
    const obtained = await obtainCode(service, { clientId })
    const first = await redeem(service, obtained)
    assert.isTrue(await opens(String(first.json.access_token)))
    const second = await redeem(service, obtained)
    assert.deepInclude(second.json, { error: "invalid_grant" })
    assert.isFalse(await opens(String(first.json.access_token)))
    const third = await refresh(service, clientId, String(first.json.refresh_token))
    assert.deepInclude(third.json, { error: "invalid_grant" })
    assert.isUndefined(await connectionOf(clientId))
  })

  it("is over after a minute", async () => {
    const obtained = await obtainCode(service, { clientId: await registered(service) })
    const [row] = await sql<
      Array<{ seconds: number }>
    >`SELECT extract(epoch FROM expires_at - created_at)::int AS seconds
      FROM oauth_artifact WHERE model = 'AuthorizationCode' ORDER BY created_at DESC LIMIT 1`
    assert.strictEqual(row?.seconds, 60)
    await sql`UPDATE oauth_artifact SET expires_at = now() WHERE model = 'AuthorizationCode'`
    assert.deepInclude((await redeem(service, obtained)).json, { error: "invalid_grant" })
  })
})

describe("A refresh token", () => {
  it("is exchanged for a new one, and one that was used before ends all of its family, audited and logged", async () => {
    const clientId = await registered(service)
    const first = await connected(service, { clientId })
    const connection = await connectionOf(clientId)
    const second = (await refresh(service, clientId, first.refreshToken)).json
    const third = (await refresh(service, clientId, String(second.refresh_token))).json
    assert.isTrue(await opens(String(third.access_token)))
    const reused = await refresh(service, clientId, first.refreshToken)
    assert.strictEqual(reused.status, 400)
    assert.deepInclude(reused.json, { error: "invalid_grant" })
    for (const token of [first.accessToken, second.access_token, third.access_token]) {
      assert.isFalse(await opens(String(token)))
    }
    const last = await refresh(service, clientId, String(third.refresh_token))
    assert.deepInclude(last.json, { error: "invalid_grant" })
    assert.isUndefined(await connectionOf(clientId))
    const entry = (await audited("assistant_connection.revoked")).find(({ subject }) => subject.id === connection?.id)
    assert.deepEqual(entry?.detail, { reason: "refresh token used twice" })
    assert.strictEqual(entry?.address, "127.0.0.1")
    assert.isNotEmpty(entry?.request_id)
    await vi.waitFor(() => assert.match(service().output, /Security: .* its refresh token used twice/u))
  })

  it("that several use at the same time is exchanged once", async () => {
    const clientId = await registered(service)
    const { refreshToken } = await connected(service, { clientId })
    const answers = await Promise.all(Array.from({ length: 12 }, () => refresh(service, clientId, refreshToken)))
    assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
    for (const { json, status } of answers) if (status !== 200) assert.deepInclude(json, { error: "invalid_grant" })
  })

  it("is good for its own client alone, and for no wider scope", async () => {
    const clientId = await registered(service)
    const { refreshToken } = await connected(service, { clientId })
    assert.strictEqual((await refresh(service, await registered(service), refreshToken)).status, 400)
    const wider = await refresh(service, clientId, refreshToken, { scope: "mcp:read mcp:write" })
    assert.deepInclude(wider.json, { error: "invalid_scope" })
  })

  it("brings nothing for who is no member any more", async () => {
    const { email, id } = await joined("leaves@sandbox.test")
    const clientId = await registered(service)
    const tokens = await connected(service, { clientId, email, password: "a good one" })
    assert.isTrue(await opens(tokens.accessToken))
    const left = await sendJson(client, "PATCH", `/api/members/${id}`, { status: "INACTIVE" }, { bearer: key })
    assert.strictEqual(left.status, 200, left.text)
    assert.isFalse(await opens(tokens.accessToken))
    assert.strictEqual((await refresh(service, clientId, tokens.refreshToken)).status, 400)
  })
})

/** A member of the sandbox with a password of their own. */
const joined = async (email: string) => {
  const { id, invitation_url } = await invite(client, key, email)
  const accepted = await sendJson(client, "POST", "/api/auth/accept", {
    token: tokenOf(invitation_url),
    password: "a good one"
  })
  return { id, email, token: bodyOf<{ readonly token: string }>(accepted).token }
}

describe("A connection", () => {
  it("is of one person and one organization: its token carries the chosen one", async () => {
    const { email } = await joined("both@sandbox.test")
    const again = await invite(client, "key_test_other", email, "AUDITOR")
    const accepted = await fetch(again.invitation_url, {
      method: "POST",
      body: new URLSearchParams({ password: "a good one" })
    })
    assert.strictEqual(accepted.status, 200)
    const clientId = await registered(service)
    const as = (organizationId: string) =>
      connected(service, { clientId, email, password: "a good one", organizationId })
    const [mine, theirs] = [await as(sandboxOrganization), await as(otherOrganization)]
    assert.include((await call(mine.accessToken)).text, sandboxOrganization)
    assert.notInclude((await call(mine.accessToken)).text, otherOrganization)
    assert.include((await call(theirs.accessToken)).text, otherOrganization)
    // Each has a consent of its own: one ends without the other.
    const theirConnection = (await connectionsOf("key_test_other")).find(({ client_id }) => client_id === clientId)
    const path = `/api/assistant-connections/${theirConnection?.id}`
    assert.strictEqual((await sendJson(client, "DELETE", path, undefined, { bearer: key })).status, 404)
    assert.strictEqual((await sendJson(client, "DELETE", path, undefined, { bearer: "key_test_other" })).status, 204)
    assert.isFalse(await opens(theirs.accessToken))
    assert.isTrue(await opens(mine.accessToken))
  })

  it("is listed for its person and the OWNER, with its use, and ends at once when it is revoked", async () => {
    const member = await joined("connects@sandbox.test")
    const other = await joined("onlooker@sandbox.test")
    const clientId = await registered(service, { client_name: "Reads\u202e a lot" })
    const tokens = await connected(service, { clientId, email: member.email, password: "a good one" })
    const [listed] = await connectionsOf(member.token)
    assert(listed !== undefined)
    assert.deepInclude(listed, {
      client_id: clientId,
      client_name: "Reads a lot",
      client_host: null,
      redirect_host: "127.0.0.1:3999",
      user_id: member.id,
      last_used_at: null
    })
    assert.deepStrictEqual(await connectionsOf(other.token), [])
    assert.isDefined(await connectionOf(clientId))
    assert.isTrue(await opens(tokens.accessToken))
    assert.isString((await connectionOf(clientId))?.last_used_at)
    const path = `/api/assistant-connections/${listed?.id}`
    assert.strictEqual((await sendJson(client, "DELETE", path, undefined, { bearer: other.token })).status, 404)
    assert.strictEqual((await sendJson(client, "DELETE", path, undefined, { bearer: member.token })).status, 204)
    assert.strictEqual((await sendJson(client, "DELETE", path, undefined, { bearer: member.token })).status, 404)
    assert.isFalse(await opens(tokens.accessToken))
    assert.deepInclude((await refresh(service, clientId, tokens.refreshToken)).json, { error: "invalid_grant" })
    const made = (await audited("assistant_connection.created")).filter(({ subject }) => subject.id === listed?.id)
    const ended = (await audited("assistant_connection.revoked")).filter(({ subject }) => subject.id === listed?.id)
    assert.strictEqual(made.length, 1)
    assert.strictEqual(ended.length, 1)
  })

  it("ends when the client gives its refresh token back (RFC 7009)", async () => {
    const clientId = await registered(service)
    const tokens = await connected(service, { clientId })
    const revoke = (token: string) =>
      postForm(new URL("/oauth/revoke", service().url).href, { client_id: clientId, token })
    const foreign = await postForm(new URL("/oauth/revoke", service().url).href, {
      client_id: await registered(service),
      token: tokens.refreshToken
    })
    assert.include([200, 400], foreign.status)
    assert.isTrue(await opens(tokens.accessToken), "another client cannot")
    assert.strictEqual((await revoke(tokens.refreshToken)).status, 200)
    assert.isFalse(await opens(tokens.accessToken))
    assert.isUndefined(await connectionOf(clientId))
  })

  it("ends also when the client gives an access token back", async () => {
    const clientId = await registered(service)
    const tokens = await connected(service, { clientId })
    await postForm(new URL("/oauth/revoke", service().url).href, { client_id: clientId, token: tokens.accessToken })
    assert.isFalse(await opens(tokens.accessToken))
    assert.strictEqual((await refresh(service, clientId, tokens.refreshToken)).status, 400)
    assert.isUndefined(await connectionOf(clientId))
  })
})

describe("What opens something", () => {
  it("is in no row of any table and in no line of the log", async () => {
    const { json } = await register(service, {
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: [redirectUri]
    })
    const clientId = String(json.client_id)
    const clientSecret = String(json.client_secret)
    const obtained = await obtainCode(service, { clientId })
    const unused = await obtainCode(service, { clientId })
    const tokens = (await redeem(service, obtained, { client_secret: clientSecret })).json
    const next = (await refresh(service, clientId, String(tokens.refresh_token), { client_secret: clientSecret })).json
    assert.isTrue(await opens(String(next.access_token)))
    const secrets = [
      clientSecret,
      obtained.code,
      unused.code,
      ...[tokens, next].flatMap(({ access_token, refresh_token }) => [String(access_token), String(refresh_token)])
    ]
    const rows = await everyRow(sql)
    assert.include(rows, clientId, "what is looked through holds what it should")
    for (const secret of secrets) {
      assert.isAtLeast(secret.length, 40)
      assert.notInclude(rows, secret)
      assert.notInclude(service().output, secret)
    }
    assert.notMatch(service().output, /password=|sandbox&/u)
  })
})
