import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Bearer, bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"
import {
  type DeliveryBody,
  delivered,
  eventually,
  idleUrl,
  makeWebhook,
  startReceiver,
  type WebhookBody
} from "./support/webhooks.ts"

/** Webhook endpoints as those see them who make, change and watch them (contract section 7). */

const service = useService()
const client = makeClient(service)
const ours = bearerOf(client, "key_test_sandbox")
const theirs = bearerOf(client, "key_test_other")

interface Problem {
  readonly code: string
  readonly detail: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const actionsOf = async (id: string) =>
  rowsOf<{ readonly action: string }>(await ours("GET", `/api/audit?subject_type=webhook&subject_id=${id}`)).map(
    ({ action }) => action
  )

describe("A webhook endpoint", () => {
  it("is made, read, changed, paused, resumed and ended, and each of it is in the audit trail", async () => {
    const answer = await ours("POST", "/api/webhooks", {
      url: idleUrl,
      events: ["expense.approved", "card.frozen"],
      description: "Our books",
      metadata: { team: "tr" },
      headers: { Authorization: "Bearer of-the-receiver" },
      retry: { max_attempts: 3 },
      surprise: true
    })
    const made = bodyOf<WebhookBody>(answer, 201)
    assert.match(made.secret ?? "", /^whsec_[A-Za-z0-9+/]{43}=$/u)
    assert.strictEqual(answer.headers.get("location"), `/api/webhooks/${made.id}`)
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    assert.strictEqual(answer.headers.get("etag"), '"1"')
    assert.deepStrictEqual(
      made.warnings?.map(({ path }) => path),
      ["surprise"]
    )
    assert.deepInclude(made, {
      version: 1,
      url: idleUrl,
      events: ["expense.approved", "card.frozen"],
      description: "Our books",
      metadata: { team: "tr" },
      headers: { authorization: "••••••••" },
      retry: { max_attempts: 3, base_seconds: 30, factor: 3.6, max_seconds: 86_400, jitter: 0.1 },
      concurrency: 10,
      status: "ENABLED",
      disabled_reason: null,
      failing_since: null,
      former_secret_until: null
    })

    const path = `/api/webhooks/${made.id}`
    const found = bodyOf<WebhookBody>(await ours("GET", path))
    const { secret: _, warnings: __, ...shown } = made
    assert.deepStrictEqual(found, shown)
    assert.deepInclude(rowsOf<WebhookBody>(await ours("GET", "/api/webhooks")), found)

    const changed = bodyOf<WebhookBody>(
      await ours("PATCH", path, { events: ["*"], headers: { "X-Key": "k" }, metadata: { team: "" }, description: "" })
    )
    assert.deepInclude(changed, { version: 2, events: ["*"], metadata: {}, description: null })
    assert.sameMembers(Object.keys(changed.headers), ["authorization", "x-key"])
    assert.deepInclude(bodyOf<object>(await ours("POST", `${path}/pause`)), { status: "PAUSED", version: 3 })
    assert.deepInclude(bodyOf<object>(await ours("POST", `${path}/resume`)), { status: "ENABLED", version: 4 })
    assert.deepInclude(bodyOf<object>(await ours("PATCH", path, { status: "PAUSED" })), {
      status: "PAUSED",
      version: 5
    })
    assert.deepInclude(bodyOf<object>(await ours("POST", `${path}/pause`)), { version: 5 })

    assert.strictEqual((await ours("DELETE", path)).status, 204)
    assert.strictEqual((await ours("GET", path)).status, 404)
    assert.deepStrictEqual(await actionsOf(made.id), [
      "webhook.removed",
      ...Array<string>(4).fill("webhook.changed"),
      "webhook.created"
    ])
    const trail = (await ours("GET", "/api/audit?limit=100")).text
    for (const hidden of ["whsec_", "of-the-receiver"]) assert.notInclude(trail, hidden)
  })

  it("is refused with every fault at its path", async () => {
    const answer = await ours("POST", "/api/webhooks", {
      url: "https://user:password@10.0.0.1/#part",
      events: ["expense.paid"],
      headers: { Host: "elsewhere", "x-key": "ä" },
      retry: { max_attempts: 21 },
      concurrency: 0
    })
    assert.strictEqual(answer.status, 400)
    assert.deepStrictEqual(
      (answer.json as Problem).errors?.map(({ path }) => path),
      ["url", "events[0]", "headers.Host", "headers.x-key", "retry.max_attempts", "concurrency"]
    )
  })

  it("may lead to no private network, and not to this machine's own services", async () => {
    for (const url of [
      "https://10.0.0.1/",
      "https://169.254.169.254/latest",
      "https://[fd00::1]/",
      "ftp://a.example/"
    ]) {
      const answer = await ours("POST", "/api/webhooks", { url, events: ["*"] })
      assert.strictEqual(answer.status, 400, url)
      assert.deepStrictEqual(
        (answer.json as Problem).errors?.map(({ path }) => path),
        ["url"]
      )
    }
  })

  it("does not take the mask of a header for its value", async () => {
    const { headers, id } = await makeWebhook(ours, { headers: { "x-key": "k" } })
    const answer = await ours("PATCH", `/api/webhooks/${id}`, { headers })
    assert.strictEqual(answer.status, 400)
  })

  it("is changed at the version that was meant, and at no other", async () => {
    const { id } = await makeWebhook(ours)
    const path = `/api/webhooks/${id}`
    const stale = { "if-match": '"7"' }
    for (const [method, at, body] of [
      ["PATCH", path, { concurrency: 2 }],
      ["POST", `${path}/rotate-secret`, undefined],
      ["POST", `${path}/pause`, undefined],
      ["POST", `${path}/resume`, {}],
      ["DELETE", path, undefined]
    ] as const) {
      const answer = await ours(method, at, body, stale)
      assert.strictEqual(answer.status, 412, `${method} ${at}`)
      assert.strictEqual((answer.json as Problem).code, "VERSION_CONFLICT")
    }
    assert.strictEqual((await ours("PATCH", path, { concurrency: 2, version: 7 })).status, 412)
    assert.strictEqual((await ours("PATCH", path, { concurrency: 2 }, { "if-match": '"1"' })).status, 200)
    assert.strictEqual((await ours("DELETE", path, undefined, { "if-match": '"2"' })).status, 204)
  })

  it("has its secret rotated, which is shown once", async () => {
    const { id, secret } = await makeWebhook(ours)
    const path = `/api/webhooks/${id}`
    const key = { "idempotency-key": "rotate once" }
    const before = Date.now()
    const first = await ours("POST", `${path}/rotate-secret`, undefined, key)
    const rotated = bodyOf<WebhookBody>(first)
    assert.match(rotated.secret ?? "", /^whsec_/u)
    assert.notStrictEqual(rotated.secret, secret)
    assert.strictEqual(first.headers.get("cache-control"), "no-store")
    const until = Date.parse(rotated.former_secret_until ?? "")
    assert.isTrue(until >= before + 86_400_000 && until <= Date.now() + 86_400_000)
    const again = await ours("POST", `${path}/rotate-secret`, undefined, key)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepInclude(bodyOf<WebhookBody>(again), { version: rotated.version, id })
    assert.notInclude(again.text, "whsec_")
    assert.notInclude((await ours("GET", path)).text, "whsec_")
    assert.deepStrictEqual(await actionsOf(id), ["webhook.secret_rotated", "webhook.created"])
  })

  it("is made once under an Idempotency-Key, and the repeated answer is without its secret", async () => {
    const body = { url: "https://receiver.example/once", events: ["*"] }
    const key = { "idempotency-key": "make once" }
    const made = bodyOf<WebhookBody>(await ours("POST", "/api/webhooks", body, key), 201)
    const again = await ours("POST", "/api/webhooks", body, key)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(bodyOf<WebhookBody>(again, 201).id, made.id)
    assert.notInclude(again.text, "whsec_")
    assert.strictEqual((await ours("POST", "/api/webhooks", { ...body, events: ["bill.paid"] }, key)).status, 422)
  })
})

describe("The endpoints of an organization", () => {
  it("are fifty at most, however many are made at a time", async () => {
    for (let count = 0; count < 45; count++) await makeWebhook(theirs)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => theirs("POST", "/api/webhooks", { url: idleUrl, events: ["*"] }))
    )
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepStrictEqual(statuses, [...Array<number>(5).fill(201), ...Array<number>(5).fill(409)])
    const refused = answers.find(({ status }) => status === 409)?.json as Problem
    assert.strictEqual(refused.code, "INVALID_STATE")
    assert.include(refused.detail, "50 webhook endpoints")

    const page = bodyOf<{ readonly data: ReadonlyArray<WebhookBody>; readonly next_cursor: string }>(
      await theirs("GET", "/api/webhooks?limit=30")
    )
    const rest = rowsOf<WebhookBody>(await theirs("GET", `/api/webhooks?limit=30&cursor=${page.next_cursor}`))
    assert.lengthOf(new Set([...page.data, ...rest].map(({ id }) => id)), 50)
    const [one] = rest
    assert.strictEqual((await theirs("DELETE", `/api/webhooks/${one?.id}`)).status, 204)
    await makeWebhook(theirs)
  })

  it("are read by AUDITORs and above, changed by ADMINs and OWNERs, and hidden from the rest", async () => {
    const { id } = await makeWebhook(ours, { headers: { "x-key": "a value of the receiver" } })
    const path = `/api/webhooks/${id}`
    const requests = [
      ["GET", "/api/webhooks", undefined, true],
      ["GET", path, undefined, true],
      ["GET", `${path}/deliveries`, undefined, true],
      ["POST", "/api/webhooks", { url: idleUrl, events: ["*"] }, false],
      ["PATCH", path, { concurrency: 3 }, false],
      ["POST", `${path}/rotate-secret`, undefined, false],
      ["POST", `${path}/pause`, undefined, false],
      ["POST", `${path}/resume`, undefined, false],
      ["POST", `${path}/test`, undefined, false],
      ["POST", `${path}/replay`, { from: "2020-01-01" }, false],
      ["POST", "/api/webhooks/deliveries/whd_1/retry", undefined, false],
      ["DELETE", path, undefined, false]
    ] as const
    for (const person of ["member", "approver", "auditor", "admin"]) {
      const bearer = bearerOf(client, await signIn(client, `${person}@sandbox.test`))
      for (const [method, at, body, isReading] of requests) {
        const { status, text } = await bearer(method, at, body)
        const isAllowed = person === "admin" || (person === "auditor" && isReading)
        assert.strictEqual(status === 403, !isAllowed, `${person}: ${method} ${at} ${status} ${text}`)
        assert.notInclude(text, "a value of the receiver")
      }
    }
  })
})

describe("Deliveries", () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let endpoint: WebhookBody
  const path = (rest: string) => `/api/webhooks/${endpoint.id}/${rest}`
  const list = async (query = "", bearer: Bearer = ours) =>
    rowsOf<DeliveryBody>(await bearer("GET", path(`deliveries${query}`)))

  beforeAll(async () => {
    receiver = await startReceiver()
    endpoint = await makeWebhook(ours, { url: receiver.url, events: ["bill.paid"], headers: { "x-key": "ours" } })
  })
  afterAll(() => receiver.stop())

  it("of a test event arrive, and are in the log with their attempts", async () => {
    const answer = await ours("POST", path("test"), { type: "card.frozen" })
    const sent = bodyOf<DeliveryBody>(answer, 202)
    assert.deepInclude(sent, { endpoint_id: endpoint.id, event_type: "card.frozen" })
    const done = await delivered(ours, endpoint.id, "SUCCEEDED")
    assert.deepInclude(done, { id: sent.id, event_id: sent.event_id, next_attempt_at: null })
    assert.isString(done.completed_at)
    assert.lengthOf(done.attempts, 1)
    assert.deepInclude(done.attempts[0], { number: 1, status: 200, error: null, answer: "answer 1" })
    const [first] = receiver.received
    assert.strictEqual(first?.headers["x-key"], "ours")
    assert.strictEqual(first?.headers["webhook-id"], sent.event_id)
    assert.deepInclude(JSON.parse(first?.body ?? ""), { id: sent.event_id, type: "card.frozen" })
    assert.include(await actionsOf(endpoint.id), "webhook.tested")
  })

  it("of a test event are expense.approved where nothing else is said", async () => {
    const sent = bodyOf<DeliveryBody>(await ours("POST", path("test")), 202)
    assert.strictEqual(sent.event_type, "expense.approved")
    await delivered(ours, endpoint.id, "SUCCEEDED")
    assert.strictEqual((await ours("POST", path("test"), { type: "expense.paid" })).status, 400)
  })

  it("are listed by status, type and time", async () => {
    assert.lengthOf(await list(), 2)
    assert.lengthOf(await list("?type=card.frozen"), 1)
    assert.lengthOf(await list("?status=SUCCEEDED&type=expense.approved"), 1)
    assert.lengthOf(await list("?status=FAILED"), 0)
    assert.lengthOf(await list("?to=2020-01-01"), 0)
    const [newest] = await list("?limit=1")
    assert.lengthOf(await list(`?from=${newest?.created_at}`), 1)
    for (const query of ["status=LOST", "type=expense.paid", "from=yesterday", "endpoint=1", "cursor=x"]) {
      assert.strictEqual((await ours("GET", path(`deliveries?${query}`))).status, 400, query)
    }
  })

  it("are sent again one by one", async () => {
    const [newest] = await list("?limit=1")
    const count = receiver.received.length
    const again = bodyOf<DeliveryBody>(await ours("POST", `/api/webhooks/deliveries/${newest?.id}/retry`), 202)
    assert.strictEqual(again.id, newest?.id)
    await eventually(
      () => list("?limit=1"),
      ([first]) => first?.status === "SUCCEEDED" && first.attempts.length === 2
    )
    assert.strictEqual(receiver.received[count]?.headers["webhook-id"], newest?.event_id)
    assert.include(await actionsOf(endpoint.id), "webhook.delivery_repeated")
    assert.strictEqual((await ours("POST", "/api/webhooks/deliveries/whd_nobody/retry")).status, 404)
    assert.strictEqual((await theirs("POST", `/api/webhooks/deliveries/${newest?.id}/retry`)).status, 404)
  })

  it("are sent again by a range of time, all of them or those that failed", async () => {
    const count = receiver.received.length
    const replay = async (body: object) =>
      bodyOf<{ readonly deliveries: number }>(await ours("POST", path("replay"), body), 202)
    assert.deepStrictEqual(await replay({ from: endpoint.created_at, status: "failed" }), { deliveries: 0 })
    assert.deepStrictEqual(await replay({ from: endpoint.created_at }), { deliveries: 2 })
    await eventually(
      () => Promise.resolve(receiver.received.length),
      (length) => length === count + 2
    )
    await eventually(
      () => list(),
      (all) => all.every(({ status }) => status === "SUCCEEDED")
    )
    assert.strictEqual((await ours("POST", path("replay"), {})).status, 400)
    assert.strictEqual((await ours("POST", path("replay"), { from: "2999-01-01" })).status, 400)
    assert.strictEqual((await ours("POST", path("replay"), { from: "2020-02-01", to: "2020-01-01" })).status, 400)
    assert.include(await actionsOf(endpoint.id), "webhook.replayed")
  })

  it("wait while their endpoint is paused, which takes no test event", async () => {
    await ours("POST", path("pause"))
    assert.strictEqual((await ours("POST", path("test"))).status, 409)
    const [newest] = await list("?limit=1")
    const count = receiver.received.length
    bodyOf(await ours("POST", `/api/webhooks/deliveries/${newest?.id}/retry`), 202)
    assert.strictEqual((await list("?limit=1"))[0]?.status, "PENDING")
    bodyOf(await ours("POST", path("resume")))
    await delivered(ours, endpoint.id, "SUCCEEDED")
    assert.lengthOf(receiver.received, count + 1)
  })

  it("end with their endpoint", async () => {
    const [newest] = await list("?limit=1")
    assert.strictEqual((await ours("DELETE", `/api/webhooks/${endpoint.id}`)).status, 204)
    assert.strictEqual((await ours("GET", path("deliveries"))).status, 404)
    assert.strictEqual((await ours("POST", `/api/webhooks/deliveries/${newest?.id}/retry`)).status, 404)
    assert.notInclude(service().output, "whsec_")
  })
})
