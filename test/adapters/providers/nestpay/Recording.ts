import { recordingsOf } from "../recordings.ts"

export const { isPresent, read, readBytes, recorded } = recordingsOf("nestpay")
