import { type ChildProcess, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { Webhook } from "standardwebhooks"
import { afterEach, assert, describe, it } from "vitest"
import { bearerOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { runCommand } from "./support/command.ts"
import { useService } from "./support/Service.ts"
import { delivered, eventually, startReceiver, type WebhookBody } from "./support/webhooks.ts"

/** `npm run listen` and `npm run trigger` as a developer uses them, against a running service and a target of their own. */

const service = useService()
const client = makeClient(service)
const key = bearerOf(client, "key_test_sandbox")

const endpoints = async () => rowsOf<WebhookBody>(await key("GET", "/api/webhooks"))

const listenProgram = fileURLToPath(new URL("../../packages/runtime-http/src/listen.ts", import.meta.url))

/** The command under way, and everything that it wrote. */
const startListening = (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [listenProgram, "--url", service().url, ...args], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const written: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => written.push(text))
  const output = () => written.join("")
  const isSaid = (text: string | RegExp) => (typeof text === "string" ? output().includes(text) : text.test(output()))
  return {
    child,
    output,
    /** Once it has written this; fails where it ended before. */
    said: async (text: string | RegExp) => {
      await eventually(
        async () => isSaid(text) || child.exitCode !== null,
        (isOver) => isOver
      )
      assert.isTrue(isSaid(text), output())
      return output()
    },
    end: async (signal: NodeJS.Signals) => {
      const closed = once(child, "close")
      child.kill(signal)
      await closed
      return child.exitCode
    }
  }
}

const trigger = async (...args: ReadonlyArray<string>) => runCommand("trigger", service().folder, args)

/** The event that the command made. */
const triggered = async (type: string) => {
  const { exitCode, output } = await trigger(type, "--url", service().url)
  assert.strictEqual(exitCode, 0, output)
  return JSON.parse(output) as {
    readonly id: string
    readonly type: string
    readonly data: { readonly object: { readonly id: string } }
  }
}

const hexOf = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex")

/** A port of this machine that nobody listens on. */
const closedPort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return address !== null && typeof address === "object" ? address.port : 0
}

const children: Array<ChildProcess> = []
const listening = (...args: ReadonlyArray<string>) => {
  const one = startListening(args)
  children.push(one.child)
  return one
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

describe("npm run listen", () => {
  it("forwards the very bytes and headers of the events it is asked for, and removes its endpoint when stopped", async () => {
    const target = await startReceiver()
    try {
      const command = listening("--forward", target.url, "--events", "card.frozen, bill.paid")
      const output = await command.said("Ready.")
      const secret = /whsec_[A-Za-z0-9+/=]+/u.exec(output)?.[0] ?? ""
      const [endpoint] = await endpoints()
      assert.deepStrictEqual(endpoint?.events, ["card.frozen", "bill.paid"])
      await triggered("expense.approved")
      const event = await triggered("card.frozen")
      await command.said(new RegExp(`card\\.frozen  ${event.id}  ${event.data.object.id}  200\\n`, "u"))
      assert.strictEqual(target.received.length, 1, "not the one that nobody asked for")
      const [{ body, headers } = { body: "", headers: {} }] = target.received
      assert.deepStrictEqual(JSON.parse(body), event)
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      assert.deepStrictEqual(new Webhook(secret).verify(body, signed), event)
      const [, at = "", signature] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(String(headers["x-service-signature"])) ?? []
      assert.strictEqual(signature, hexOf(secret, `${at}.${body}`))
      assert.strictEqual(headers.host, new URL(target.url).host)
      assert.strictEqual((await delivered(key, endpoint?.id ?? "", "SUCCEEDED")).attempts.at(-1)?.answer, "answer 1")
      assert.strictEqual(await command.end("SIGINT"), 0)
      assert.deepStrictEqual(await endpoints(), [])
    } finally {
      await target.stop()
    }
  })

  it("answers the service with what the target answers, so that what failed is tried again", async () => {
    const target = await startReceiver((count) => (count === 1 ? 503 : 200))
    try {
      const command = listening("--forward", target.url)
      await command.said("Ready.")
      const [{ id } = { id: "" }] = await endpoints()
      await triggered("bill.received")
      await command.said(/bill\.received .* 503\n/u)
      const failed = await eventually(
        () => delivered(key, id, "PENDING"),
        ({ attempts }) => attempts.length === 1
      )
      assert.deepStrictEqual([failed.attempts[0]?.status, failed.attempts[0]?.answer], [503, "answer 1"])
      assert.isNotNull(failed.next_attempt_at)
      assert.strictEqual((await key("POST", `/api/webhooks/deliveries/${failed.id}/retry`)).status < 300, true)
      assert.strictEqual((await delivered(key, id, "SUCCEEDED")).attempts.length, 2)
      await command.said(/bill\.received .* 200\n/u)
      assert.strictEqual(target.received[0]?.body, target.received[1]?.body)
      assert.strictEqual(await command.end("SIGTERM"), 0)
      assert.deepStrictEqual(await endpoints(), [])
    } finally {
      await target.stop()
    }
  })

  it("says 502 where the target cannot be reached", async () => {
    const command = listening("--forward", `http://127.0.0.1:${await closedPort()}/hook`)
    await command.said("Ready.")
    const [{ id } = { id: "" }] = await endpoints()
    await triggered("bill.paid")
    await command.said(/bill\.paid .* 502 .*ECONNREFUSED/u)
    const failed = await eventually(
      () => delivered(key, id, "PENDING"),
      ({ attempts }) => attempts.length === 1
    )
    assert.strictEqual(failed.attempts[0]?.status, 502)
    assert.strictEqual(await command.end("SIGINT"), 0)
  })

  it("prints every event and takes it where nothing is to be forwarded, and hears nobody who does not know its path", async () => {
    const command = listening()
    await command.said("Ready.")
    const [{ id, url } = { id: "", url: "" }] = await endpoints()
    assert.strictEqual((await fetch(new URL("/", url), { method: "POST", body: "{}" })).status, 404)
    assert.strictEqual((await fetch(url)).status, 404)
    const event = await triggered("approval.requested")
    await command.said(`approval.requested  ${event.id}  ${event.data.object.id}  received`)
    assert.strictEqual((await delivered(key, id, "SUCCEEDED")).attempts[0]?.status, 200)
    assert.strictEqual(command.output().split("approval.requested").length, 2)
    assert.strictEqual(await command.end("SIGINT"), 0)
  })

  it("says what keeps it from listening, and makes no endpoint", async () => {
    const nobody = `http://127.0.0.1:${await closedPort()}`
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["--url", nobody], /No service answers at .* npm start/u],
      [["--url", "http://sarraf.example"], /not on this machine/u],
      [["--url", "here"], /--url must be an address/u],
      [["--forward", "localhost:3000"], /--forward must be an address/u],
      [["--events", "card.melted"], /There is no event card\.melted\..*card\.frozen/u],
      [["--events", "*,card.frozen"], /INVALID_REQUEST: events\[0\] must stand alone/u],
      [["--key", "key_test_wrong"], /refused the key.*--key/u],
      [["--port", "3"], /Unknown option/u]
    ]
    for (const [args, message] of cases) {
      const command = listening(...args)
      await once(command.child, "close")
      assert.strictEqual(command.child.exitCode, 1)
      assert.match(command.output(), message)
      assert.notInclude(command.output(), "key_test_wrong")
    }
    assert.deepStrictEqual(await endpoints(), [])
  })
})

describe("npm run trigger", () => {
  it("lists the eleven types without an argument", async () => {
    const { exitCode, output } = await trigger()
    assert.strictEqual(exitCode, 0)
    for (const type of eventTypes) assert.include(output, `  ${type}`)
  })

  it("says what keeps it from making an event", async () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["card.melted", "--url", service().url], /There is no event "card\.melted"[\s\S]*card\.frozen/u],
      [["card.frozen", "bill.paid"], /one type/u],
      [["card.frozen", "--url", `http://127.0.0.1:${await closedPort()}`], /No service answers at .* npm start/u],
      [["card.frozen", "--url", service().url, "--key", "key_test_wrong"], /refused the key.*--key/u]
    ]
    for (const [args, message] of cases) {
      const { exitCode, output } = await trigger(...args)
      assert.strictEqual(exitCode, 1, output)
      assert.match(output, message)
    }
  })

  it("says so where what answers is another program", async () => {
    const other = await startReceiver()
    try {
      const { exitCode, output } = await trigger("card.frozen", "--url", other.url)
      assert.notStrictEqual(exitCode, 0)
      assert.match(output, /is not Sarraf/u)
    } finally {
      await other.stop()
    }
  })
})
