import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { attemptsOf, problemOf, type Transaction, transactionOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/** Requests give up early, so that more of the half minute in which the provider is silent is the reconciler's. */
const service = useService({ SARRAF_REQUEST_TIMEOUT_MS: "12000", SARRAF_PROVIDER_TIMEOUT_MS: "3000" })
const client = makeClient(service)

const buyer = { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse@example.com", ip: "203.0.113.7" }

const program = fileURLToPath(new URL("../../packages/runtime-http/src/reconcile.ts", import.meta.url))

/** `npm run reconcile` beside the running service, on its folder. */
const reconcile = (...args: ReadonlyArray<string>) => {
  const env = { PATH: process.env.PATH ?? "", SARRAF_DATA_DIR: service().folder, PORT: new URL(service().url).port }
  return promisify(execFile)(process.execPath, [program, ...args], { env })
}

const lastWord = async ({ transactionId }: Pick<Transaction, "transactionId">) => {
  for (let looks = 0; looks < 8; looks++) {
    const payment = transactionOf(await client.find(transactionId, "?wait=20"))
    if (payment.status !== "PENDING") return payment
  }
  throw new Error(`${transactionId} was never settled`)
}

const lost = async (cardNumber: string, currency: string) => {
  const answer = await client.authorize(order({ cardNumber, currency, buyer }))
  const { transaction } = problemOf(answer, 504, "TIMEOUT")
  assert(transaction !== undefined)
  assert.strictEqual(transaction.status, "PENDING")
  return lastWord(transaction)
}

describe("The sandbox's network cards", () => {
  it("4000000000000341 goes on to the next provider, in every currency", async () => {
    for (const currency of ["USD", "EUR", "TRY", "AED", "GBP"]) {
      const cardNumber = "4000000000000341"
      const { transactionId } = transactionOf(await client.authorize(order({ cardNumber, currency, buyer })))
      const payment = transactionOf(await client.find(transactionId))
      assert.strictEqual(payment.status, "AUTHORIZED")
      const [first, second, ...more] = attemptsOf(payment)
      assert.deepStrictEqual([first?.outcome, second?.outcome, more.length], ["NotSent", "Accepted", 0])
      assert.notStrictEqual(first?.provider, second?.provider)
    }
  })

  it("4000000000000259 is found AUTHORIZED and 4000000000000267 FAILED by the reconciler, and the books agree", async () => {
    const [taken, taken2, never] = await Promise.all([
      lost("4000000000000259", "TRY"),
      lost("4000000000000259", "EUR"),
      lost("4000000000000267", "TRY")
    ])
    assert.deepInclude(taken, { status: "AUTHORIZED", authorizedAmount: 149.9 })
    assert.deepInclude(taken2, { status: "AUTHORIZED", authorizedAmount: 149.9 })
    assert.deepInclude(never, { status: "FAILED", authorizedAmount: 0 })
    assert.strictEqual(transactionOf(await client.capture(taken.transactionId)).status, "CAPTURED")
    const { stdout } = await reconcile("--report")
    assert.match(stdout, /^\d+ compared, 0 differ; 0 not settled yet/mu)
    assert.match((await reconcile("--review")).stdout, /No payment needs a person/u)
  }, 150_000)

  it("are settled by a person's word too, once, with evidence", async () => {
    const cardNumber = "4000000000000267"
    const answer = await client.authorize(order({ cardNumber, currency: "EUR", buyer }))
    const id = String(problemOf(answer, 504, "TIMEOUT").transactionId)
    const settle = (...args: ReadonlyArray<string>) => reconcile("--resolve", id, ...args)
    const fault = (...args: ReadonlyArray<string>) =>
      settle(...args).then(
        ({ stdout }) => stdout,
        (error: { readonly stderr?: string }) => error.stderr ?? ""
      )
    assert.match(await fault("--as", "failed"), /--evidence/u)
    assert.match(await fault("--as", "maybe", "--evidence", "x"), /--as takes one of/u)
    const { stdout } = await settle("--as", "failed", "--evidence", "bank statement of 21 November")
    assert.include(stdout, "FAILED")
    const payment = transactionOf(await client.find(id))
    assert.strictEqual(payment.status, "FAILED")
    assert.include(attemptsOf(payment)[0]?.detail, "bank statement of 21 November")
    assert.match(await fault("--as", "failed", "--evidence", "again"), /Nothing of it is open/u)
  }, 60_000)
})
