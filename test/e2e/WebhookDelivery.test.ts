import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { bearerOf, bodyOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { createDatabase } from "./support/databases.ts"
import { makeFolder, removeFolder, Service } from "./support/Service.ts"
import { eventually, makeWebhook, startReceiver } from "./support/webhooks.ts"

/** Two processes of the service on one database, and a receiver that may keep its answers back. */

interface Payload {
  readonly id: string
  readonly type: string
  readonly sequence: number
  readonly data: { readonly object: { readonly id: string; readonly status: string } }
}

let folder = ""
let dropDatabase = async () => {}
const running: Array<Service> = []
const service = (index: number) => () => {
  const found = running[index]
  if (found === undefined) throw new Error("The service runs only while a test does.")
  return found
}
const first = bearerOf(makeClient(service(0)), "key_test_sandbox")
const second = bearerOf(makeClient(service(1)), "key_test_sandbox")

beforeAll(async () => {
  folder = await makeFolder()
  const { drop, url } = await createDatabase(inject("postgres"))
  dropDatabase = drop
  for (let count = 0; count < 2; count++) running.push(await Service.start(folder, { DATABASE_URL: url }))
})
afterAll(async () => {
  try {
    for (const each of running) await each.stop()
  } finally {
    await dropDatabase()
    await removeFolder(folder)
  }
})

interface Held {
  readonly id: string
  readonly response: ServerResponse
}

/** A receiver that keeps its answers back until it is told to give them. */
const startHolding = async () => {
  const held: Array<Held> = []
  const bodies = new Map<string, Array<string>>()
  const accepted = new Set<string>()
  let isHolding = true
  let lost = 0
  const accept = ({ id, response }: Held) => {
    // The connection of a process that was killed is gone, and its delivery has to come again.
    if (response.destroyed) return
    accepted.add(id)
    response.end("thanks")
  }
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const id = String(request.headers["webhook-id"])
      bodies.set(id, [...(bodies.get(id) ?? []), Buffer.concat(parts).toString()])
      response.on("close", () => {
        if (!response.writableEnded) lost++
      })
      if (isHolding) held.push({ id, response })
      else accept({ id, response })
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** What came, by the event's id. */
    bodies,
    accepted,
    held,
    /** How many connections ended before their answer. */
    lost: () => lost,
    release: () => {
      isHolding = false
      for (const each of held.splice(0)) accept(each)
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

const newExpense = (number: number) => ({
  amount: 10 + number,
  currency: "TRY",
  merchant: `Merchant ${number}`,
  category: "Travel"
})

/** Makes an expense and submits it. */
const submit = async (bearer: typeof first, number: number) => {
  const { id } = bodyOf<{ readonly id: string }>(await bearer("POST", "/api/expenses", newExpense(number)), 201)
  bodyOf(await bearer("POST", `/api/expenses/${id}/submit`))
  return id
}

/** Every event of the organization, oldest first. */
const eventsOf = async (bearer: typeof first, types: string) => {
  const ids: Array<string> = []
  let cursor = ""
  for (;;) {
    const page = bodyOf<{ readonly data: ReadonlyArray<{ readonly id: string }>; readonly next_cursor: string | null }>(
      await bearer("GET", `/api/events?limit=100&type=${types}${cursor}`)
    )
    ids.push(...page.data.map(({ id }) => id))
    if (page.next_cursor === null) return ids.toReversed()
    cursor = `&cursor=${page.next_cursor}`
  }
}

describe("Events of changes", () => {
  it("arrive signed, whichever process made them, numbered for each object", async () => {
    const receiver = await startReceiver()
    const webhook = await makeWebhook(first, { url: receiver.url, events: ["expense.submitted", "expense.approved"] })
    const made = [await submit(first, 1), await submit(second, 2)]
    for (const id of made) bodyOf(await second("POST", `/api/expenses/${id}/approve`, {}))
    await eventually(
      async () => receiver.received.length,
      (count) => count === 4
    )
    const verifier = new Webhook(webhook.secret ?? "")
    const payloads = receiver.received.map(({ body, headers }) => {
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      return verifier.verify(body, signed) as Payload
    })
    for (const id of made) {
      const told = payloads
        .filter(({ data }) => data.object.id === id)
        .toSorted((one, other) => one.sequence - other.sequence)
      assert.deepStrictEqual(
        told.map(({ type }) => type),
        ["expense.submitted", "expense.approved"]
      )
    }
    const metrics = await Promise.all(
      running.map(async ({ url }) => {
        const { hostname, port } = new URL(url)
        return (await fetch(`http://${hostname}:${port}/metrics`)).text()
      })
    )
    assert.match(metrics.join(), /^sarraf_webhook_attempts_total\{status="SUCCEEDED"\} [1-4]$/mu)
    assert.notInclude(metrics.join(), webhook.id)
    bodyOf(await first("DELETE", `/api/webhooks/${webhook.id}`), 204)
    await receiver.stop()
  })
})

describe("A process that is killed in mid-delivery", () => {
  it("loses nothing: what it had under way comes from the other", { timeout: 180_000 }, async () => {
    const receiver = await startHolding()
    const webhook = await makeWebhook(second, { url: receiver.url, events: ["expense.submitted"] })
    for (let number = 0; number < 24; number++) await submit(number % 2 === 0 ? first : second, 100 + number)
    // Both are at it: neither may have more than ten under way to one endpoint.
    await eventually(
      async () => receiver.held.length,
      (count) => count > 10
    )
    const under = receiver.held.length
    assert.isNull(await service(0)().kill())
    running.splice(0, 1)
    const left = first
    await eventually(
      async () => receiver.lost(),
      (count) => count > 0
    )
    receiver.release()
    const events = (await eventsOf(left, "expense.submitted")).slice(-24)
    await eventually(
      async () => events.filter((id) => receiver.accepted.has(id)).length,
      (count) => count === 24
    )
    assert.isAtLeast(under, 11)
    for (const id of events) assert.strictEqual(new Set(receiver.bodies.get(id)).size, 1, "the same text each time")
    await eventually(
      async () =>
        bodyOf<{ readonly data: ReadonlyArray<{ readonly status: string }> }>(
          await left("GET", `/api/webhooks/${webhook.id}/deliveries?limit=100`)
        ).data,
      (deliveries) => deliveries.length === 24 && deliveries.every(({ status }) => status === "SUCCEEDED")
    )
    await receiver.stop()
  })
})
