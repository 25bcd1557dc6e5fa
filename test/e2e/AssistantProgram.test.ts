import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Client as CurrentClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as CurrentTransport } from "@modelcontextprotocol/client/stdio"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterEach, assert, describe, it } from "vitest"
import { makeClient } from "./support/Client.ts"
import {
  bearer,
  connectCurrent,
  connectLegacy,
  identity,
  type LegacyWire,
  organizationOf,
  otherOrganization,
  raw,
  sandboxOrganization,
  whoami
} from "./support/mcp.ts"
import { signIn } from "./support/members.ts"
import { bodyOf, sendJson } from "./support/people.ts"
import { makeFolder, removeFolder, Service, useService } from "./support/Service.ts"

/** The assistant server as a program of its own, beside the service whose data it reads. */

const service = useService()
const client = makeClient(service)
const entry = fileURLToPath(new URL("../../packages/runtime-http/src/assistantServer.ts", import.meta.url))

type Variables = Readonly<Record<string, string>>
const environment = (variables: Variables) => ({
  PATH: process.env.PATH ?? "",
  LOG_LEVEL: "info",
  PORT: "0",
  SARRAF_DATA_DIR: service().folder,
  ...variables
})

/** Several programs are started, on a machine that may be busy. */
const patient = { timeout: 120_000 }

const running = new Set<ChildProcess>()
afterEach(async () => {
  for (const child of running) {
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, "close")
      child.kill("SIGKILL")
      await closed
    }
  }
  running.clear()
})

const run = (variables: Variables = {}, args: ReadonlyArray<string> = []) => {
  const child = spawn(process.execPath, [entry, ...args], {
    env: environment(variables),
    stdio: ["pipe", "pipe", "pipe"]
  })
  running.add(child)
  const written = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text
  })
  return { child, written }
}

/** Starts it, and gives where it listens. */
const serve = async (variables: Variables = {}) => {
  const { child, written } = run(variables)
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const line = written.stdout.split("\n").find((text) => text.includes("is ready"))
      const url = line?.match(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/u)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("close", () => reject(new Error(written.stdout + written.stderr)))
  })
  return { child, url: `${await ready}/mcp` }
}

const ended = async (variables: Variables, args: ReadonlyArray<string> = []) => {
  const { child, written } = run(variables, args)
  await once(child, "close")
  return { exitCode: child.exitCode, ...written }
}

const stdio = (token: string) => ({
  command: process.execPath,
  args: [entry, "--stdio"],
  env: environment({ SARRAF_MCP_TOKEN: token }),
  stderr: "ignore" as const
})

describe("The assistant server alone", () => {
  it("answers both generations as the service does, and ends with 0", patient, async () => {
    const { child, url } = await serve()
    for (const connect of [connectLegacy, connectCurrent]) {
      const assistant = await connect(url, "mcp_other")
      assert.strictEqual(organizationOf(await assistant.callTool({ name: "whoami" })), otherOrganization)
      await assistant.close()
    }
    assert.strictEqual((await raw(url, { body: whoami })).status, 401)
    assert.strictEqual((await raw(url, { method: "GET", path: "/healthz" })).status, 200)
    assert.strictEqual((await raw(url, { method: "GET", path: "/readyz" })).status, 200)
    assert.strictEqual((await raw(url, { method: "GET", path: "/api/expenses" })).status, 404)
    const closed = once(child, "close")
    child.kill("SIGTERM")
    await closed
    assert.strictEqual(child.exitCode, 0)
    // The service's database goes on.
    assert.strictEqual(
      (await raw(`${service().url}/mcp`, { headers: bearer("mcp_sandbox"), body: whoami })).status,
      200
    )
  })

  it("shows the addresses that it was told, whatever it listens on", patient, async () => {
    const variables = { SARRAF_BASE_URL: "https://pay.example.com", SARRAF_MCP_URL: "https://mcp.example.com/v1/mcp" }
    const { url } = await serve(variables)
    const path = "/.well-known/oauth-protected-resource/v1/mcp"
    const metadata = JSON.parse((await raw(url, { method: "GET", path })).text)
    assert.strictEqual(metadata.resource, variables.SARRAF_MCP_URL)
    assert.deepStrictEqual(metadata.authorization_servers, [variables.SARRAF_BASE_URL])
    const named = { path: "/v1/mcp", headers: { host: "mcp.example.com", ...bearer("mcp_sandbox") }, body: whoami }
    assert.strictEqual((await raw(url, named)).status, 200)
    assert.strictEqual(
      (await raw(url, { ...named, headers: { ...named.headers, host: "pay.example.com" } })).status,
      403
    )
  })

  it("does not start without a database to read", patient, async () => {
    const folder = await makeFolder()
    try {
      const { exitCode, stdout } = await ended({ SARRAF_DATA_DIR: folder })
      assert.strictEqual(exitCode, 1)
      assert.include(stdout, "start the service first")
    } finally {
      await removeFolder(folder)
    }
  })

  it("refuses an address without a path", patient, async () => {
    const { exitCode, stdout } = await ended({ SARRAF_MCP_URL: "https://mcp.example.com" })
    assert.strictEqual(exitCode, 1)
    assert.include(stdout, "SARRAF_MCP_URL has no path")
  })
})

describe("The assistant server on standard input and output", () => {
  it("speaks with both generations of clients", patient, async () => {
    const legacy = new LegacyClient(identity)
    await legacy.connect(new LegacyTransport(stdio("mcp_sandbox")) as LegacyWire)
    assert.strictEqual(organizationOf(await legacy.callTool({ name: "whoami" })), sandboxOrganization)
    assert.isNotEmpty((await legacy.listTools()).tools)
    await legacy.close()
    const current = new CurrentClient(identity, { versionNegotiation: { mode: "auto" } })
    await current.connect(new CurrentTransport(stdio("mcp_other")))
    assert.strictEqual(organizationOf(await current.callTool({ name: "whoami" })), otherOrganization)
    await current.close()
  })

  it("writes nothing but the protocol on standard output", patient, async () => {
    const { child, written } = run({ SARRAF_MCP_TOKEN: "mcp_sandbox", LOG_LEVEL: "debug", SARRAF_NO_SUCH: "1" }, [
      "--stdio"
    ])
    child.stdin.write(`${JSON.stringify(whoami)}\n`)
    await once(child.stdout, "data")
    const closed = once(child, "close")
    child.stdin.end()
    await closed
    assert.strictEqual(child.exitCode, 0, written.stderr)
    for (const line of written.stdout.trim().split("\n")) assert.strictEqual(JSON.parse(line).jsonrpc, "2.0")
    assert.include(written.stderr, "SARRAF_NO_SUCH")
    assert.notInclude(written.stderr, "mcp_sandbox")
  })

  it("does not begin without a token, nor with one that is not valid", patient, async () => {
    const without = await ended({}, ["--stdio"])
    assert.strictEqual(without.exitCode, 1)
    assert.include(without.stderr, "SARRAF_MCP_TOKEN")
    const unknown = await ended({ SARRAF_MCP_TOKEN: "mcp_nobody" }, ["--stdio"])
    assert.strictEqual(unknown.exitCode, 1)
    assert.include(unknown.stderr, "token is not valid")
    assert.strictEqual(without.stdout + unknown.stdout, "")
  })

  it("checks the token again at each call", patient, async () => {
    const session = await signIn(client, "owner@sandbox.test")
    const made = await sendJson(client, "POST", "/api/assistant-tokens", { name: "Editor" }, { bearer: session })
    const { id, token } = bodyOf<{ readonly id: string; readonly token: string }>(made, 201)
    const assistant = new LegacyClient(identity)
    await assistant.connect(new LegacyTransport(stdio(token)) as LegacyWire)
    assert.strictEqual(organizationOf(await assistant.callTool({ name: "whoami" })), sandboxOrganization)
    await sendJson(client, "DELETE", `/api/assistant-tokens/${id}`, undefined, { bearer: session })
    const failure = await assistant.callTool({ name: "whoami" }).then(
      () => "answered",
      (error: unknown) => String(error)
    )
    assert.include(failure, "token is not valid")
    await assistant.close()
  })
})

describe("Live mode", () => {
  it("does not know the sandbox's tokens, also where the data is the sandbox's", patient, async () => {
    const folder = await makeFolder()
    const variables = { SARRAF_ENCRYPTION_KEY: randomBytes(32).toString("base64") }
    try {
      const first = await Service.start(folder, variables)
      const own = `${first.url}/mcp`
      assert.strictEqual((await raw(own, { headers: bearer("mcp_sandbox"), body: whoami })).status, 200)
      assert.strictEqual(await first.stop(), 0)
      const live = await Service.start(folder, { ...variables, SARRAF_MODE: "live" })
      try {
        const ask = (host: string) =>
          raw(`${live.url}/mcp`, { headers: { host, ...bearer("mcp_sandbox") }, body: whoami })
        assert.strictEqual((await ask(new URL(live.url).host)).status, 401)
        assert.strictEqual((await ask("localhost")).status, 403, "other names of this machine are the sandbox's alone")
      } finally {
        assert.strictEqual(await live.stop(), 0)
      }
    } finally {
      await removeFolder(folder)
    }
  })
})
