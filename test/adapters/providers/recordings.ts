import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import type { Echo, Outcome, ProviderAnswer } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { type Effect, Schema } from "effect"

const root = process.env.SARRAF_RECORDINGS ?? join(import.meta.dirname, "../../../../shared/providers/fixtures")
const absent = "The recordings are not at hand: set SARRAF_RECORDINGS to their folder."

const Text = Schema.optionalKey(Schema.String)
const Flag = Schema.optionalKey(Schema.Boolean)
const Expectation = Schema.Struct({
  outcome: Text,
  errorCode: Text,
  providerReference: Text,
  responseCode: Text,
  providerErrorCode: Text,
  reasonCode: Text,
  declineCode: Text,
  authCode: Text,
  hostRefNum: Text,
  cardIssuer: Text,
  paymentTransactionId: Text,
  amount: Text,
  amountMinor: Schema.optionalKey(Schema.Number),
  paidPrice: Text,
  currency: Text,
  state: Text,
  status: Text,
  transStat: Text,
  chargeType: Text,
  threeDS: Text,
  mdStatus: Text,
  eci: Text,
  storeKey: Text,
  signatureValid: Flag,
  duplicate: Flag,
  misconfiguration: Flag,
  notFound: Flag,
  useVoidInstead: Flag
})
/** What a recording has to be read as; each has the few members that it is about. */
export type Expectation = typeof Expectation.Type

const Recording = Schema.Struct({
  file: Schema.String,
  operation: Schema.String,
  kind: Schema.String,
  expect: Expectation,
  httpStatus: Schema.optionalKey(Schema.Number)
})
export type Recording = typeof Recording.Type
const decodeIndex = Schema.decodeUnknownSync(Schema.Array(Recording))

/** One provider's recordings: in `SARRAF_RECORDINGS`, by default `../shared/providers/fixtures` beside the repository. */
export const recordingsOf = (provider: string) => {
  const folder = resolve(root, provider)
  const isPresent = existsSync(join(folder, "index.json"))
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8"))
  return {
    isPresent,
    /** Empty where the recordings are not at hand. */
    index: isPresent ? decodeIndex(read("index.json")) : [],
    readBytes: (file: string): Uint8Array => readFileSync(join(folder, file)),
    /** A recording kept as JSON. */
    read,
    /** A test of recordings; reported as skipped, with the reason, where they are not at hand. */
    recorded: (name: string, test: () => Effect.Effect<void>) =>
      isPresent ? it.effect(name, test) : it(name, (context) => context.skip(absent))
  }
}

interface Told {
  readonly code?: string
  readonly stage?: string
  readonly answer?: ProviderAnswer
  readonly providerReference?: string
  readonly echo?: Echo
}

/** What a result of the right kind tells; undefined where that kind settles nothing. */
export const toldBy = (result: Outcome | Finding, tag: string): Told | undefined => {
  assert.strictEqual(result._tag, tag, "reason" in result ? `${result.reason}` : "")
  return result._tag === "Unanswered" || result._tag === "Unknown" || result._tag === "NotSent" ? undefined : result
}
