import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { authorized, problemOf, replayed, transactionOf } from "./support/answers.ts"
import { authorizePath, makeClient } from "./support/Client.ts"
import { order, places } from "./support/orders.ts"
import { makeFolder, removeFolder, Service } from "./support/Service.ts"

let folder = ""
let running: Service | undefined
const service = () => {
  if (running === undefined) throw new Error("The service runs only while a test does.")
  return running
}
const client = makeClient(service)

beforeAll(async () => {
  folder = await makeFolder()
  running = await Service.start(folder)
})
afterAll(async () => {
  try {
    await running?.stop()
  } finally {
    await removeFolder(folder)
  }
})

for (const [name, end] of [
  ["asked to end", async () => assert.strictEqual(await service().stop(), 0)],
  ["killed", async () => assert.isNull(await service().kill())]
] as const) {
  describe(`A service that was ${name}`, () => {
    const restart = async () => {
      await end()
      running = await Service.start(folder)
    }

    for (const [provider, where] of places) {
      it(`goes on with its payments at ${provider} where it stood`, async () => {
        const key = { idempotencyKey: `${name}-${provider}` }
        const body = order({ amount: 80, ...where })
        const request = client.sign("POST", authorizePath, body, key)
        const open = transactionOf(await client.send(request))
        const taken = await authorized(client, { amount: 60, ...where })
        transactionOf(await client.capture(taken.transactionId))
        const before = transactionOf(await client.find(taken.transactionId))

        await restart()
        assert.deepStrictEqual(transactionOf(await client.find(taken.transactionId)), before)
        const again = await client.send(request)
        assert.isTrue(replayed(again), "the key and the signature are still known")
        assert.deepStrictEqual(transactionOf(again), open)
        const parted = transactionOf(await client.refund(taken.transactionId, { amount: 10 }))
        assert.deepInclude(parted, { status: "PARTIALLY_REFUNDED", refundedAmount: 10 })
        assert.deepInclude(transactionOf(await client.capture(open.transactionId)), { status: "CAPTURED", provider })

        await restart()
        assert.strictEqual(transactionOf(await client.refund(taken.transactionId)).status, "REFUNDED")
        assert.strictEqual(transactionOf(await client.refund(open.transactionId)).status, "REFUNDED")
      })
    }

    it("still knows what is taken and what is not allowed", async () => {
      const body = order()
      const { card, transactionId } = transactionOf(await client.authorize(body))
      transactionOf(await client.cancel(transactionId))
      const second = transactionOf(await client.authorize(body))
      await restart()
      problemOf(await client.capture(transactionId), 409, "INVALID_STATE")
      problemOf(await client.authorize({ ...body, amount: 1 }), 409, "DUPLICATE_REFERENCE")
      assert.strictEqual(transactionOf(await client.authorize(body)).transactionId, second.transactionId)
      assert.strictEqual((await authorized(client)).card.fingerprint, card.fingerprint)
    })
  })
}

describe("A service that is asked to end", () => {
  it("finishes what is under way, and accepts nothing new", async () => {
    const bodies = Array.from({ length: 40 }, () => order())
    const answers = bodies.map((body) => client.authorize(body).catch((error: unknown) => error as Error))
    await Promise.race(answers)
    const { hostname, port } = new URL(service().url)
    assert.strictEqual(await service().stop(), 0)
    const socket = connect(Number(port), hostname)
    const [refused] = (await once(socket, "error")) as [NodeJS.ErrnoException]
    assert.strictEqual(refused.code, "ECONNREFUSED")

    const settled = await Promise.all(answers)
    running = await Service.start(folder)
    for (const [index, answer] of settled.entries()) {
      const again = transactionOf(await client.authorize(bodies[index]))
      assert.strictEqual(again.status, "AUTHORIZED")
      if (answer instanceof Error) continue
      if (answer.status === 200) assert.strictEqual(transactionOf(answer).transactionId, again.transactionId)
      else problemOf(answer, 503, "UNAVAILABLE")
    }
    assert.isNotEmpty(settled.filter((answer) => !(answer instanceof Error) && answer.status === 200))
  })
})

describe("A service that is killed at work", () => {
  it("has taken each payment once, and tells what became of it", async () => {
    const bodies = Array.from({ length: 60 }, () => order({ amount: 9 }))
    const answers = bodies.map((body) => client.authorize(body).catch(() => undefined))
    await Promise.race(answers)
    await service().kill()
    const before = await Promise.all(answers)
    running = await Service.start(folder)
    for (const [index, body] of bodies.entries()) {
      const list = (await client.list(`?merchantReference=${body.merchantReference}`)).json as {
        data: Array<{ transactionId: string; status: string }>
      }
      assert.isAtMost(list.data.length, 1)
      const answered = before[index]
      if (answered === undefined) continue
      assert.deepInclude(transactionOf(await client.find(transactionOf(answered).transactionId)), {
        status: "AUTHORIZED"
      })
      assert.strictEqual(list.data[0]?.transactionId, transactionOf(answered).transactionId)
    }
  })
})
