import { recordingsOf } from "../recordings.ts"

export const { index, isPresent, read, readBytes, recorded } = recordingsOf("nestpay")

/** The recordings of 3-D Secure that have a test of their own; its completions are compared with the other transactions. */
export const threeDSFiles: ReadonlyArray<string> = [
  "3ds-init-form-ver3.request.json",
  "3ds-complete.request.json",
  "3ds-callback-authenticated.response.json",
  "3ds-callback-not-authenticated.response.json",
  "3ds-callback-invalid-card.response.json",
  "3dpay-callback-approved-ver3.response.json"
]
