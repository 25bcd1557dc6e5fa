import { assert, type Vitest } from "@effect/vitest"
import { RequestLedger, type RequestRecord, type SignedRequest } from "@sarraf/domain/admission/RequestLedger"
import { Effect } from "effect"

const payment = (name: string) => `POST /pf/v1/payments/${name}/capture`

const day = 24 * 3_600_000

/** A signed capture of `txn_a`, without an Idempotency-Key. */
const signed = (digest: string, usedAt: number, changes: Partial<SignedRequest["use"]> = {}): SignedRequest => ({
  organizationId: "org_ledger",
  clientId: "shop",
  signatureDigest: digest,
  isBodiless: false,
  signatureExpiresAt: usedAt + 5 * 60_000,
  use: { target: payment("txn_a"), operation: "capture", idempotencyKey: null, usedAt, ...changes },
  fingerprint: `content of ${changes.target ?? payment("txn_a")}`
})

const admit = (request: SignedRequest) => Effect.flatMap(RequestLedger, (ledger) => ledger.admit(request))

/**
 * What every adapter of the port `RequestLedger` keeps. `begin` commits what a request began under a key at a time, as
 * the payments' store does; `now` is the time of whoever decides what has expired.
 */
export const requestLedgerContract = <R>(
  it: Vitest.MethodsNonLive<RequestLedger | R>,
  options: {
    readonly begin: (record: RequestRecord, at: number) => Effect.Effect<unknown, { readonly _tag: string }, R>
    readonly now: Effect.Effect<number, never, R>
  }
): void => {
  const { begin, now } = options
  const recordFor = (request: SignedRequest, key: string, paymentId: string): RequestRecord => ({
    organizationId: request.organizationId,
    caller: request.clientId,
    key,
    fingerprint: request.fingerprint,
    paymentId,
    operationId: null
  })
  /** Admits a request and begins something under the key it is given. */
  const beginAs = Effect.fnUntraced(function* (request: SignedRequest, paymentId: string) {
    const { key, verdict } = yield* admit(request)
    const record = recordFor(request, key, paymentId)
    yield* begin(record, request.use.usedAt)
    return { record, verdict }
  })

  it.effect("admits a signature as fresh once, and as a retry from then on", () =>
    Effect.gen(function* () {
      const first = signed("d-once", yield* now)
      const { key, record, verdict } = yield* admit(first)
      assert.deepStrictEqual([verdict, record], ["fresh", undefined])
      assert.include(key, "d-once")
      const again = yield* admit(signed("d-once", first.use.usedAt + 240_000))
      assert.deepStrictEqual(again, { verdict: "retry", key, record: undefined })
    })
  )

  it.effect("finds for a retry what the first began, under its signature", () =>
    Effect.gen(function* () {
      const first = signed("d-signature", yield* now)
      const { record } = yield* beginAs(first, "txn_of_signature")
      assert.deepStrictEqual(yield* admit(first), { verdict: "retry", key: record.key, record })
    })
  )

  it.effect("finds what a key began, for another signature with that key", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      const first = signed("d-key-1", usedAt, { idempotencyKey: "key-1" })
      const { record } = yield* beginAs(first, "txn_of_key")
      assert.strictEqual(record.key, "key-1")
      const repeated = yield* admit(signed("d-key-2", usedAt + 1_000, { idempotencyKey: "key-1" }))
      assert.deepStrictEqual(repeated, { verdict: "fresh", key: "key-1", record })
      const ledger = yield* RequestLedger
      assert.deepStrictEqual(yield* ledger.find("org_ledger", "shop", "key-1"), record)
      assert.isUndefined(yield* ledger.find("org_ledger", "shop", "key-2"))
    })
  )

  it.effect("finds what the first began for a retry that leaves the key out", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      const first = signed("d-left-out", usedAt, { idempotencyKey: "key-left-out" })
      const { record } = yield* beginAs(first, "txn_left_out")
      const retry = yield* admit(signed("d-left-out", usedAt + 1_000))
      assert.deepStrictEqual(retry, { verdict: "retry", key: "key-left-out", record })
    })
  )

  it.effect("tells a retry under another key apart, and gives it nothing of the first", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      yield* beginAs(signed("d-other-key", usedAt, { idempotencyKey: "key-a" }), "txn_other_key")
      const other = yield* admit(signed("d-other-key", usedAt, { idempotencyKey: "key-b" }))
      assert.deepStrictEqual(other, { verdict: "otherKey", key: "key-b", record: undefined })
    })
  )

  it.effect("accepts a signature on another payment for two seconds, and finds it spent afterwards", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      yield* admit(signed("d-shared", usedAt))
      const on = (name: string, later: number) =>
        Effect.map(admit(signed("d-shared", usedAt + later, { target: payment(name) })), ({ verdict }) => verdict)
      assert.strictEqual(yield* on("txn_b", 0), "accepted")
      assert.strictEqual(yield* on("txn_c", 2_000), "accepted")
      assert.strictEqual(yield* on("txn_d", 2_001), "spent")
      const refund = { target: "POST /pf/v1/payments/txn_a/refund", operation: "refund" }
      assert.strictEqual((yield* admit(signed("d-shared", usedAt, refund))).verdict, "spent")
    })
  )

  it.effect("takes a late repeat on a payment where the signature was accepted, and began something, as a retry", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      yield* beginAs(signed("d-second", usedAt), "txn_first")
      const second = { target: payment("txn_second") }
      const accepted = yield* beginAs(signed("d-second", usedAt + 500, second), "txn_second")
      assert.strictEqual(accepted.verdict, "accepted")
      const late = yield* admit(signed("d-second", usedAt + 60_000, second))
      assert.deepStrictEqual([late.verdict, late.record], ["retry", accepted.record])
    })
  )

  it.effect("admits one of 64 equal signatures at once as fresh, and the others as its retries", () =>
    Effect.gen(function* () {
      const request = signed("d-64", yield* now)
      const all = yield* Effect.all(
        Array.from({ length: 64 }, () => admit(request)),
        { concurrency: "unbounded" }
      )
      const verdicts = all.map(({ verdict }) => verdict).sort()
      assert.deepStrictEqual(verdicts, ["fresh", ...Array(63).fill("retry")])
    })
  )

  it.effect("remembers of many equal signatures at once the use that it admitted as fresh", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      const digests = Array.from({ length: 32 }, (_, index) => `d-mixed-${(index * 7) % 32}`)
      const uses = ["txn_1", "txn_2", "txn_3", "txn_4"].flatMap((name) =>
        digests.map((digest) => signed(digest, usedAt, { target: payment(name) }))
      )
      const verdicts = yield* Effect.all(uses.map(admit), { concurrency: "unbounded" })
      const fresh = uses.filter((_, index) => verdicts[index]?.verdict === "fresh")
      assert.sameMembers(
        fresh.map(({ signatureDigest }) => signatureDigest),
        digests
      )
      for (const { signatureDigest, use } of fresh) {
        const again = yield* admit(signed(signatureDigest, usedAt + 60_000, { target: use.target }))
        assert.strictEqual(again.verdict, "retry", `${signatureDigest} on ${use.target}`)
      }
    })
  )

  it.effect("keeps the signatures and keys of clients apart", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      const mine = signed("d-apart", usedAt, { idempotencyKey: "key-apart" })
      yield* beginAs(mine, "txn_apart")
      for (const stranger of [{ clientId: "other" }, { organizationId: "org_other" }]) {
        assert.deepInclude(yield* admit({ ...mine, ...stranger }), { verdict: "fresh", record: undefined })
      }
      const ledger = yield* RequestLedger
      assert.isUndefined(yield* ledger.find("org_ledger", "other", "key-apart"))
      assert.isUndefined(yield* ledger.find("org_other", "shop", "key-apart"))
    })
  )

  it.effect("forgets after a day what a key began, and lets it begin something else", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      const old = signed("d-old", usedAt - day - 1_000, { idempotencyKey: "key-old" })
      yield* beginAs(old, "txn_old")
      const ledger = yield* RequestLedger
      assert.isUndefined(yield* ledger.find("org_ledger", "shop", "key-old"))
      const later = signed("d-later", usedAt, { idempotencyKey: "key-old" })
      assert.isUndefined((yield* admit(later)).record)
      const { record } = yield* beginAs(later, "txn_later")
      assert.deepStrictEqual(yield* ledger.find("org_ledger", "shop", "key-old"), record)
    })
  )

  it.effect("keeps what a key began for a day", () =>
    Effect.gen(function* () {
      const usedAt = yield* now
      const { record } = yield* beginAs(
        signed("d-day", usedAt - day + 60_000, { idempotencyKey: "key-day" }),
        "txn_day"
      )
      const again = yield* admit(signed("d-day-2", usedAt, { idempotencyKey: "key-day" }))
      assert.deepStrictEqual([again.verdict, again.record], ["fresh", record])
    })
  )

  it.effect("lets one signature read several things within a second, and the same thing later", () =>
    Effect.gen(function* () {
      const ledger = yield* RequestLedger
      const at = yield* now
      assert.isTrue(ledger.admitRead("d-read", "/a", at))
      assert.isTrue(ledger.admitRead("d-read", "/b", at + 1_000))
      assert.isFalse(ledger.admitRead("d-read", "/c", at + 1_001))
      assert.isTrue(ledger.admitRead("d-read", "/a", at + 60_000))
    })
  )

  it.effect("finds a signature spent that has read something", () =>
    Effect.gen(function* () {
      const ledger = yield* RequestLedger
      const at = yield* now
      ledger.admitRead("d-read-first", "/pf/v1/payments", at)
      assert.deepInclude(yield* admit(signed("d-read-first", at)), { verdict: "spent", record: undefined })
      assert.strictEqual((yield* admit(signed("d-read-other", at))).verdict, "fresh")
    })
  )
}
