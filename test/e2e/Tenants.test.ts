import { assert, beforeAll, describe, it } from "vitest"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { connected, registered } from "./support/oauth.ts"
import { useService } from "./support/Service.ts"

/**
 * Two organizations side by side, for every endpoint of `/api` that names a resource: another organization's is answered
 * exactly as one that nobody has. The endpoints come from the service's own document, so that a new one is tried too.
 */

const service = useService()
const client = makeClient(service)
const mine = "key_test_sandbox"
const theirs = "key_test_other"

const send = (bearer: string, method: string, path: string, body?: unknown) =>
  client.send({
    method,
    path,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  })

const made = async (bearer: string, path: string, body: object): Promise<string> => {
  const answer = await send(bearer, "POST", path, body)
  assert.include([200, 201], answer.status, `${path}: ${answer.text}`)
  return (answer.json as { readonly id: string }).id
}

const listed = async (bearer: string, path: string): Promise<ReadonlyArray<{ readonly id: string }>> =>
  ((await send(bearer, "GET", path)).json as { readonly data: ReadonlyArray<{ readonly id: string }> }).data

/** A text that no other organization's answer may hold. */
const marked = "Only ours 4711"

const upload = async (bearer: string): Promise<string> => {
  const form = new FormData()
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64"
  )
  form.append("file", new Blob([png], { type: "image/png" }), `${marked}.png`)
  const answer = await fetch(new URL("/api/receipts", service().url), {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}` },
    body: form
  })
  assert.strictEqual(answer.status, 201)
  return ((await answer.json()) as { readonly id: string }).id
}

interface Operation {
  readonly method: string
  readonly path: string
}

const operations = async (): Promise<ReadonlyArray<Operation>> => {
  const document = (await client.visit("/openapi-3.1.json")).json as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith("/api/") && path.includes("{")
      ? Object.keys(methods)
          .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method))
          .map((method) => ({ method: method.toUpperCase(), path }))
      : []
  )
}

/** What an answer says, without what differs between any two requests. */
const told = (status: number, json: unknown, id: string) => {
  const text = JSON.stringify(json ?? null, (name, value) => (name === "requestId" ? undefined : value))
  return { status, text: text.replaceAll(id, "ID") }
}

describe("Another organization's", () => {
  /** By the segment after `/api/`, or the two after it where they name a thing of their own: the id of something of ours. */
  const ids = new Map<string, string>()
  let owner = ""

  beforeAll(async () => {
    owner = await signIn(client, "owner@sandbox.test")
    const member = await signIn(client, "member@sandbox.test")
    const lunch = { amount: 25, currency: "TRY", merchant: marked, category: "Meals", submit: true }
    ids.set("expenses", await made(member, "/api/expenses", lunch))
    const chain = { name: marked, scope: "expense", enforcement: "WARN", message: marked, conditions: { all: [] } }
    ids.set("policies", await made(mine, "/api/policies", chain))
    ids.set("departments", await made(mine, "/api/departments", { name: marked }))
    ids.set("api-keys", await made(owner, "/api/api-keys", { name: marked, role: "MEMBER" }))
    ids.set("payment-clients", await made(owner, "/api/payment-clients", { name: marked }))
    ids.set("assistant-tokens", await made(owner, "/api/assistant-tokens", { name: marked }))
    await connected(service, { clientId: await registered(service, { client_name: marked }) })
    const [connection] = await listed(owner, "/api/assistant-connections")
    if (connection !== undefined) ids.set("assistant-connections", connection.id)
    ids.set("receipts", await upload(mine))
    // Nobody listens there: its deliveries wait.
    const hook = { url: "http://127.0.0.1:65535/", events: ["bill.paid"], description: marked }
    const webhook = await made(mine, "/api/webhooks", hook)
    ids.set("webhooks", webhook)
    const tested = await send(mine, "POST", `/api/webhooks/${webhook}/test`)
    assert.strictEqual(tested.status, 202, tested.text)
    ids.set("webhooks/deliveries", (tested.json as { readonly id: string }).id)
    ids.set("members", "usr_01kd8z0000e0080000000000p4")
    const [approval] = await listed(mine, "/api/approvals?status=OPEN")
    if (approval !== undefined) ids.set("approvals", approval.id)
    ids.set("events", await made(mine, "/api/events", { type: "bill.paid" }))
    const [session] = await listed(owner, "/api/auth/sessions")
    if (session !== undefined) ids.set("auth", session.id)
    const now = Date.now()
    ids.set(
      "delegations",
      await made(await signIn(client, "approver@sandbox.test"), "/api/delegations", {
        to_user_id: "usr_01kd8z0000e0080000000000p2",
        starts_at: new Date(now + 3_600_000).toISOString(),
        ends_at: new Date(now + 86_400_000).toISOString(),
        reason: marked
      })
    )
  })

  it("is answered like what nobody has, on every endpoint", async () => {
    const all = await operations()
    assert.isAbove(all.length, 30)
    const bearers = [theirs, await signIn(client, "owner@other.test")]
    const faults: Array<string> = []
    for (const { method, path } of all) {
      const [, , segment = "", part = ""] = path.split("/")
      const id = ids.get(`${segment}/${part}`) ?? ids.get(segment)
      if (id === undefined) {
        faults.push(`${path}: make something of ours for it in this test`)
        continue
      }
      const absent = `${id.slice(0, -4)}zzzz`
      for (const bearer of bearers) {
        for (const body of method === "GET" || method === "DELETE"
          ? [undefined]
          : [{}, { version: 1, reason: "x", name: "Taken" }]) {
          const [ofOurs, ofNobody] = await Promise.all(
            [id, absent].map(async (one) => {
              const answer = await send(
                bearer,
                method,
                path.replace(/\{[^}]+\}/u, one).replaceAll(/\{[^}]+\}/gu, "1"),
                body
              )
              if (answer.status < 400) faults.push(`${method} ${path} answered ${answer.status}`)
              if (answer.text.includes(marked)) faults.push(`${method} ${path} tells what is ours`)
              return told(answer.status, answer.json, one)
            })
          )
          if (JSON.stringify(ofOurs) !== JSON.stringify(ofNobody)) {
            faults.push(`${method} ${path}: ${JSON.stringify(ofOurs)} is not ${JSON.stringify(ofNobody)}`)
          }
        }
      }
    }
    assert.deepStrictEqual(faults, [])
  })

  it("is in no list and no sum", async () => {
    const document = (await client.visit("/openapi-3.1.json")).json as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    const lists = Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith("/api/") && !path.includes("{") && "get" in methods ? [path] : []
    )
    assert.isAbove(lists.length, 10)
    let seen = 0
    for (const path of lists) {
      const query = path.endsWith("/spend") ? "?group_by=merchant" : ""
      const [ofOurs, ofTheirs] = [await send(mine, "GET", path + query), await send(theirs, "GET", path + query)]
      if (ofOurs.text.includes(marked)) seen += 1
      assert.isFalse(ofTheirs.text.includes(marked), path)
      for (const id of ids.values()) assert.isFalse(ofTheirs.text.includes(id), `${path} names ${id}`)
    }
    assert.isAbove(seen, 6, "the mark is where it can be found by those whose it is")
  })

  it("cannot be named in a body", async () => {
    const draft = { amount: 25, currency: "TRY", merchant: "Theirs" }
    for (const field of [{ department_id: ids.get("departments") }, { user_id: ids.get("members") }]) {
      const answer = await send(theirs, "POST", "/api/expenses", { ...draft, ...field })
      assert.strictEqual(answer.status, 404, answer.text)
    }
    const bulk = await send(theirs, "POST", "/api/expenses/bulk", { action: "approve", ids: [ids.get("expenses")] })
    assert.strictEqual(bulk.status, 200)
    assert.deepInclude(bulk.json as object, { succeeded: 0, failed: 1 })
    const still = (await send(mine, "GET", `/api/expenses/${ids.get("expenses")}`)).json as { readonly status: string }
    assert.strictEqual(still.status, "PENDING")
  })
})
