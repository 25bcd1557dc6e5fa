import type { Instant } from "../time/Instant.ts"

/** For a period, `to` may decide what `from` may decide (contract section 6). */
export interface Delegation {
  /** `del_…`. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly startsAt: Instant
  /** Not in force any more at this very moment. */
  readonly endsAt: Instant
  /** When it was ended before its time; null where it was not. */
  readonly endedAt: Instant | null
  readonly reason: string | null
  /** `user:usr_…` or `key:…`. */
  readonly createdBy: string
  readonly createdAt: Instant
}

/** Ninety days: a longer absence is a change of role, which is for an ADMIN to make. */
export const delegationMillisMax = 90 * 86_400_000

type Period = Pick<Delegation, "endedAt" | "endsAt" | "startsAt">

export const isInForce = ({ endedAt, endsAt, startsAt }: Period, at: Instant): boolean =>
  startsAt <= at && at < endsAt && (endedAt === null || at < endedAt)

/** Whether there is a moment at which both are in force. */
export const overlaps = (one: Period, other: Period): boolean => {
  const endOf = ({ endedAt, endsAt }: Period) => Math.min(endsAt, endedAt ?? endsAt)
  return Math.max(one.startsAt, other.startsAt) < Math.min(endOf(one), endOf(other))
}
