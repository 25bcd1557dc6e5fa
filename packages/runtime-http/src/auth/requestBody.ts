import { isUtf8 } from "node:buffer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { type HttpRouter, HttpServerRequest } from "effect/http"
import * as problems from "../api/problems.ts"
import { requestContent } from "./requestContent.ts"
import { unstorablePath } from "./unstorableText.ts"

type Request = HttpServerRequest.HttpServerRequest

type BodyFault = problems.InvalidRequest | problems.PayloadTooLarge

/** RFC 9112, section 6.3: without either header there is no body. */
const hasBody = ({ headers }: Request) =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

const nothing = new Uint8Array(0)

/** Takes the body from Node's message itself: it is read for every payment, and the platform's own way costs far more. */
const receive = (request: Request, bytesMax: number) =>
  Effect.callback<Uint8Array, BodyFault>((resume) => {
    const message = NodeHttpServerRequest.toIncomingMessage(request)
    const chunks: Array<Buffer> = []
    let length = 0
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length <= bytesMax) {
        chunks.push(chunk)
        return
      }
      // The rest flows on unread, so that the client comes to read the answer.
      message.off("data", take).resume()
      resume(Effect.fail(new problems.PayloadTooLarge({ detail: `A body may have ${bytesMax} bytes at most.` })))
    }
    const broken = () =>
      resume(Effect.fail(new problems.InvalidRequest({ detail: "The body could not be read.", errors: [] })))
    const complete = () => {
      message.off("close", broken)
      const [first = nothing] = chunks
      resume(Effect.succeed(chunks.length <= 1 ? first : Buffer.concat(chunks)))
    }
    if (message.destroyed) return broken()
    message.on("data", take).once("end", complete).once("close", broken)
    return Effect.sync(() => message.destroy())
  })

const decoder = new TextDecoder()

/** Leaves the bytes with the request, where its decoder and its handler find what the socket gives only once. */
const keep = (request: Request, body: Uint8Array) => {
  Object.defineProperty(request, "arrayBuffer", { value: Effect.sync(() => new Uint8Array(body).buffer) })
  return body
}

/** The raw bytes, `bytesMax` at most. Whoever asks again is given those that were read before. */
export const readBody = (bytesMax: number): Effect.Effect<Uint8Array, BodyFault, Request> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (!hasBody(request)) return Effect.succeed(nothing)
    return Object.hasOwn(request, "arrayBuffer")
      ? Effect.map(Effect.orDie(request.arrayBuffer), (body) => new Uint8Array(body))
      : Effect.map(receive(request, bytesMax), (body) => keep(request, body))
  })

/**
 * What a signature is spent on: the method and the route that serves the request, `POST /pf/v1/payments/txn_…/capture`.
 * Not the path as sent, for the router takes other spellings of it too: another case, doubled slashes, percent-encoding.
 */
export const targetOf = (
  { method }: HttpServerRequest.HttpServerRequest,
  { params, route }: HttpRouter.RouteContext["Service"]
): string => `${method} ${route.path.replace(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""))}`

/** A body is JSON and says so (specification 5.1); where there is none nothing has to be said (contract section 1). */
const isJson = (body: Uint8Array, contentType: string | undefined) =>
  body.length === 0 || /^application\/json\s*(;|$)/iu.test(contentType ?? "")

interface ReadBody {
  /** For comparing one request with another. */
  readonly comparable: string
  /** A fault of the body that the schema cannot see; told after signature and key have been looked at. */
  readonly fault?: problems.InvalidRequest | problems.UnsupportedMediaType
}

const faultAt = (message: string, path = "") =>
  new problems.InvalidRequest({
    detail: "Correct the fields in errors and send the request again.",
    errors: [{ path, message }]
  })

/** What the body says, and a fault of it that no schema sees. */
export const readContent = (body: Uint8Array, contentType: string | undefined): ReadBody => {
  if (!isUtf8(body))
    return { comparable: Buffer.from(body).toString("base64"), fault: faultAt("the body must be UTF-8") }
  const { comparable, inexact, tooDeep } = requestContent(decoder.decode(body))
  if (!isJson(body, contentType)) {
    const detail = "Send the body as JSON with Content-Type: application/json."
    return { comparable, fault: new problems.UnsupportedMediaType({ detail }) }
  }
  if (tooDeep) return { comparable, fault: faultAt("the body must not be nested more than 32 levels deep") }
  const [first] = inexact
  return first === undefined
    ? { comparable }
    : { comparable, fault: faultAt("has more digits than can be told apart", first) }
}

/** The fault of a text that cannot be stored, wherever in the body it stands; undefined where there is none. */
export const unstorableFault = (body: Uint8Array): problems.InvalidRequest | undefined => {
  const path = unstorablePath(decoder.decode(body))
  return path === undefined ? undefined : faultAt("must not contain U+0000 or an unpaired surrogate", path)
}
