import { DateTime } from "effect"
import type { Instant } from "./Instant.ts"

/** ISO 8601 in UTC with milliseconds, `2026-11-21T12:00:00.000Z` (contract section 1). */
export const isoTime = (instant: Instant): string => DateTime.formatIso(DateTime.makeUnsafe(instant))

export const isoTimeOrNull = (instant: Instant | null): string | null => (instant === null ? null : isoTime(instant))
