import { signatureKey } from "@sarraf/domain/admission/IdempotencyKey"
import { RequestLedger, type SignedRequest } from "@sarraf/domain/admission/RequestLedger"
import { judgeUse, type SignatureUse } from "@sarraf/domain/admission/SpentSignature"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Clock, Effect, Layer } from "effect"
import { makeRecentReads } from "../postgres/RecentReads.ts"
import { Memory } from "./Memory.ts"

interface SpentUse {
  readonly use: SignatureUse
  readonly expiresAt: Instant
}

const placeOf = ({ clientId, organizationId, signatureDigest }: SignedRequest) =>
  `${organizationId} ${clientId} ${signatureDigest}`

/** So often at most is looked for signatures that nobody accepts any more, in milliseconds. */
const sweepMillis = 60_000

/** Signatures and Idempotency-Keys in this process; `MemoryPaymentStore` writes what a key began. */
export const layer: Layer.Layer<RequestLedger, never, Memory> = Layer.effect(
  RequestLedger,
  Effect.map(Memory, ({ findRecord }) => {
    const spent = new Map<string, SpentUse>()
    const reads = makeRecentReads()
    const bodilessWrites = makeRecentReads()
    let sweptAt = 0
    const sweep = (now: Instant) => {
      if (now - sweptAt < sweepMillis) return
      sweptAt = now
      for (const [place, { expiresAt }] of spent) if (expiresAt < now) spent.delete(place)
    }
    return RequestLedger.of({
      admit: (request) =>
        Effect.sync(() => {
          const { clientId: caller, isBodiless, organizationId, signatureDigest, signatureExpiresAt, use } = request
          const key = use.idempotencyKey ?? signatureKey(signatureDigest, use.target)
          if (reads.has(signatureDigest)) return { verdict: "spent", key, record: undefined } as const
          if (isBodiless) bodilessWrites.admit(signatureDigest, use.target, use.usedAt)
          sweep(use.usedAt)
          const record = findRecord({ organizationId, caller, key }, use.usedAt)
          const first = spent.get(placeOf(request))?.use
          if (first === undefined) {
            spent.set(placeOf(request), { use, expiresAt: signatureExpiresAt })
            return { verdict: "fresh", key, record } as const
          }
          const verdict = judgeUse(first, use)
          // An accepted second target that began something is a retry from then on, however late it comes.
          if (verdict === "spent" && record !== undefined && use.idempotencyKey === null) {
            return { verdict: "retry", key, record } as const
          }
          // A retry that leaves the key out is answered from what the first began under it.
          if (verdict === "retry" && record === undefined && first.idempotencyKey !== null) {
            const ofFirst = { organizationId, caller, key: first.idempotencyKey }
            return { verdict, key: first.idempotencyKey, record: findRecord(ofFirst, use.usedAt) }
          }
          return { verdict, key, record }
        }),
      admitRead: (digest, target, now) =>
        bodilessWrites.allows(digest, target, now) && reads.admit(digest, target, now),
      find: (organizationId, caller, key) =>
        Effect.map(Clock.currentTimeMillis, (now) => findRecord({ organizationId, caller, key }, now))
    })
  })
)
