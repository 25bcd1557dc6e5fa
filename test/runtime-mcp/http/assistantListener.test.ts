import type { Catalogue, Exchange, ToolResult } from "@sarraf/runtime-mcp/catalogue/Catalogue"
import { afterEach, assert, describe, it } from "vitest"
import { bearer, connectCurrent, connectLegacy, message, raw } from "../../e2e/support/mcp.ts"
import { serveCatalogue } from "../support/FixtureServer.ts"

/** The listener and its guard, with tools that do what the service's own never should. */

type Call = (input: unknown, exchange: Exchange) => Promise<ToolResult>

const catalogueOf = (call: Call): Catalogue => ({
  name: "fixture",
  title: "Fixture",
  version: "1.0.0",
  instructions: "",
  tools: [
    {
      definition: {
        name: "try_it",
        title: "Try it",
        description: "Does what a test wants",
        inputSchema: { type: "object" },
        annotations: {}
      },
      call
    }
  ],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  readResource: async () => undefined
})

const opened: Array<{ close(): Promise<void> }> = []
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})
const serve = async (call: Call, options: Parameters<typeof serveCatalogue>[1] = {}) => {
  const server = await serveCatalogue(catalogueOf(call), options)
  opened.push(server)
  return server
}

const nothing: Call = async () => ({ content: [] })
const tryIt = message("tools/call", { name: "try_it", arguments: { secret: "what-somebody-wrote" } })
const ask = (url: string, body: unknown = tryIt, token = "mcp_fixture") => raw(url, { headers: bearer(token), body })
const errorOf = ({ text }: { readonly text: string }) => JSON.parse(text).error

interface CallOptions {
  readonly onprogress?: (told: { readonly progress: number }) => void
}

/** Clients of both generations, as far as these tests need them. */
const generations = {
  legacy: async (url: string) => {
    const client = await connectLegacy(url, "mcp_fixture")
    const call = (options: CallOptions = {}): Promise<unknown> =>
      client.callTool({ name: "try_it" }, undefined, options)
    // It tells of a call that is no longer wanted in another request, which any process may answer: it has to hang up.
    return { call, close: () => client.close(), hangUp: () => client.close() }
  },
  current: async (url: string) => {
    const client = await connectCurrent(url, "mcp_fixture")
    const unwanted = new AbortController()
    const call = (options: CallOptions = {}): Promise<unknown> =>
      client.callTool({ name: "try_it" }, { ...options, signal: unwanted.signal })
    return { call, close: () => client.close(), hangUp: async () => unwanted.abort() }
  }
}

/** Comes back when it is so; the test's own time limit is the bound. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

describe("A call", () => {
  for (const [generation, connect] of Object.entries(generations)) {
    it(`is ended when the ${generation} client hangs up`, async () => {
      const begun = Promise.withResolvers<void>()
      const aborted = Promise.withResolvers<void>()
      const { audited, url } = await serve((_, { signal }) => {
        begun.resolve()
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted.resolve()
            reject(new Error("aborted"))
          })
        })
      })
      const assistant = await connect(url)
      const answer = assistant.call().catch(() => "gone")
      await begun.promise
      await assistant.hangUp()
      await aborted.promise
      assert.strictEqual(await answer, "gone")
      await until(() => audited.length === 1)
      assert.strictEqual(audited[0]?.detail?.outcome, "cancelled")
      await assistant.close()
    })
  }

  it("that a socket leaves is ended too", async () => {
    const begun = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const { url } = await serve((_, { signal }) => {
      begun.resolve()
      return new Promise(() => signal.addEventListener("abort", () => aborted.resolve()))
    })
    const leave = new AbortController()
    const answer = fetch(url, {
      method: "POST",
      headers: {
        ...bearer("mcp_fixture"),
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(tryIt),
      signal: leave.signal
    }).catch(() => "left")
    await begun.promise
    leave.abort()
    assert.strictEqual(await answer, "left")
    await aborted.promise
  })

  it("that takes too long is ended, and says so", async () => {
    const { audited, url } = await serve(() => new Promise(() => {}), { callMillisMax: 20 })
    const { code, message: said } = errorOf(await ask(url))
    assert.strictEqual(code, -32_603)
    assert.include(said, "longer than 0.02 s")
    assert.strictEqual(audited[0]?.detail?.outcome, "timed_out")
  })

  it("that fails tells the client nothing of why", async () => {
    const failures: ReadonlyArray<Call> = [
      () => Promise.reject(new Error("password of the database")),
      () => Promise.reject(Object.assign(new Error("password of the database"), { code: -32_000 })),
      () => {
        throw new Error("password of the database")
      }
    ]
    for (const failure of failures) {
      const { audited, logged, url } = await serve(failure)
      const answer = await ask(url)
      assert.deepStrictEqual(errorOf(answer), { code: -32_603, message: "Internal error" })
      assert.strictEqual(audited[0]?.detail?.outcome, "failed")
      const line = logged.find((text) => text.includes("password of the database"))
      assert.include(line, "req_fixture", "whoever operates it can find it by the request's id")
      assert.notInclude(logged.join(), "what-somebody-wrote")
    }
  })

  it("acts for whoever's token it came with, however many come at once", async () => {
    const { url } = await serve(async (_, { principal }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { content: [], structuredContent: { organization: principal.organizationId } }
    })
    const owners = {
      mcp_fixture: "org_fixture",
      mcp_neighbour: "org_neighbour",
      "connected-with-the-scope": "org_fixture"
    }
    const asked = Array.from({ length: 120 }, (_, index) => Object.entries(owners)[index % 3] ?? ["", ""])
    const answers = await Promise.all(asked.map(([token]) => ask(url, tryIt, token)))
    for (const [index, { text }] of answers.entries()) {
      assert.strictEqual(JSON.parse(text).result.structuredContent.organization, asked[index]?.[1])
    }
  })

  it("waits for its turn where many come, and for none of another organization's", async () => {
    const held: Array<() => void> = []
    let running = 0
    let most = 0
    const { asked, url } = await serve(async (_, { principal }) => {
      if (principal.organizationId !== "org_fixture") return { content: [] }
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => held.push(resolve))
      running -= 1
      return { content: [] }
    })
    const greedy = Promise.all(Array.from({ length: 100 }, () => ask(url)))
    await until(() => running === 3 && asked.length === 100)
    // None of the three has ended, nor will before these have.
    for (let call = 0; call < 3; call++) assert.strictEqual((await ask(url, tryIt, "mcp_neighbour")).status, 200)
    assert.strictEqual(running, 3)
    const left = setInterval(() => {
      for (const release of held.splice(0)) release()
    }, 1)
    assert.isTrue((await greedy).every(({ status }) => status === 200))
    clearInterval(left)
    assert.strictEqual(most, 3, "no more of one organization at once")
  })

  it("is audited with its rows, its client and nothing that it was asked", async () => {
    const { audited, url } = await serve(async () => ({ content: [], structuredContent: { items: [1, 2, 3] } }))
    await ask(url, tryIt, "connected-with-the-scope")
    assert.lengthOf(audited, 1)
    const [entry] = audited
    assert.strictEqual(entry?.action, "assistant.tool_called")
    assert.deepStrictEqual(entry?.subject, { type: "assistant_tool", id: "try_it" })
    const { duration_ms, ...detail } = entry?.detail ?? {}
    assert.isNumber(duration_ms)
    assert.deepStrictEqual(detail, {
      user_id: "usr_connected",
      client_id: "https://assistant.example/client.json",
      outcome: "answered",
      rows: 3
    })
    assert.notInclude(JSON.stringify(audited), "what-somebody-wrote")
  })

  it("that a tool refuses is audited as refused, one of an unknown resource without its address", async () => {
    const { audited, url } = await serve(async () => ({ content: [], isError: true }))
    assert.isTrue(JSON.parse((await ask(url)).text).result.isError)
    assert.deepStrictEqual(errorOf(await ask(url, message("resources/read", { uri: "x://free text" }))).data, {
      uri: "x://free text"
    })
    assert.deepStrictEqual(
      audited.map(({ detail, subject }) => [subject.id, detail?.outcome]),
      [
        ["try_it", "refused"],
        ["unknown", "not_found"]
      ]
    )
  })

  it("is answered also when the audit trail cannot be written", async () => {
    const { logged, url } = await serve(nothing, { isAuditAway: true })
    assert.deepStrictEqual(JSON.parse((await ask(url)).text).result, { content: [] })
    assert.include(logged.join(), "not in the audit trail")
  })
})

describe("The guard", () => {
  it("lets in a connection that was given the scope, and no other", async () => {
    const { url } = await serve(nothing)
    assert.strictEqual((await ask(url, tryIt, "connected-with-the-scope")).status, 200)
    const { headers, status } = await ask(url, tryIt, "connected-without-the-scope")
    assert.strictEqual(status, 403)
    assert.match(String(headers["www-authenticate"]), /^Bearer error="insufficient_scope", .*scope="mcp:read"$/u)
  })

  it("knows no token of the other mode", async () => {
    const { url } = await serve(nothing)
    assert.strictEqual((await ask(url, tryIt, "mcp_live")).status, 401)
  })

  it("says to come back when the database is away", async () => {
    const { url } = await serve(nothing, { isDatabaseAway: true })
    const { headers, status } = await ask(url)
    assert.strictEqual(status, 503)
    assert.isDefined(headers["retry-after"])
  })

  it("gives an organization five credentials' worth of requests, whoever of it asks", async () => {
    // A bucket of one that fills once a day.
    const { url } = await serve(nothing, { burst: 1, perSecond: 1 / 86_400 })
    assert.strictEqual((await ask(url, tryIt, "mcp_fixture")).status, 200)
    assert.strictEqual((await ask(url, tryIt, "mcp_fixture")).status, 429)
    assert.strictEqual((await ask(url, tryIt, "mcp_colleague")).status, 200)
    assert.strictEqual((await ask(url, tryIt, "mcp_neighbour")).status, 200)
  })
})

describe("The protocol", () => {
  it("answers parameters that do not fit, cursors that were never handed out and unknown methods as errors", async () => {
    const { url } = await serve(nothing)
    const cases: ReadonlyArray<readonly [method: string, params: unknown, code: number]> = [
      ["tools/call", { name: 7 }, -32_602],
      ["tools/call", {}, -32_602],
      ["tools/call", { name: "try_it", arguments: [] }, -32_602],
      ["tools/list", { cursor: "made-up" }, -32_602],
      ["prompts/get", { name: "none" }, -32_602],
      ["resources/read", {}, -32_602],
      ["resources/subscribe", { uri: "x://y" }, -32_601],
      ["completion/complete", {}, -32_601],
      ["no/such", {}, -32_601]
    ]
    for (const [method, params, code] of cases) {
      assert.strictEqual(errorOf(await ask(url, message(method, params))).code, code, method)
    }
  })

  it("takes null for arguments that were left out", async () => {
    const given: Array<unknown> = []
    const { url } = await serve(async (input) => {
      given.push(input)
      return { content: [] }
    })
    for (const params of [{ name: "try_it" }, { name: "try_it", arguments: null }]) {
      assert.strictEqual((await ask(url, message("tools/call", params))).status, 200)
    }
    assert.deepStrictEqual(given, [{}, {}])
  })

  it("tells of progress who has asked for it, in both generations", async () => {
    const { url } = await serve(async (_, { notify }) => {
      await notify("notifications/progress", { progress: 1, total: 2 })
      return { content: [] }
    })
    for (const connect of Object.values(generations)) {
      const assistant = await connect(url)
      const told: Array<number> = []
      await assistant.call({ onprogress: ({ progress }) => void told.push(progress) })
      assert.deepStrictEqual(told, [1])
      await assistant.call()
      assert.lengthOf(told, 1)
      await assistant.close()
    }
  })
})
