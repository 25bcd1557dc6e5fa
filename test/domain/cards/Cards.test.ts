import { assert, describe, it } from "@effect/vitest"
import { cardDocument, cardTransactionDocument } from "@sarraf/domain/cards/CardDocument"
import { CardStore, type CardTransactionFilter, type SpendSince } from "@sarraf/domain/cards/CardStore"
import { Cards } from "@sarraf/domain/cards/Cards"
import type { Caller } from "@sarraf/domain/organizations/Caller"
import { type Role, roles } from "@sarraf/domain/organizations/Caller"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"
import { as, callerOf, sampleCard, sampleTransaction } from "./support/SampleProcurement.ts"

const page = { limit: 25, after: undefined }
/** Three hours before midnight of Greenwich, which is the 15th in Türkiye. */
const lateEvening = Date.parse("2026-03-14T21:30:00Z")

const makeDesk = () => {
  const seen = { reaches: [] as string[], since: [] as SpendSince[], filters: [] as CardTransactionFilter[] }
  const nothing = { items: [], hasMore: false }
  const store = Layer.mock(CardStore, {
    find: (id, since, reach) =>
      Effect.sync(() => {
        seen.reaches.push(reach)
        seen.since.push(since)
        return id === "card_0001" ? sampleCard() : undefined
      }),
    list: (_, since, reach) =>
      Effect.sync(() => {
        seen.reaches.push(reach)
        seen.since.push(since)
        return nothing
      }),
    findTransaction: (id, reach) =>
      Effect.sync(() => {
        seen.reaches.push(reach)
        return id === "ctx_0001" ? sampleTransaction() : undefined
      }),
    transactions: (filter, reach) =>
      Effect.sync(() => {
        seen.reaches.push(reach)
        seen.filters.push(filter)
        return nothing
      })
  })
  const organizations = Layer.mock(Organizations, { current: Effect.succeed(sampleOrganization()) })
  return { seen, layer: Layer.provide(Cards.layer, [store, organizations]) }
}

const at = <A, E>(
  run: (seen: ReturnType<typeof makeDesk>["seen"], cards: Cards["Service"]) => Effect.Effect<A, E, Caller>,
  role: Role = "OWNER"
) =>
  Effect.suspend(() => {
    const { layer, seen } = makeDesk()
    return Effect.andThen(
      TestClock.setTime(lateEvening),
      Effect.flatMap(Cards, (cards) => run(seen, cards)).pipe(
        as(callerOf("org_1", "usr_a", role)),
        Effect.provide(layer)
      )
    )
  })

describe("Reading cards", () => {
  it.effect.each(roles)("reaches as far as the table of permissions says: %s", (role) =>
    at(
      (seen, cards) =>
        Effect.gen(function* () {
          yield* cards.get("card_0001")
          yield* cards.list({}, page)
          yield* cards.getTransaction("ctx_0001")
          yield* cards.transactions({}, page)
          const reach = role === "MEMBER" || role === "APPROVER" ? "own" : "all"
          assert.deepStrictEqual(seen.reaches, [reach, reach, reach, reach])
        }),
      role
    )
  )

  it.effect("does not find what the store does not give", () =>
    at((_, cards) =>
      Effect.gen(function* () {
        const card = yield* Effect.flip(cards.get("card_x"))
        assert.deepInclude({ ...card }, { _tag: "NotFound", resource: "card", id: "card_x" })
        const transaction = yield* Effect.flip(cards.getTransaction("ctx_x"))
        assert.deepInclude({ ...transaction }, { _tag: "NotFound", resource: "card transaction", id: "ctx_x" })
      })
    )
  )

  it.effect("counts the day and the month where the organization is", () =>
    at((seen, cards) =>
      Effect.gen(function* () {
        yield* cards.get("card_0001")
        yield* cards.list({}, page)
        const since = { day: Date.parse("2026-03-14T21:00:00Z"), month: Date.parse("2026-02-28T21:00:00Z") }
        assert.deepStrictEqual(seen.since, [since, since])
      })
    )
  )

  it.effect("asks for days of the organization and amounts in its currency, and refuses what is none", () =>
    at((seen, cards) =>
      Effect.gen(function* () {
        const days = { from: "2026-03-01", to: "2026-03-31" }
        yield* cards.transactions({ ...days, minAmount: "149.90", maxAmount: "200", missingReceipt: true }, page)
        assert.deepStrictEqual(seen.filters, [
          {
            from: Date.parse("2026-02-28T21:00:00Z"),
            before: Date.parse("2026-03-31T21:00:00Z"),
            minBaseMinor: 14_990n,
            maxBaseMinor: 20_000n,
            missingReceipt: true
          }
        ])
        for (const [path, search] of [
          ["min_amount", { minAmount: "1.999" }],
          ["max_amount", { maxAmount: "much" }]
        ] as const) {
          const refused = yield* Effect.flip(cards.transactions(search, page))
          assert.strictEqual(refused._tag === "InvalidFields" ? refused.faults[0]?.path : refused._tag, path)
        }
        assert.strictEqual(seen.filters.length, 1)
      })
    )
  )
})

describe("The documents of cards", () => {
  it("are in major units of each currency", () => {
    const shown = cardDocument(sampleCard({ currency: "JPY", spend: { today: 1n, month: 20n, total: 300n } }))
    assert.deepInclude(shown, { last4: "4242", spent: { today: 1, month: 20, total: 300 }, valid_until: null })
    assert.deepInclude(shown.limits, { per_month: 900_000, per_day: null })
    assert.strictEqual(shown.created_at, "2026-03-14T09:00:00.000Z")
    const transaction = cardTransactionDocument(sampleTransaction({ base: null }))
    assert.deepInclude(transaction, { amount: 42.5, currency: "USD", billed_amount: 1_752.49, billed_currency: "TRY" })
    assert.deepInclude(transaction, { base_amount: null, base_currency: null, cleared_at: null })
  })
})
