import { assert, type Vitest } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { type PaymentFilter, PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Effect, Schema } from "effect"
import { accepted, noon, settledBy, type Told, tell } from "../../domain/payments/support/SamplePayment.ts"
import { declined, notSent } from "../../domain/payments/support/ScriptedProvider.ts"
import { type Shop, shop, storeHistory } from "./support/Shop.ts"

const count = 40
const outcomes = [accepted(), declined, notSent] as const
const currencies = ["EUR", "TRY"] as const

/** Forty payments, a minute apart, that differ in all that a list can be narrowed by. */
const historyOf = (owner: Shop, number: number): ReadonlyArray<Told> => {
  const begun = owner.payment(number, {
    createdAt: noon + number * 60_000,
    money: new Money({ currency: currencies[number % 2] ?? "EUR", minor: 100n })
  })
  const outcome = outcomes[number % 4]
  return outcome === undefined
    ? [begun]
    : [begun, tell(begun, settledBy(begun.payment, outcome, noon + 3_600_000 + number * 60_000))]
}

const prepared = Effect.fnUntraced(function* (owner: Shop) {
  const states: Array<Told> = []
  for (let number = 1; number <= count; number++) states.push(yield* storeHistory(owner, historyOf(owner, number)))
  // Another client's, which no list may show.
  const other = shop(`other ${owner.caller.clientId}`, owner.caller.organizationId)
  yield* storeHistory(other, [other.payment(1)])
  return states.map(({ payment }) => payment).sort((a, b) => (a.id < b.id ? 1 : -1))
})

const list = ({ as }: Shop, filter: PaymentFilter) =>
  Effect.flatMap(PaymentStore, (payments) => as(payments.list(filter)))

const Minute = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 101 })))

const Filter = Schema.Struct({
  status: Schema.NullOr(Schema.Literals(["PENDING", "AUTHORIZED", "DECLINED", "FAILED", "CAPTURED"])),
  currency: Schema.NullOr(Schema.Literals(["EUR", "TRY", "USD"])),
  provider: Schema.NullOr(Schema.Literals(["akbank", "isbank"])),
  merchantReference: Schema.NullOr(Schema.Literals(["order-1", "order-17", "order-41"])),
  from: Minute,
  to: Minute,
  updatedFrom: Minute,
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))
})

/** Each filter is there in one of four cases, so that lists are not empty as a rule. */
const filterOf = (drawn: typeof Filter.Type, chosen: number): PaymentFilter => {
  const keep = <A>(bit: number, value: A | null): A | undefined =>
    value === null || (chosen & (3 << (bit * 2))) !== 0 ? undefined : value
  const time = (bit: number, minute: number | null) => {
    const kept = keep(bit, minute)
    return kept === undefined ? undefined : noon + kept * 60_000
  }
  const optional = {
    status: keep(0, drawn.status),
    currency: keep(1, drawn.currency),
    provider: keep(2, drawn.provider),
    merchantReference: keep(3, drawn.merchantReference),
    from: time(4, drawn.from),
    to: time(5, drawn.to),
    updatedFrom: time(6, drawn.updatedFrom)
  }
  const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return { ...(present as Omit<PaymentFilter, "limit">), limit: drawn.limit }
}

/** How every adapter of the port `PaymentStore` lists payments. */
export const paymentListContract = (it: Vitest.MethodsNonLive<PaymentStore>): void => {
  it.effect("lists the client's payments, newest first", () =>
    Effect.gen(function* () {
      const owner = shop("list")
      const all = yield* prepared(owner)
      assert.deepStrictEqual(yield* list(owner, { limit: 100 }), all)
      assert.deepStrictEqual(yield* list(owner, { limit: 3 }), all.slice(0, 3))
    })
  )

  it.effect.each([1, 7, 40, 100])(
    "goes through all of them in pages of %i, without gap or repetition, while new ones come in",
    (limit) =>
      Effect.gen(function* () {
        const owner = shop(`pages of ${limit}`)
        const all = yield* prepared(owner)
        const seen: Array<string> = []
        for (;;) {
          const last = seen.at(-1)
          const page = yield* list(owner, { limit, ...(last === undefined ? {} : { before: last }) })
          if (page.length === 0) break
          assert.isAtMost(page.length, limit)
          if (last === undefined) yield* storeHistory(owner, [owner.payment(count + 1)])
          seen.push(...page.map(({ id }) => id))
        }
        assert.deepStrictEqual(
          seen,
          all.map(({ id }) => id)
        )
      })
  )

  let filters: ReadonlyArray<Effect.Success<ReturnType<typeof prepared>>[number]> = []
  it.effect.prop(
    "lists exactly what a filter asks for",
    [Filter, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 14 - 1 }))],
    ([drawn, chosen]) =>
      Effect.gen(function* () {
        const owner = shop("filters")
        if (filters.length === 0) filters = yield* prepared(owner)
        const filter = filterOf(drawn, chosen)
        const expected = filters.filter(
          (payment) =>
            (filter.status === undefined || statusOf(payment) === filter.status) &&
            (filter.currency === undefined || payment.money.currency === filter.currency) &&
            (filter.provider === undefined || payment.attempts[0]?.provider === filter.provider) &&
            (filter.merchantReference === undefined || payment.merchantReference === filter.merchantReference) &&
            (filter.from === undefined || payment.createdAt >= filter.from) &&
            (filter.to === undefined || payment.createdAt < filter.to) &&
            (filter.updatedFrom === undefined || payment.updatedAt >= filter.updatedFrom)
        )
        assert.deepStrictEqual(
          (yield* list(owner, filter)).map(({ id }) => id),
          expected.slice(0, filter.limit).map(({ id }) => id)
        )
      }),
    { arbitrary: { runs: 150 } }
  )
}
