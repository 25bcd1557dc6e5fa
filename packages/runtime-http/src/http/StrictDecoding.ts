import { Effect } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { StrictDecoding } from "../api/middleware.ts"
import { InvalidRequest } from "../api/problems.ts"
import { type Fault, formatFaults } from "./formatFaults.ts"

const subjects = { Params: "the path", Headers: "the headers", Query: "the query", Payload: "the body" } as const

/** The decoder's own words for a body that is not JSON. */
const notJson = "Expected a valid JSON body"

/** A fault of the whole has no path, so its message names what is meant. */
const named = (subject: string, { message, path }: Fault): Fault =>
  path === ""
    ? { path, message: message === notJson ? `${subject} must be well-formed JSON` : `${subject} ${message}` }
    : { path, message }

/** Turns what did not decode into INVALID_REQUEST. An answer that does not encode is our fault and stays a defect. */
const toProblem = (error: HttpApiError.HttpApiSchemaError) => {
  const { cause, kind } = error
  if (kind === "Body" || kind === "ResponseHeaders") return Effect.fail(error)
  const errors = formatFaults(cause.issue).map((fault) => named(subjects[kind], fault))
  return Effect.fail(new InvalidRequest({ detail: "Correct the fields in errors and send the request again.", errors }))
}

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(StrictDecoding, toProblem)
