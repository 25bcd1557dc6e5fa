import { assert, describe, it } from "vitest"
import { atOnce, problemOf, transactionOf } from "./support/answers.ts"
import { type Answer, authorizePath, makeClient, otherSandbox, sandbox, withHeaders } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"
import { sendOverHttp } from "./support/wire.ts"

/** Each test meets a full bucket, because the one before waited until it was served again. */
const burst = 5
const service = useService({ SARRAF_RATE_LIMIT_PER_SECOND: "5", SARRAF_RATE_LIMIT_BURST: String(burst) })
const client = makeClient(service)
const other = makeClient(service, otherSandbox)

const capabilities = () => client.request("GET", "/pf/v1/capabilities")
const limited = ({ status }: Answer) => status === 429

/** Waits as long as the answers ask for, until the bucket is full again. */
const untilFull = async () => {
  const answers = await atOnce(burst, capabilities)
  const refused = answers.find(limited)
  if (refused === undefined) return
  await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get("retry-after")) * 1_000))
  await untilFull()
}

describe("The limit of a client", () => {
  it("is told with every answer", async () => {
    const answer = await capabilities()
    assert.strictEqual(answer.status, 200)
    assert.match(answer.headers.get("ratelimit-policy") ?? "", /\bq=5\b/)
    assert.match(answer.headers.get("ratelimit") ?? "", /\br=[0-4]\b/)
    const paid = await client.authorize(order())
    assert.isNotNull(paid.headers.get("ratelimit"))
    assert.isNotNull(paid.headers.get("ratelimit-policy"))
  })

  it("is RATE_LIMITED with Retry-After beyond its burst, and over once that time has passed", async () => {
    const answers = await atOnce(4 * burst, capabilities)
    const refused = answers.filter(limited)
    assert.isAtLeast(refused.length, 2 * burst)
    assert.isAtLeast(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of refused) {
      problemOf(answer, 429, "RATE_LIMITED")
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      assert.match(answer.headers.get("ratelimit") ?? "", /\br=0\b/)
    }
    await untilFull()
  })

  it("does not touch another client", async () => {
    await atOnce(4 * burst, capabilities)
    assert.strictEqual((await other.request("GET", "/pf/v1/capabilities")).status, 200)
    await untilFull()
  })

  it("leaves no trace of what it refused: neither a payment nor a spent key nor a spent signature", async () => {
    const body = order()
    const request = client.sign("POST", authorizePath, body, { idempotencyKey: "refused-first" })
    await atOnce(4 * burst, capabilities)
    problemOf(await client.send(request), 429, "RATE_LIMITED")
    await untilFull()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const answer = await client.send(request)
    assert.strictEqual(transactionOf(answer).status, "AUTHORIZED")
    assert.isNull(answer.headers.get("idempotent-replayed"))
    await untilFull()
  })
})

describe("Wrong signatures", () => {
  const forged = () => withHeaders(client.sign("GET", "/pf/v1/capabilities"), { "x-signature": "0".repeat(64) })
  /** All of 127.0.0.0/8 is this machine, so that an attacker can have an address of their own. */
  const attacker = { localAddress: "127.0.0.66" }

  it("are limited by address, and take nothing from the client that they name", async () => {
    await untilFull()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const answers: Array<Answer> = []
    while (answers.length < 2_000 && !answers.some(limited)) {
      answers.push(...(await atOnce(20, () => sendOverHttp(service().url, forged(), attacker))))
    }
    const stopped = answers.find(limited)
    assert.isDefined(stopped, "2000 wrong signatures of one address were let in")
    for (const { status } of answers) assert.include([401, 429], status)
    const served = await atOnce(burst, capabilities)
    assert.deepStrictEqual(
      served.map(({ status }) => status),
      Array(burst).fill(200)
    )
    await untilFull()
  })

  it("are the same for an unknown client", async () => {
    const unknown = withHeaders(forged(), { "x-client-id": "no_such_client" })
    const from = { localAddress: "127.0.0.67" }
    let answer = await sendOverHttp(service().url, unknown, from)
    problemOf(answer, 401, "INVALID_SIGNATURE")
    for (let sent = 1; sent < 2_000 && !limited(answer); sent++)
      answer = await sendOverHttp(service().url, unknown, from)
    problemOf(answer, 429, "RATE_LIMITED")
    assert.isNotNull(answer.headers.get("retry-after"))
  })
})

describe("The sandbox", () => {
  it("is what the tests think it is", () => {
    assert.notStrictEqual(sandbox.clientId, otherSandbox.clientId)
  })
})
