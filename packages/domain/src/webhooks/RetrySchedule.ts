import type { RetrySettings } from "./RetrySettings.ts"

/**
 * The pause after an attempt that failed, in milliseconds, before chance moves it: `baseSeconds` after the first, each
 * `factor` times the one before, none above `maxSeconds`. `attempt` counts from 1.
 */
export const pauseAfter = (
  { baseSeconds, factor, maxSeconds }: Omit<RetrySettings, "jitter" | "maxAttempts">,
  attempt: number
): number => Math.round(Math.min(baseSeconds * factor ** (attempt - 1), maxSeconds) * 1_000)

/**
 * The pause as it is kept: shortened or lengthened by up to the part `jitter` of itself, so that what failed together is
 * not tried again together. Never above `maxSeconds`. `chance` is evenly from 0 to 1.
 */
export const jitteredPause = (settings: RetrySettings, attempt: number, chance: number): number => {
  const moved = pauseAfter(settings, attempt) * (1 + settings.jitter * (2 * chance - 1))
  return Math.round(Math.min(moved, settings.maxSeconds * 1_000))
}
