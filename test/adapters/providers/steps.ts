import { assert } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { open, type ProviderSession, pagesUrl, type Subject } from "./ProviderSession.ts"

export const found = (finding: Finding) => {
  assert(finding._tag === "Found", `not found but ${finding._tag}`)
  return finding
}

/** Sums that the provider does not tell are null. A provider without a query is not asked. */
export const assertSums = Effect.fnUntraced(function* (
  session: ProviderSession,
  stage: string,
  capturedMinor: bigint,
  refundedMinor: bigint
) {
  if (!session.capabilities.query.byReference) return
  const actual = found(yield* session.query())
  assert.strictEqual(actual.stage, stage)
  assert.include([capturedMinor, null], actual.capturedMinor)
  assert.include([refundedMinor, null], actual.refundedMinor)
})

export const assertTag = (outcome: Outcome, ...tags: ReadonlyArray<Outcome["_tag"]>) =>
  assert.include(tags, outcome._tag, "reason" in outcome ? String(outcome.reason) : undefined)

export const authorized = (subject: Subject, options: Parameters<typeof open>[1] = {}) =>
  Effect.gen(function* () {
    const session = yield* open(subject, options)
    assertTag(yield* session.authorize(), "Accepted")
    return session
  })

export const captured = (subject: Subject, options: Parameters<typeof open>[1] = {}) =>
  Effect.gen(function* () {
    const session = yield* authorized(subject, options)
    assertTag(yield* session.capture(session.amount), "Accepted")
    return session
  })

/** To see what it can do; it is never spoken to. */
export const providerOf = (subject: Subject) =>
  subject.make({ orderBook: MemoryOrderBook.make(), settlement: "instant", pagesUrl, notify: () => Effect.void })
    .provider
