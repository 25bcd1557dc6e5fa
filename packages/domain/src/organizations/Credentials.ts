import { Effect, Redacted, Schema } from "effect"
import { VersionConflict } from "../errors/Refusals.ts"
import { Organizations } from "./Organizations.ts"

/** Live mode gives credentials to verified businesses only (contract section 3). */
export class VerificationMissing extends Schema.TaggedError<VerificationMissing>()("VerificationMissing", {
  /** `UNVERIFIED`, `PENDING` or `REJECTED`. */
  verification: Schema.String
}) {}

/** `VerificationMissing` where the process moves real money and the caller's organization is not verified. */
export const requireVerified = Effect.fnUntraced(function* (livemode: boolean) {
  if (!livemode) return
  const { verification } = yield* (yield* Organizations).current
  if (verification !== "VERIFIED") return yield* new VerificationMissing({ verification })
})

/** `VersionConflict` where a change was meant for other versions than the present one; undefined means any. */
export const requireVersion = (
  present: number,
  expected: ReadonlyArray<number> | undefined
): Effect.Effect<void, VersionConflict> =>
  expected === undefined || expected.includes(present) ? Effect.void : Effect.fail(new VersionConflict({ present }))

/** The last four characters of a secret, by which its owner tells it apart. */
export const lastFour = (secret: Redacted.Redacted<string>): string => Redacted.value(secret).slice(-4)
