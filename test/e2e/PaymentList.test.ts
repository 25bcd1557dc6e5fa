import { assert, beforeAll, describe, it } from "vitest"
import {
  atOnce,
  authorized,
  captured,
  checkTransaction,
  faultPaths,
  problemOf,
  type Transaction,
  transactionOf
} from "./support/answers.ts"
import { makeClient, otherSandbox } from "./support/Client.ts"
import { cards, currencies, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)
const other = makeClient(service, otherSandbox)

interface Page {
  readonly data: ReadonlyArray<Transaction>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

const page = async (parameters: Readonly<Record<string, string>> = {}): Promise<Page> => {
  const query = new URLSearchParams(parameters).toString()
  const answer = await client.list(query === "" ? "" : `?${query}`)
  assert.strictEqual(answer.status, 200, answer.text)
  const found = answer.json as Page
  for (const transaction of found.data) checkTransaction(transaction)
  assert.strictEqual(found.has_more, found.next_cursor !== null)
  return found
}
const idsOf = ({ data }: Page) => data.map(({ transactionId }) => transactionId)

/** All pages, one after the other. */
const walk = async (parameters: Readonly<Record<string, string>>) => {
  const ids: Array<string> = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const next: Page = await page(cursor === undefined ? parameters : { ...parameters, cursor })
    ids.push(...idsOf(next))
    cursor = next.next_cursor
  }
  return ids
}

/** What the file's tests read, in the order in which it was made. */
const made: {
  open: Array<Transaction>
  taken?: Transaction
  voided?: Transaction
  declined?: string
  theirs?: string
} = { open: [] }

beforeAll(async () => {
  for (let index = 0; index < 30; index++) {
    made.open.push(await authorized(client, { currency: index % 2 === 0 ? "TRY" : "EUR", amount: 10 + index }))
  }
  made.taken = await captured(client, { currency: "TRY" })
  made.voided = transactionOf(await client.cancel((await authorized(client)).transactionId))
  made.declined = String(
    (
      await client
        .authorize(order({ cardNumber: cards.declined }))
        .then(({ json }) => json as { transactionId: string })
    ).transactionId
  )
  made.theirs = (await authorized(other)).transactionId
})

describe("The list of payments", () => {
  it("has the newest first, 25 to a page unless told otherwise", async () => {
    const first = await page()
    assert.strictEqual(first.data.length, 25)
    assert.isTrue(first.has_more)
    assert.strictEqual(idsOf(first)[0], made.declined)
    assert.deepStrictEqual(idsOf(first), [...idsOf(first)].sort().reverse())
  })

  it("shows each payment once over all pages, whatever their size", async () => {
    const all = idsOf(await page({ limit: "100" }))
    assert.strictEqual(all.length, 33)
    for (const limit of ["1", "7", "25", "33"]) assert.deepStrictEqual(await walk({ limit }), all)
  })

  it("keeps its pages while payments come in between", async () => {
    const first = await page({ limit: "10", currency: "EUR" })
    await atOnce(5, () => authorized(client, { currency: "EUR" }))
    const second = await page({ limit: "10", currency: "EUR", cursor: String(first.next_cursor) })
    const expected = made.open.filter(({ currency }) => currency === "EUR").map(({ transactionId }) => transactionId)
    assert.deepStrictEqual([...idsOf(first), ...idsOf(second)], expected.reverse())
  })

  it("has no payment of another client", async () => {
    assert.notInclude(await walk({ limit: "100" }), made.theirs)
    const theirs = (await other.list()).json as Page
    assert.deepStrictEqual(idsOf(theirs), [made.theirs])
  })

  it("has nothing to offer where nothing fits", async () => {
    const none = await page({ merchantReference: "never-used" })
    assert.deepStrictEqual(none, { data: [], has_more: false, next_cursor: null })
  })
})

describe("A filter", () => {
  it("is status", async () => {
    assert.deepStrictEqual(idsOf(await page({ status: "CAPTURED" })), [made.taken?.transactionId])
    assert.deepStrictEqual(idsOf(await page({ status: "VOIDED" })), [made.voided?.transactionId])
    assert.deepStrictEqual(idsOf(await page({ status: "DECLINED" })), [made.declined])
    const open = await page({ status: "AUTHORIZED", limit: "100" })
    assert.isTrue(open.data.every(({ status }) => status === "AUTHORIZED"))
    assert.isAtLeast(open.data.length, 30)
  })

  it("is merchantReference, letter by letter", async () => {
    const [first] = made.open
    const merchantReference = String(first?.merchantReference)
    assert.deepStrictEqual(idsOf(await page({ merchantReference })), [first?.transactionId])
    assert.deepStrictEqual(idsOf(await page({ merchantReference: merchantReference.toUpperCase() })), [])
  })

  it("is currency, and provider", async () => {
    const lira = await page({ currency: "TRY", limit: "100" })
    assert.strictEqual(lira.data.length, 16)
    assert.isTrue(lira.data.every(({ currency, provider }) => currency === "TRY" && provider === "isbank"))
    const atIsbank = await page({ provider: "isbank", currency: "TRY", limit: "100" })
    assert.deepStrictEqual(idsOf(atIsbank), idsOf(lira))
    assert.deepStrictEqual((await page({ provider: "stripe", currency: "TRY" })).data, [])
  })

  it("is a span of creation, and of change", async () => {
    const [tenth, twentieth] = [made.open[10], made.open[20]]
    const span = { from: String(tenth?.createdAt), to: String(twentieth?.createdAt), limit: "100" }
    const between = idsOf(await page(span))
    assert.include(between, String(tenth?.transactionId))
    for (const payment of made.open.slice(11, 20)) assert.include(between, payment.transactionId)
    assert.notInclude(between, made.open[8]?.transactionId)
    assert.notInclude(between, made.open[22]?.transactionId)

    const [old] = made.open
    const before = await captured(client)
    transactionOf(await client.capture(String(old?.transactionId)))
    const changed = idsOf(await page({ updatedFrom: before.updatedAt, limit: "100" }))
    assert.include(changed, String(old?.transactionId))
    assert.notInclude(changed, String(tenth?.transactionId))
  })

  it("goes together with the others and with pages", async () => {
    const expected = made.open.filter(({ currency }) => currency === "TRY").slice(1)
    const ids = await walk({ status: "AUTHORIZED", currency: "TRY", provider: "isbank", limit: "4" })
    assert.deepStrictEqual(ids, expected.map(({ transactionId }) => transactionId).reverse())
  })

  const wrong = {
    limit: ["0", "101", "-1", "1.5", "ten", ""],
    status: ["authorized", "NEW"],
    currency: ["JPY", "usd"],
    from: ["yesterday", "2026-13-01T00:00:00.000Z"],
    to: ["7"],
    updatedFrom: ["never"],
    cursor: ["broken", "AAAA", "%00", "eyJpZCI6MX0="],
    colour: ["green"],
    created_from: ["2026-01-01T00:00:00.000Z"]
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      it(`is refused where it is ${name}=${value}`, async () => {
        assert.deepStrictEqual(faultPaths(await client.list(`?${name}=${value}`)), [name])
      })
    }
  }

  it("is told with all other wrong ones at once", async () => {
    const paths = faultPaths(await client.list("?limit=0&colour=green&currency=JPY"))
    assert.deepStrictEqual(paths, ["colour", "currency", "limit"])
  })
})

describe("Waiting for a payment", () => {
  it("is over at once where there is nothing to wait for", async () => {
    const { transactionId } = await authorized(client)
    const started = performance.now()
    assert.strictEqual(transactionOf(await client.find(transactionId, "?wait=20")).status, "AUTHORIZED")
    assert.isBelow(performance.now() - started, 20_000, "not the wait that was asked for")
  })

  it("is asked for in seconds", async () => {
    const { transactionId } = await authorized(client)
    for (const wait of ["long", "-1", "1e9"]) {
      assert.deepStrictEqual(faultPaths(await client.find(transactionId, `?wait=${wait}`)), ["wait"])
    }
    problemOf(await client.find("txn_01h455vb4pex5vsknk084sn02q", "?wait=20"), 404, "NOT_FOUND")
  })
})

describe("The capabilities", () => {
  it("name what can be routed now", async () => {
    const answer = await client.request("GET", "/pf/v1/capabilities")
    assert.strictEqual(answer.status, 200, answer.text)
    for (const word of ["stripe", "isbank", ...currencies]) assert.include(answer.text, `"${word}"`)
  })

  it("are for clients only", async () => {
    assert.strictEqual((await client.visit("/pf/v1/capabilities")).status, 401)
  })
})
