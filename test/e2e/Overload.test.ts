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
/** On a machine that is busy with other things it takes longer until the service has more to do than it can. */
const loadMillisMax = 30_000
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
let accepted = 0
const unexpected: Array<Answer> = []
const health: Array<number> = []
let goodInARow = 0

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Sends payments until the time is over and some were refused, each with a key of its own. */
const shop = async (begin: number, name: string) => {
  const isOver = () => performance.now() - begin > (shed.length > 0 ? loadMillis : loadMillisMax)
  for (let count = 0; !isOver(); count++) {
    const idempotencyKey = `overload-${name}-${count}`
    const request = client.sign("POST", authorizePath, order({ currency: "TRY" }), { idempotencyKey })
    const answer = await send(request)
    if (answer.status === 200) accepted++
    else if (answer.status === 503) {
      shed.push({ request, answer })
      await pause(pauseMillis)
    } else unexpected.push(answer)
  }
}

/** Asks how the process is, four times a second. */
const watch = async (deadline: number) => {
  while (performance.now() < deadline) {
    health.push((await client.visit("/healthz")).status)
    await pause(250)
  }
}

const overload = async () => {
  const begin = performance.now()
  const shops = Array.from({ length: clientsCount }, (_, index) => shop(begin, String(index)))
  await Promise.all([...shops, watch(begin + loadMillis)])
  for (let tries = 0; goodInARow < 5 && tries < 100; tries++) {
    const { status } = await client.authorize(order({ currency: "TRY" }))
    goodInARow = status === 200 ? goodInARow + 1 : 0
    if (goodInARow === 0) await pause(pauseMillis)
  }
}

describe("More requests than can be served", () => {
  beforeAll(overload, 120_000)

  it("are partly served and partly refused, and nothing else", () => {
    assert.isAbove(accepted, 0)
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

  it("do not hide that the process is alive", () => {
    assert.deepStrictEqual([...new Set(health)], [200])
  })

  it("are forgotten when they have ended", () => {
    assert.strictEqual(goodInARow, 5)
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
