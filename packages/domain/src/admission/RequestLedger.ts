import { Context, type Effect, Schema } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { SignatureUse, SignatureVerdict } from "./SpentSignature.ts"

/** A signed request that may change something, before its content is looked at. */
export interface SignedRequest {
  readonly organizationId: string
  readonly clientId: string
  /** SHA-256 of the signature, lower-case hex: the signature itself is kept nowhere. */
  readonly signatureDigest: string
  /** When the signature stops being accepted anyway, epoch milliseconds. */
  readonly signatureExpiresAt: number
  readonly use: SignatureUse
  /** No body, or `{}`: signed like a reading of the same millisecond. */
  readonly isBodiless: boolean
  /** HMAC of method, path and body without `cardCvc`, lower-case hex. */
  readonly fingerprint: string
}

/** What an admitted request began: an Idempotency-Key, or the signature where there was none, is spent on it. */
export interface RequestRecord {
  readonly organizationId: string
  readonly caller: string
  /** The Idempotency-Key, or `signature:` and the digest with the target. */
  readonly key: string
  readonly fingerprint: string
  readonly paymentId: string
  readonly operationId: string | null
}

export interface Admission {
  readonly verdict: SignatureVerdict
  /** The key under which what is begun now is to be recorded. */
  readonly key: string
  /** What was begun under this key before. */
  readonly record: RequestRecord | undefined
}

/** Two requests with one key at the same moment: the other one was first. */
export class RequestAlreadyBegun extends Schema.TaggedError<RequestAlreadyBegun>()("RequestAlreadyBegun", {
  key: Schema.String
}) {}

/** Remembers which signatures were used and what each Idempotency-Key began. */
export class RequestLedger extends Context.Service<
  RequestLedger,
  {
    /** Spends the signature and looks the key up, in one step. */
    admit(request: SignedRequest): Effect.Effect<Admission, Unavailable>
    /**
     * Remembers, in this process, that a signature read something; one signature reads several things within a second,
     * for clients ask in parallel. False: it was used to read something else before that.
     */
    admitRead(signatureDigest: string, target: string, now: number): boolean
    /** What was begun under this key, read again. */
    find(organizationId: string, caller: string, key: string): Effect.Effect<RequestRecord | undefined, Unavailable>
  }
>()("@sarraf/domain/admission/RequestLedger") {}
