import type { Health } from "@sarraf/domain/routing/ProviderHealth"
import type { Instant } from "@sarraf/domain/time/Instant"

/** It opens when half of the last twenty calls failed, ten at least. */
const callsMax = 20
const callsMin = 10
const failedShare = 0.5
/** It opens for 15 s; failing again doubles that up to 2 min. */
const openMillisMin = 15_000
const openMillisMax = 120_000
/** A provider that nobody has called for an hour begins anew. */
const rememberedMillis = 3_600_000

/** A provider's circuit breaker: what is remembered of the calls to it. */
export interface Breaker {
  /** Whether each of the last calls failed, the newest last; none from before it opened or closed. */
  readonly failures: ReadonlyArray<boolean>
  /** Until when it is open, and half open from then on; null: it is closed. */
  readonly openUntil: Instant | null
  /** How many times it opened, one soon after the other, and how long the last time. */
  readonly openings: number
  readonly openMillis: number
  /** Once it has been closed until then, it counts its openings anew. */
  readonly soundAt: Instant
  /** When the last call was recorded. */
  readonly calledAt: Instant
}

const fresh: Breaker = { failures: [], openUntil: null, openings: 0, openMillis: 0, soundAt: 0, calledAt: 0 }

const isForgotten = ({ calledAt, openUntil }: Breaker, now: Instant): boolean =>
  now - Math.max(calledAt, openUntil ?? 0) >= rememberedMillis

/** The provider's health at this moment; nobody has called a provider without a breaker. */
export const healthAt = (breaker: Breaker | undefined, now: Instant): Health => {
  if (breaker === undefined || breaker.openUntil === null || isForgotten(breaker, now)) return "closed"
  return now < breaker.openUntil ? "open" : "halfOpen"
}

const open = (openings: number, now: Instant): Breaker => {
  const openMillis = Math.min(openMillisMin * 2 ** openings, openMillisMax)
  return { ...fresh, openUntil: now + openMillis, openings: openings + 1, openMillis, calledAt: now }
}

/** The breaker after one more call. What is recorded while it is open changes nothing; half open, one call decides. */
export const afterCall = (breaker: Breaker | undefined, isFailed: boolean, now: Instant): Breaker => {
  const known = breaker === undefined || isForgotten(breaker, now) ? fresh : breaker
  const { openMillis, openings, openUntil } = known
  if (openUntil !== null) {
    if (now < openUntil) return known
    return isFailed ? open(openings, now) : { ...fresh, openings, openMillis, soundAt: now + openMillis, calledAt: now }
  }
  const openedBefore = now >= known.soundAt ? 0 : openings
  const failures = [...known.failures.slice(1 - callsMax), isFailed]
  const failed = failures.filter(Boolean).length
  return failures.length >= callsMin && failed / failures.length >= failedShare
    ? open(openedBefore, now)
    : { ...known, failures, openings: openedBefore, calledAt: now }
}
