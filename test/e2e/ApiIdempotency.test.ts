import { assert, describe, it } from "vitest"
import { problemOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { useService } from "./support/Service.ts"

/** Idempotency-Keys on the expense side (contract section 1). */

const service = useService()
const client = makeClient(service)
const path = "/api/expenses"

const post = (body: unknown, key: string | undefined, { apiKey = "key_test_sandbox", to = path } = {}) =>
  client.send({
    method: "POST",
    path: to,
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    body: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
  })

const lunch = (merchant: string) => ({ amount: 12.5, currency: "TRY", merchant })
const idOf = (json: unknown) => (json as { readonly id: string }).id
const count = async (merchant: string) => {
  const answer = await client.send({
    method: "GET",
    path: `${path}?merchant=${merchant}`,
    headers: { authorization: "Bearer key_test_sandbox" },
    body: undefined
  })
  return (answer.json as { readonly data: ReadonlyArray<unknown> }).data.length
}

describe("The same request under the same key", () => {
  it("is answered as the first was, and made once", async () => {
    const first = await post(lunch("once"), "lunch-1")
    assert.strictEqual(first.status, 201, first.text)
    assert.isNull(first.headers.get("idempotent-replayed"))
    const again = await post('{ "merchant": "once", "currency": "TRY", "amount": 12.50 }', "lunch-1")
    assert.strictEqual(again.status, 201)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
    assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
    assert.strictEqual(await count("once"), 1)
  })

  it("is made once however many arrive together; who is too early is told so", async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => post(lunch("crowd"), "crowd-1")))
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      problemOf(answer, 409, "IDEMPOTENCY_IN_PROGRESS")
      assert.strictEqual(answer.headers.get("retry-after"), "1")
    }
    const made = answers.filter(({ status }) => status === 201)
    assert.isNotEmpty(made)
    assert.strictEqual(new Set(made.map(({ json }) => idOf(json))).size, 1)
    assert.strictEqual(await count("crowd"), 1)
  })
})

describe("A key", () => {
  it("belongs to its first request", async () => {
    assert.strictEqual((await post(lunch("first"), "taken-1")).status, 201)
    problemOf(await post(lunch("second"), "taken-1"), 422, "IDEMPOTENCY_CONFLICT")
    assert.strictEqual(await count("second"), 0)
  })

  it("is another one for another caller", async () => {
    const mine = await post(lunch("mine"), "shared-1")
    const theirs = await post(lunch("theirs"), "shared-1", { apiKey: "key_test_other" })
    assert.deepStrictEqual([mine.status, theirs.status], [201, 201])
    assert.notStrictEqual(idOf(mine.json), idOf(theirs.json))
  })

  it("is not used up by a request that was refused", async () => {
    problemOf(await post({ amount: -1, currency: "TRY", merchant: "refused" }, "kept-1"), 400, "INVALID_REQUEST")
    problemOf(await post(lunch("refused"), "kept-1", { apiKey: "key_test_nobody" }), 401, "UNAUTHENTICATED")
    problemOf(await post("not json", "kept-1"), 400, "INVALID_REQUEST")
    assert.strictEqual((await post(lunch("refused"), "kept-1")).status, 201)
  })

  it("has 1 to 255 visible characters", async () => {
    for (const key of ["k".repeat(256), "k\u00e9y"]) {
      const { errors } = problemOf(await post(lunch("long"), key), 400, "INVALID_REQUEST") as {
        readonly errors?: ReadonlyArray<{ readonly path: string }>
      }
      assert.deepStrictEqual(
        errors?.map(({ path: at }) => at),
        ["Idempotency-Key"]
      )
    }
    assert.strictEqual((await post(lunch("long"), "k".repeat(255))).status, 201)
  })

  it("tells a repeated operation's answer, though the state has moved on", async () => {
    const made = await post({ ...lunch("moved"), submit: true }, "moved-1")
    const id = idOf(made.json)
    const approved = await post({}, "moved-2", { to: `${path}/${id}/approve` })
    assert.strictEqual(approved.status, 200, approved.text)
    const again = await post({}, "moved-2", { to: `${path}/${id}/approve` })
    assert.deepStrictEqual([again.status, again.text], [200, approved.text])
    problemOf(await post({}, "moved-3", { to: `${path}/${id}/approve` }), 409, "INVALID_STATE")
  })
})
