import type { HttpServerResponse } from "effect/http"
import { problemResponse } from "./Problem.ts"

const nul = /%00/

const namesWithNul = (query: string): ReadonlyArray<string> => [
  ...new Set([...new URLSearchParams(query)].filter((pair) => pair.join("").includes("\u0000")).map(([name]) => name))
]

/**
 * The answer to an address that contains U+0000, which no text here may (contract section 1) and PostgreSQL does not
 * take: nothing has such an identifier, and no filter such a value. `undefined` for all others.
 */
export const refuseNul = (url: string): HttpServerResponse.HttpServerResponse | undefined => {
  if (!nul.test(url)) return undefined
  const [path = "", ...rest] = url.split("?")
  if (nul.test(path)) return problemResponse("NOT_FOUND")
  const errors = namesWithNul(rest.join("?")).map((name) => ({
    path: name.replaceAll("\u0000", "\ufffd").slice(0, 64),
    message: "must not contain U+0000"
  }))
  return problemResponse("INVALID_REQUEST", {
    detail: "Correct the fields in errors and send the request again.",
    errors
  })
}
