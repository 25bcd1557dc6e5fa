import { assert, layer } from "@effect/vitest"
import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { ExchangeRates } from "@sarraf/domain/money/ExchangeRates"
import { Money } from "@sarraf/domain/money/Money"
import { type NewQuotation, Quotations } from "@sarraf/domain/money/Quotation"
import { ratesOf } from "@sarraf/domain/money/RateLookup"
import { RateTable } from "@sarraf/domain/money/RateTable"
import { Caller, type Role, roles } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer, Ref } from "effect"

/** What was saved and recorded, for the test to look at. */
const saved = Ref.makeUnsafe<ReadonlyArray<NewQuotation>>([])
const recorded = Ref.makeUnsafe<ReadonlyArray<AuditEntry>>([])

const table = RateTable.layer.pipe(
  Layer.provide([
    Layer.succeed(Quotations, {
      list: () => Effect.succeed({ items: [], hasMore: false }),
      save: (added) => Effect.as(Ref.set(saved, added), added.length - 1)
    }),
    Layer.succeed(ExchangeRates, {
      on: (date, froms, to) =>
        Effect.succeed(ratesOf([{ date, base: "EUR", quote: "TRY", rate: "50", source: "operator" }], froms, to))
    }),
    Layer.mock(AuditTrail, { append: (entry) => Ref.update(recorded, (entries) => [...entries, entry]) }),
    Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect })
  ])
)

const as = (role: Role) =>
  Effect.provideService(Caller, {
    organizationId: "org_one",
    role,
    name: "user:usr_ayse",
    kind: "user",
    userId: "usr_ayse",
    createdBy: null
  })

const quotation = { date: "2026-01-30", base: "EUR", quote: "TRY", rate: "50" }
const euros = (minor: bigint) => new Money({ currency: "EUR", minor })

layer(table)("The table of rates", (it) => {
  it.effect("is read by everybody and changed by an ADMIN or an OWNER", () =>
    Effect.gen(function* () {
      const rates = yield* RateTable
      const isAllowed = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
        Effect.match(effect, { onSuccess: () => true, onFailure: ({ _tag }) => _tag !== "RoleMissing" })
      for (const role of roles) {
        const isAdministrator = role === "ADMIN" || role === "OWNER"
        const answers = [
          yield* isAllowed(as(role)(rates.list({}, { limit: 1, after: undefined }))),
          yield* isAllowed(as(role)(rates.convert(euros(100n), "TRY", "2026-01-30"))),
          yield* isAllowed(as(role)(rates.change([quotation]))),
          yield* isAllowed(as(role)(rates.importFile("date,base,quote,rate\n2026-01-30,EUR,TRY,50")))
        ]
        assert.deepStrictEqual(answers, [true, true, isAdministrator, isAdministrator], role)
      }
    })
  )

  it.effect("records how many rates were changed, and of which days", () =>
    Effect.gen(function* () {
      yield* Ref.set(recorded, [])
      const rates = yield* RateTable
      const answer = yield* as("ADMIN")(
        rates.importFile("Date,USD,TRY,CYP,\n2026-01-30,1.2,50,N/A,\n2025-12-31,1.1,49,N/A,\n")
      )
      assert.deepStrictEqual(answer, { read: 4, written: 3, from: "2025-12-31", to: "2026-01-30", skipped: ["CYP"] })
      const [entry, ...others] = yield* Ref.get(recorded)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(entry, {
        action: "exchange_rates.changed",
        subject: { type: "exchange_rates", id: "org_one" },
        detail: { origin: "ecb", read: 4, written: 3, from: "2025-12-31", to: "2026-01-30" }
      })
    })
  )

  it.effect("saves nothing where one of the rates is wrong", () =>
    Effect.gen(function* () {
      yield* Ref.set(saved, [])
      yield* Ref.set(recorded, [])
      const rates = yield* RateTable
      const error = yield* Effect.flip(as("OWNER")(rates.change([quotation, { ...quotation, rate: "much" }])))
      assert.deepStrictEqual(error._tag === "InvalidFields" && error.faults.map(({ path }) => path), [
        "rates[1].rate",
        "rates[1]"
      ])
      assert.deepStrictEqual([yield* Ref.get(saved), yield* Ref.get(recorded)], [[], []])
    })
  )

  it.effect("converts, and says where it cannot", () =>
    Effect.gen(function* () {
      const rates = yield* RateTable
      const { amount } = yield* rates.convert(euros(101n), "TRY", "2026-01-30")
      assert.deepStrictEqual(amount, new Money({ currency: "TRY", minor: 5050n }))
      assert.isNull((yield* rates.convert(euros(101n), "EUR", "2026-01-30")).rate)
      for (const [money, to, path] of [
        [euros(1n), "JPY", "from"],
        [euros(2n ** 62n), "TRY", "amount"]
      ] as const) {
        const error = yield* Effect.flip(rates.convert(money, to, "2026-01-30"))
        assert.deepStrictEqual(error._tag === "InvalidFields" && error.faults.map((fault) => fault.path), [path])
      }
    }).pipe(as("MEMBER"))
  )
})
