import { DateTime, Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Caller } from "./Caller.ts"
import { type Organization, Organizations } from "./Organizations.ts"

/** The day that it is where the caller's organization is. */
export interface PresentDay {
  readonly date: CalendarDate
  readonly organization: Organization
}

/** Asks for the present day of the caller's organization. */
export const makePresentDay: Effect.Effect<
  Effect.Effect<PresentDay, Unavailable, Caller>,
  never,
  Organizations
> = Effect.map(Organizations, (organizations) =>
  Effect.gen(function* () {
    const organization = yield* organizations.current
    const now = yield* DateTime.now
    const date = DateTime.formatIsoDate(DateTime.setZoneNamedUnsafe(now, organization.timezone))
    return { date, organization }
  })
)
