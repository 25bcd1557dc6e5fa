import { assert, beforeEach, describe, it, vi } from "vitest"
import { atOnce, problemOf, replayed, transactionOf } from "./support/answers.ts"
import { type Answer, authorizePath, makeClient, otherSandbox, withHeaders } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"
import { sendOverHttp } from "./support/wire.ts"

const burst = 5
const service = useService({ SARRAF_RATE_LIMIT_PER_SECOND: "5", SARRAF_RATE_LIMIT_BURST: String(burst) })
const client = makeClient(service)
const other = makeClient(service, otherSandbox)

const capabilities = () => client.request("GET", "/pf/v1/capabilities")
const limited = ({ status }: Answer) => status === 429

/** How many requests the client may still send at once, by the word of an answer. */
const remaining = ({ headers }: Answer) => Number(/\br=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])

/** Asks slower than the bucket fills, until this question was the only one that it lacks. */
const untilFull = () =>
  vi.waitUntil(async () => remaining(await capabilities()) === burst - 1, { interval: 400, timeout: 20_000 })

beforeEach(untilFull)

describe("The limit of a client", () => {
  it("is told with every answer", async () => {
    for (const answer of [await capabilities(), await client.authorize(order()), await client.find("abc")]) {
      assert.match(answer.headers.get("ratelimit-policy") ?? "", /\bq=5\b/)
      assert.match(answer.headers.get("ratelimit") ?? "", /\br=[0-4]\b/)
    }
  })

  it("is RATE_LIMITED with Retry-After beyond its burst, and over once that time has passed", async () => {
    const answers = await atOnce(4 * burst, capabilities)
    const refused = answers.filter(limited)
    assert.isAtLeast(refused.length, 2 * burst)
    assert.isAtLeast(answers.filter(({ status }) => status === 200).length, burst - 1)
    for (const answer of refused) {
      problemOf(answer, 429, "RATE_LIMITED")
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    }
    // The one thing that Retry-After promises is about the time that it names.
    const seconds = Number(refused[0]?.headers.get("retry-after"))
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
    assert.strictEqual((await capabilities()).status, 200)
  })

  it("does not touch another client", async () => {
    const answers = await atOnce(4 * burst, capabilities)
    assert.isNotEmpty(answers.filter(limited))
    assert.strictEqual((await other.request("GET", "/pf/v1/capabilities")).status, 200)
  })

  it("leaves no trace of what it refused: neither a payment nor a spent key nor a spent signature", async () => {
    const request = client.sign("POST", authorizePath, order(), { idempotencyKey: "refused-first" })
    await atOnce(4 * burst, capabilities)
    problemOf(await client.send(request), 429, "RATE_LIMITED")
    await untilFull()
    const answer = await client.send(request)
    assert.strictEqual(transactionOf(answer).status, "AUTHORIZED")
    assert.isFalse(replayed(answer))
  })
})

// macOS has no other address of its own than 127.0.0.1, so that nobody there can be a stranger to the client.
describe.skipIf(process.platform === "darwin")("Wrong signatures", () => {
  const forged = () => withHeaders(client.sign("GET", "/pf/v1/capabilities"), { "x-signature": "0".repeat(64) })
  /** All of 127.0.0.0/8 is this machine: an attacker with an address of their own. */
  const attacker = { localAddress: "127.0.0.66" }

  it("are limited by address, and take nothing from the client that they name", async () => {
    const answers: Array<Answer> = []
    while (answers.length < 2_000 && !answers.some(limited)) {
      answers.push(...(await atOnce(20, () => sendOverHttp(service().url, forged(), attacker))))
      const victim = await capabilities()
      assert.strictEqual(victim.status, 200)
      if (answers.length === 20) assert.isAtLeast(remaining(victim), burst - 2)
    }
    const stopped = answers.find(limited)
    assert.isDefined(stopped, "2000 wrong signatures of one address were let in")
    for (const { status } of answers) assert.include([401, 429], status)
    for (const answer of answers.filter(limited)) problemOf(answer, 429, "RATE_LIMITED")
  })

  it("are limited for an unknown client as for a known one", async () => {
    const unknown = withHeaders(forged(), { "x-client-id": "no_such_client" })
    const from = { localAddress: "127.0.0.67" }
    let answer = await sendOverHttp(service().url, unknown, from)
    problemOf(answer, 401, "INVALID_SIGNATURE")
    for (let sent = 1; sent < 2_000 && !limited(answer); sent++) {
      answer = await sendOverHttp(service().url, unknown, from)
    }
    problemOf(answer, 429, "RATE_LIMITED")
    assert.isNotNull(answer.headers.get("retry-after"))
  })
})
