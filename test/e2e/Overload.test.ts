import { Agent, request as httpRequest } from "node:http"
import { assert, beforeAll, describe, it } from "vitest"
import { type Problem, problemOf, transactionOf } from "./support/answers.ts"
import { type Answer, answerOf, authorizePath, makeClient, type SignedRequest } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService({ SARRAF_RATE_LIMIT_PER_SECOND: "1000000" })
const client = makeClient(service)

/** Far more than any machine serves in half a second. */
const clientsCount = 3_000
const loadMillis = 4_000
/** A well-behaved client would wait longer; none at all would make this a test of the test's own speed. */
const pauseMillis = 300

const agent = new Agent({ keepAlive: true, maxSockets: clientsCount })

const send = ({ body, headers, method, path }: SignedRequest) =>
  new Promise<Answer>((resolve, reject) => {
    const length = { "content-length": String(body?.length ?? 0) }
    const sent = httpRequest(
      new URL(path, service().url),
      { method, headers: { ...headers, ...length }, agent },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        response.on("end", () =>
          resolve(answerOf(response.statusCode ?? 0, new Headers(response.headers as Record<string, string>), text))
        )
      }
    )
    sent.on("error", reject)
    sent.end(body)
  })

interface Shed {
  readonly request: SignedRequest
  readonly answer: Answer
}

const shed: Array<Shed> = []
const accepted: Array<number> = []
const unexpected: Array<Answer> = []
const health: Array<{ readonly status: number; readonly millis: number }> = []
let recoveryMillis = Number.POSITIVE_INFINITY

const timed = async <A>(work: () => Promise<A>) => {
  const begin = performance.now()
  return { result: await work(), millis: performance.now() - begin }
}
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Sends payments until the time is over, each with a key of its own. */
const shop = async (deadline: number, name: string) => {
  for (let count = 0; performance.now() < deadline; count++) {
    const idempotencyKey = `overload-${name}-${count}`
    const request = client.sign("POST", authorizePath, order({ currency: "TRY" }), { idempotencyKey })
    const { millis, result: answer } = await timed(() => send(request))
    if (answer.status === 200) accepted.push(millis)
    else if (answer.status === 503) {
      shed.push({ request, answer })
      await pause(pauseMillis)
    } else unexpected.push(answer)
  }
}

/** Asks how the process is, four times a second. */
const watch = async (deadline: number) => {
  while (performance.now() < deadline) {
    const { millis, result } = await timed(() => client.visit("/healthz"))
    health.push({ status: result.status, millis })
    await pause(250)
  }
}

const overload = async () => {
  const deadline = performance.now() + loadMillis
  const shops = Array.from({ length: clientsCount }, (_, index) => shop(deadline, String(index)))
  await Promise.all([...shops, watch(deadline)])
  const ended = performance.now()
  for (let good = 0; good < 5 && performance.now() - ended < 20_000; ) {
    const { millis, result } = await timed(() => client.authorize(order({ currency: "TRY" })))
    good = result.status === 200 && millis < 500 ? good + 1 : 0
  }
  recoveryMillis = performance.now() - ended
}

describe("More requests than can be served", () => {
  beforeAll(overload)

  it("are partly served and partly refused, and nothing else", () => {
    assert.isNotEmpty(accepted)
    assert.isNotEmpty(shed)
    assert.deepStrictEqual(unexpected.slice(0, 3), [])
  })

  it("are refused with the whole problem and with Retry-After", () => {
    for (const { answer } of shed) {
      const problem: Problem = problemOf(answer, 503, "UNAVAILABLE")
      assert.strictEqual(problem.instance, authorizePath)
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]$/)
    }
  })

  it("leave no trace where they were refused: the same request is then the first with its key and its signature", async () => {
    for (const { request } of shed.slice(-20)) {
      const { merchantReference } = JSON.parse(new TextDecoder().decode(request.body)) as { merchantReference: string }
      const list = (await client.list(`?merchantReference=${merchantReference}`)).json as { data: Array<unknown> }
      assert.deepStrictEqual(list.data, [])
      const answer = await client.send(request)
      assert.strictEqual(transactionOf(answer).status, "AUTHORIZED")
      assert.isNull(answer.headers.get("idempotent-replayed"))
    }
  })

  it("do not keep those waiting for long that are accepted", () => {
    const slowest = accepted.sort((one, other) => one - other)[Math.floor(accepted.length * 0.99)] ?? 0
    assert.isBelow(slowest, 10_000)
  })

  it("do not hide that the process is alive", () => {
    for (const { millis, status } of health) {
      assert.strictEqual(status, 200)
      assert.isBelow(millis, 5_000)
    }
    assert.isNotEmpty(health)
  })

  it("are forgotten five seconds after they have ended", () => {
    assert.isBelow(recoveryMillis, 5_000)
  })

  it("are counted, and told once in the log", async () => {
    const { text } = await client.visit("/metrics")
    const count = /^sarraf_requests_shed_total\{group="payments"\} (\d+)$/m.exec(text)?.[1]
    assert.strictEqual(Number(count), shed.length)
    const told = service()
      .output.split("\n")
      .filter((line) => line.includes("More requests come than can be served"))
    assert.lengthOf(told, 1)
  })
})
