import { hash } from "node:crypto"
import { IdempotencyKey } from "@sarraf/domain/admission/IdempotencyKey"
import { type Admission, RequestLedger, type SignedRequest } from "@sarraf/domain/admission/RequestLedger"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { type PaymentClient, PaymentClients } from "@sarraf/domain/organizations/PaymentClients"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Signature, SignedRequestContext } from "../api/middleware.ts"
import * as problems from "../api/problems.ts"
import { waited } from "../http/Overload.ts"
import { RequestId } from "../http/RequestId.ts"
import { GatewayMode } from "./GatewayMode.ts"
import { GatewayRateLimit } from "./GatewayRateLimit.ts"
import { readBody, readContent, targetOf } from "./requestBody.ts"
import { isSignedBy, type Signable } from "./signedText.ts"

/** How old a timestamp may be (specification 5.1), and how far a client's clock may be ahead. */
const timestampMillisMax = 5 * 60_000

const isIdempotencyKey = Schema.is(IdempotencyKey)

/** Compared with where no client is known, so that the answer takes as long. */
const nobody = ["nobody has this secret"]

/** The headers of a signed request, or which of them is missing or malformed. */
const readHeaders = (headers: Readonly<Record<string, string | undefined>>) => {
  const { "x-client-id": clientId, "x-signature": signature, "x-timestamp": timestamp } = headers
  const missing = ["x-client-id", "x-signature", "x-timestamp"].filter((name) => !headers[name])
  if (clientId === undefined || signature === undefined || timestamp === undefined || missing.length > 0) {
    return new problems.InvalidSignature({ detail: `Send the header ${missing.join(", ")} with every request.` })
  }
  if (!/^\d{1,16}$/u.test(timestamp)) {
    return new problems.InvalidSignature({ detail: "x-timestamp must be the Unix time in milliseconds, digits only." })
  }
  if (!/^[0-9a-f]{64}$/u.test(signature)) {
    return new problems.InvalidSignature({
      detail: "x-signature must be an HMAC-SHA256 as 64 lowercase hexadecimal digits."
    })
  }
  const version = headers["x-signature-version"] ?? "1"
  if (version !== "1" && version !== "2") {
    return new problems.InvalidSignature({ detail: "x-signature-version must be 1 or 2." })
  }
  const idempotencyKey = headers["idempotency-key"]
  return {
    clientId,
    signature: Buffer.from(signature, "hex"),
    timestamp,
    version: version === "2" ? 2 : 1,
    idempotencyKey
  } as const
}

type SignedHeaders = Exclude<ReturnType<typeof readHeaders>, problems.InvalidSignature>

/** `POST /pf/v1/payments/txn_…/capture` → `capture`: the same for all payments. */
const operationOf = (target: string): string =>
  /^(?:GET|HEAD) /u.test(target) ? "read" : target.slice(target.lastIndexOf("/") + 1)

const badSignature = new problems.InvalidSignature({
  detail:
    "Sign the text of x-timestamp followed by the exact bytes of the body with the client secret, and check x-client-id."
})

/** What else the client has to fulfil; undefined where it does. */
const refusalOfClient = ({ isVerified, strictSignatures }: PaymentClient, version: 1 | 2, livemode: boolean) => {
  if (strictSignatures && version === 1) {
    return new problems.InvalidSignature({ detail: "This organization accepts x-signature-version: 2 only." })
  }
  return livemode && !isVerified
    ? new problems.VerificationRequired({
        detail: "Complete the business verification of your organization first."
      })
    : undefined
}

const usedForAnother = () =>
  new problems.SignatureReused({
    detail: "This signature was used for another request: sign each request with its own timestamp."
  })

/** Why the signature or the key does not take this request; undefined where they do. */
const refusalOf = ({ record, verdict }: Admission, fingerprint: string) => {
  if (verdict === "spent") return usedForAnother()
  if (verdict === "otherKey") {
    return new problems.SignatureReusedUnderNewKey({
      detail: "This signature was used with another Idempotency-Key: repeat it with that key, or sign anew."
    })
  }
  return record === undefined || record.fingerprint === fingerprint
    ? undefined
    : new problems.IdempotencyConflict({
        detail: "This Idempotency-Key belongs to another request: use a new key for a new request."
      })
}

/** The checks of the contract's section 3, in its order; then the handler runs as the client that signed. */
export const layer = Layer.effect(
  Signature,
  Effect.gen(function* () {
    const clients = yield* PaymentClients
    const ledger = yield* RequestLedger
    const fingerprints = yield* Fingerprints
    const rateLimit = yield* GatewayRateLimit
    const { livemode } = yield* GatewayMode

    const authenticate = Effect.fnUntraced(function* (headers: SignedHeaders, signable: Signable, address: string) {
      const found = yield* clients.find(headers.clientId)
      // A sandbox client is unknown in live mode, and a live one in TEST mode (contract section 3).
      const client = found?.livemode === livemode ? found : undefined
      const secrets = client === undefined ? nobody : client.secrets.map(Redacted.value)
      const isRight = isSignedBy(secrets, headers.signature, signable, headers.version)
      if (!isRight || client === undefined) {
        yield* rateLimit.countFailure(address)
        return yield* badSignature
      }
      const refusal = refusalOfClient(client, headers.version, livemode)
      return refusal === undefined ? client : yield* refusal
    })

    const check = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const body = yield* readBody(262_144)
      const headers = readHeaders(request.headers)
      if (headers instanceof problems.InvalidSignature) return yield* headers
      const now = yield* Clock.currentTimeMillis
      const sentAt = Number(headers.timestamp)
      if (Math.abs(now - sentAt) > timestampMillisMax) {
        return yield* new problems.TimestampExpired({
          detail: `x-timestamp must be the present Unix time in milliseconds: it may differ from ours (${now}) by 5 minutes at most.`
        })
      }
      const { idempotencyKey } = headers
      const signable: Signable = {
        timestamp: headers.timestamp,
        method: request.method,
        target: request.url,
        body,
        idempotencyKey
      }
      const address = Option.getOrElse(request.remoteAddress, () => "unknown")
      const client = yield* authenticate(headers, signable, address)
      yield* rateLimit.consume(client.clientId)
      if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
        return yield* new problems.InvalidRequest({
          detail: "Correct the header in errors and send the request again.",
          errors: [{ path: "Idempotency-Key", message: "must have 1 to 255 visible ASCII characters" }]
        })
      }
      const target = targetOf(request, yield* HttpRouter.RouteContext)
      const operation = operationOf(target)
      const digest = hash("sha256", headers.signature, "hex")
      const actor = { name: `client:${client.clientId}`, requestId: (yield* RequestId) ?? "" }
      if (operation === "read") {
        if (!ledger.admitRead(digest, request.url, now)) return yield* usedForAnother()
        return { client, admitted: { key: { key: "", fingerprint: "" }, record: undefined, actor } }
      }
      const { comparable, fault } = readContent(body, request.headers["content-type"])
      const fingerprint = fingerprints.content(`${target}\n${comparable}`)
      const signed: SignedRequest = {
        organizationId: client.organizationId,
        clientId: client.clientId,
        signatureDigest: digest,
        signatureExpiresAt: sentAt + timestampMillisMax,
        isBodiless: comparable === "{}",
        use: { target, operation, idempotencyKey: idempotencyKey ?? null, usedAt: now },
        fingerprint
      }
      const admission = yield* waited(ledger.admit(signed))
      const refusal = refusalOf(admission, fingerprint) ?? fault
      if (refusal !== undefined) return yield* refusal
      return { client, admitted: { key: { key: admission.key, fingerprint }, record: admission.record, actor } }
    }).pipe(
      Effect.catchTag("Unavailable", () =>
        Effect.fail(
          new problems.ServiceUnavailable({
            detail: "Nothing was begun. Repeat the request with the same Idempotency-Key."
          })
        )
      )
    )

    return (handler) =>
      Effect.flatMap(check, ({ admitted, client }) =>
        handler.pipe(
          Effect.provideService(GatewayCaller, {
            organizationId: client.organizationId,
            clientId: client.clientId,
            livemode
          }),
          Effect.provideService(SignedRequestContext, admitted)
        )
      )
  })
)
