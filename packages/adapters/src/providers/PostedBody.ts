/** What simulators read of a request's bytes. No adapter reads by these. */

/** A JSON object as it was posted. */
export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const strict = new TextDecoder("utf-8", { fatal: true })

/** Nothing where the bytes are no JSON object. */
export const jsonOf = (body: Uint8Array | undefined): Json | undefined => {
  try {
    const json: unknown = JSON.parse(strict.decode(body))
    return isJson(json) ? json : undefined
  } catch {
    return undefined
  }
}

const lenient = new TextDecoder()

/** The fields of a browser's form; none where there is no body. */
export const formOf = (body: Uint8Array | undefined): URLSearchParams => new URLSearchParams(lenient.decode(body))
