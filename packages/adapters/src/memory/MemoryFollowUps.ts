import { questionOf } from "@sarraf/domain/payments/FollowUp"
import { FollowUps } from "@sarraf/domain/payments/FollowUps"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { lastAttempt } from "@sarraf/domain/payments/Payment"
import { Effect, Layer } from "effect"
import { Memory, type ScheduledLook } from "./Memory.ts"

/** Longer than a look takes: what a process that died held is given to another after it, in milliseconds. */
const leaseMillis = 90_000

const callerOf = ({ clientId, livemode, organizationId }: Payment) => ({ organizationId, clientId, livemode })

/** When each payment is looked at next, in this process; `MemoryPaymentStore` writes the times. */
export const layer: Layer.Layer<FollowUps, never, Memory> = Layer.effect(
  FollowUps,
  Effect.map(Memory, ({ followUps, payments }) => {
    const wake = (now: number, fits: (look: ScheduledLook) => boolean, limit = Number.POSITIVE_INFINITY) =>
      Effect.sync(() => {
        const later = [...followUps].filter(([, look]) => look.kind === "open" && look.at > now && look.tries > 0)
        const chosen = later.filter(([, look]) => fits(look)).sort(([, a], [, b]) => a.at - b.at)
        const isProbe = limit < Number.POSITIVE_INFINITY
        for (const [id, look] of chosen.slice(0, limit)) {
          followUps.set(id, { ...look, at: now, tries: isProbe ? look.tries : 1 })
        }
      })
    return FollowUps.of({
      enlist: (now, expiredSince) =>
        Effect.sync(() => {
          for (const { payment } of payments.values()) {
            const question = questionOf(payment, now)
            const isAbandoned =
              question._tag === "Operation" ||
              (question._tag === "Authorization" && question.attempt.deadline <= now) ||
              question._tag === "EndChallenge"
            const isExpired =
              question._tag === "Expiry" && expiredSince !== now && (payment.expiresAt ?? 0) >= (expiredSince ?? 0)
            if ((!isAbandoned && !isExpired) || followUps.has(payment.id)) continue
            const provider = lastAttempt(payment)?.provider ?? ""
            const fresh = { tries: 0, leaseUntil: null, needsReview: false }
            followUps.set(payment.id, { at: now, kind: "open", provider, ...fresh })
          }
        }),
      claim: (now, limit, without) =>
        Effect.sync(() => {
          const leaseUntil = now + leaseMillis
          const due = [...followUps]
            .filter(([, look]) => look.at <= now && (look.leaseUntil ?? 0) <= now && !without.includes(look.provider))
            .sort(([, a], [, b]) => a.at - b.at)
            .slice(0, limit)
          return due.flatMap(([paymentId, look]) => {
            const stored = payments.get(paymentId)
            if (stored === undefined) return []
            followUps.set(paymentId, { ...look, leaseUntil })
            const { kind, provider, tries } = look
            return [{ caller: callerOf(stored.payment), paymentId, provider, kind, tries, leaseUntil }]
          })
        }),
      release: ({ leaseUntil, paymentId }, at, tries) =>
        Effect.sync(() => {
          const look = followUps.get(paymentId)
          if (look?.leaseUntil !== leaseUntil) return
          if (at === null) followUps.delete(paymentId)
          else followUps.set(paymentId, { ...look, at, tries, leaseUntil: null })
        }),
      wake: (provider, now, limit) => wake(now, (look) => look.provider === provider, limit),
      wakeAll: (now) => wake(now, () => true),
      reviews: Effect.sync(() =>
        [...payments.values()]
          .filter(({ payment }) => followUps.get(payment.id)?.needsReview)
          .sort((a, b) => a.payment.createdAt - b.payment.createdAt)
          .map(({ payment }) => ({ caller: callerOf(payment), paymentId: payment.id }))
      )
    })
  })
)
