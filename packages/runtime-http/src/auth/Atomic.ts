import { IdempotencyKey } from "@sarraf/domain/admission/IdempotencyKey"
import { type KeptAnswer, KeptAnswers } from "@sarraf/domain/admission/KeptAnswers"
import { RequestOrigin } from "@sarraf/domain/organizations/RequestOrigin"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import { Headers, HttpBody, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Atomic, BodyForm, ShownOnce } from "../api/atomic.ts"
import * as problems from "../api/problems.ts"
import { AnswerHeaders, withHeader } from "../http/AnswerHeaders.ts"
import { beginWaiting } from "../http/Overload.ts"
import { RequestId } from "../http/RequestId.ts"
import { readBody, readContent, targetOf, unstorableFault } from "./requestBody.ts"

const isIdempotencyKey = Schema.is(IdempotencyKey)

/** A longer answer is not kept: only an export has one, and that changes nothing. */
const keptBytesMax = 1_048_576

/** What is told again with a kept answer. */
const keptHeaders = ["etag", "location", "content-disposition", "x-export-manifest"]

const withoutSecrets = (text: string, shownOnce: ReadonlyArray<string>): string =>
  shownOnce.length === 0
    ? text
    : JSON.stringify(JSON.parse(text, (name, value) => (shownOnce.includes(name) ? undefined : value)))

/** The answer as it is kept; undefined for what is not. */
const keptOf = (
  response: HttpServerResponse.HttpServerResponse,
  asked: ReadonlyMap<string, string>,
  fingerprint: string,
  shownOnce: ReadonlyArray<string>
): KeptAnswer | undefined => {
  const { body, headers, status } = response
  if (status >= 400) return undefined
  const contentType = headers["content-type"] ?? (body._tag === "Uint8Array" ? body.contentType : undefined)
  const kept = Object.fromEntries(
    [...keptHeaders.map((name) => [name, asked.get(name) ?? headers[name]]), ["content-type", contentType]].filter(
      ([, value]) => value !== undefined
    )
  )
  if (body._tag === "Empty") return { fingerprint, status, headers: kept, body: null }
  if (body._tag !== "Uint8Array" || body.body.length > keptBytesMax) return undefined
  return { fingerprint, status, headers: kept, body: withoutSecrets(new TextDecoder().decode(body.body), shownOnce) }
}

const replayed = ({ body, headers, status }: KeptAnswer): HttpServerResponse.HttpServerResponse => {
  const answer = { status, headers: { ...headers, "idempotent-replayed": "true" } }
  return body === null
    ? HttpServerResponse.empty(answer)
    : HttpServerResponse.setBody(HttpServerResponse.empty(answer), HttpBody.text(body, headers["content-type"]))
}

/** Where there is no body, a Content-Type says nothing (contract section 1): `curl -X POST -d ''` sends one all the same. */
const withoutIdleType = ({ isJson }: typeof BodyForm.Service, request: HttpServerRequest.HttpServerRequest) =>
  isJson && request.headers["transfer-encoding"] === undefined && Number(request.headers["content-length"] ?? 0) === 0
    ? request.modify({ headers: Headers.remove(request.headers, "content-type") })
    : request

/** One problem with the faults of both, each path once. */
const withFaultsOf = (one: problems.InvalidRequest, other: problems.InvalidRequest) =>
  new problems.InvalidRequest({
    detail: "Correct the fields in errors and send the request again.",
    errors: [...one.errors, ...other.errors.filter(({ path }) => !one.errors.some((fault) => fault.path === path))]
  })

const withRetryAfter = withHeader("retry-after", "1")

const unavailable = new problems.ServiceUnavailable({
  detail: "It is not certain that it was done. Repeat the request with the same Idempotency-Key."
})

/** Reads of `/api` run as they are; whatever may change something is one unit of work. */
export const layer = Layer.effect(
  Atomic,
  Effect.gen(function* () {
    const units = yield* UnitOfWork
    const answers = yield* KeptAnswers
    const fingerprints = yield* Fingerprints

    /** The key of a POST, and what its request is compared by. */
    const keyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, comparable: string) {
      const key = request.method === "POST" ? request.headers["idempotency-key"] : undefined
      if (key === undefined) return undefined
      if (!isIdempotencyKey(key)) {
        return yield* new problems.InvalidRequest({
          detail: "Correct the header in errors and send the request again.",
          errors: [{ path: "Idempotency-Key", message: "must have 1 to 255 visible ASCII characters" }]
        })
      }
      const target = targetOf(request, yield* HttpRouter.RouteContext)
      return {
        key,
        fingerprint: fingerprints.content(`${target}\n${request.url.replace(/^[^?]*/u, "")}\n${comparable}`)
      }
    })

    const once = <E, R>(
      { fingerprint, key }: { readonly key: string; readonly fingerprint: string },
      shownOnce: ReadonlyArray<string>,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.gen(function* () {
        const claimed = yield* answers.claim(key)
        if (claimed === "running") {
          yield* withRetryAfter
          return yield* new problems.IdempotencyInProgress({
            detail: "The first request with this key is not done. Wait a second, then repeat it with the same key."
          })
        }
        if (claimed !== undefined) {
          if (claimed.fingerprint === fingerprint) return replayed(claimed)
          return yield* new problems.IdempotencyConflict({
            detail: "This Idempotency-Key belongs to another request: use a new key for a new request."
          })
        }
        const asked = new Map<string, string>()
        const response = yield* Effect.provideService(handler, AnswerHeaders, asked)
        const kept = keptOf(response, asked, fingerprint, shownOnce)
        if (kept !== undefined) yield* answers.keep(key, kept)
        return response
      })

    /** Tells what the handler refuses as well, so that all faults come at once; whatever it did is undone. */
    const refusing = <E, R>(fault: problems.InvalidRequest, handler: Effect.Effect<unknown, E, R>) =>
      units.run(Effect.andThen(handler, Effect.fail(fault))).pipe(
        Effect.catchCause(({ reasons }) => {
          const found = reasons.find(Cause.isFailReason)?.error
          return Effect.fail(found instanceof problems.InvalidRequest ? withFaultsOf(found, fault) : fault)
        })
      )

    return (handler, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const origin = {
          requestId: (yield* RequestId) ?? "",
          address: Option.getOrNull(request.remoteAddress)
        }
        if (request.method === "GET" || request.method === "HEAD") {
          return yield* Effect.provideService(handler, RequestOrigin, origin)
        }
        const form = Context.get(endpoint.annotations, BodyForm)
        const body = yield* readBody(form.bytesMax)
        const { comparable, fault } = form.isJson
          ? readContent(body, request.headers["content-type"])
          : { comparable: Buffer.from(body).toString("base64"), fault: undefined }
        if (fault !== undefined) return yield* fault
        const unstorable = form.isJson ? unstorableFault(body) : undefined
        if (unstorable !== undefined) return yield* refusing(unstorable, handler)
        const key = yield* keyOf(request, comparable)
        const work = key === undefined ? handler : once(key, Context.get(endpoint.annotations, ShownOnce), handler)
        const began = yield* beginWaiting
        return yield* units
          .run(
            Effect.suspend(() => {
              began()
              return work
            })
          )
          .pipe(Effect.ensuring(Effect.sync(began)), Effect.provideService(RequestOrigin, origin))
      }).pipe(
        Effect.updateService(HttpServerRequest.HttpServerRequest, (request) =>
          withoutIdleType(Context.get(endpoint.annotations, BodyForm), request)
        ),
        Effect.catchTag("Unavailable", () => Effect.fail(unavailable))
      )
  })
)
