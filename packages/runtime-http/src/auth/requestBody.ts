import { isUtf8 } from "node:buffer"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as problems from "../api/problems.ts"
import { requestContent } from "./requestContent.ts"
import { unstorablePath } from "./unstorableText.ts"

/** The raw bytes, `bytesMax` at most. */
export const readBody = Effect.fnUntraced(function* (bytesMax: number) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = yield* request.arrayBuffer.pipe(
    Effect.catchTag("HttpServerError", ({ reason }) =>
      Effect.fail(
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? new problems.PayloadTooLarge({ detail: `A body may have ${bytesMax} bytes at most.` })
          : new problems.InvalidRequest({ detail: "The body could not be read.", errors: [] })
      )
    )
  )
  return new Uint8Array(body)
})

/**
 * What a signature is spent on: the method and the route that serves the request, `POST /pf/v1/payments/txn_…/capture`.
 * Not the path as sent, for the router takes other spellings of it too: another case, doubled slashes, percent-encoding.
 */
export const targetOf = ({ method }: HttpServerRequest.HttpServerRequest) =>
  Effect.map(HttpRouter.RouteContext, ({ params, route }) => {
    const path = route.path.replace(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""))
    return `${method} ${path}`
  })

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
  const { comparable, inexact, tooDeep } = requestContent(new TextDecoder().decode(body))
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
  const path = unstorablePath(new TextDecoder().decode(body))
  return path === undefined ? undefined : faultAt("must not contain U+0000 or an unpaired surrogate", path)
}
