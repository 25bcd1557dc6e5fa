import { Context, type Effect, type Redacted, Schema } from "effect"

/**
 * Too many wrong codes of the person, who has to wait some minutes (RFC 4226, 7.3). Whoever tries codes has the password
 * already, so that nobody else can bring this about.
 */
export class CodesSpent extends Schema.TaggedError<CodesSpent>()("CodesSpent", {}) {}

/** A second factor that was just made; the secret is shown once. */
export interface NewSecondFactor {
  /** Base32, for typing in. */
  readonly secret: Redacted.Redacted<string>
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: Redacted.Redacted<string>
  /** As it is stored. */
  readonly sealed: string
}

/** Driven port: time-based one-time passwords (RFC 6238): six digits, a new code every 30 seconds. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    make(person: { readonly id: string; readonly email: string }): Effect.Effect<NewSecondFactor>
    /**
     * The number of the 30 seconds since 1970 that the code is of; undefined for a wrong one. The step before now and the
     * one after it count too, for clocks that differ (RFC 6238, 5.2).
     */
    stepOf(factor: {
      readonly personId: string
      readonly sealed: string
      readonly code: Redacted.Redacted<string>
    }): Effect.Effect<number | undefined, CodesSpent>
  }
>()("@sarraf/domain/organizations/SecondFactors") {}
