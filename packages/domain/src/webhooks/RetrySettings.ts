/** How the deliveries of an endpoint are repeated (contract section 7). */
export interface RetrySettings {
  /** Attempts in all, the first included: 1 to 20. */
  readonly maxAttempts: number
  /** The pause after the first attempt, in seconds. */
  readonly baseSeconds: number
  /** Each pause is so many times the one before. */
  readonly factor: number
  /** No pause is longer, in seconds. */
  readonly maxSeconds: number
  /** 0 to 1: a pause is shortened or lengthened at random by up to this part of itself. */
  readonly jitter: number
}

/** Eight attempts over about a day: after 30 s, 108 s, 6 min, 23 min, 84 min, 5 h and 18 h. */
export const usualRetry: RetrySettings = {
  maxAttempts: 8,
  baseSeconds: 30,
  factor: 3.6,
  maxSeconds: 86_400,
  jitter: 0.1
}
