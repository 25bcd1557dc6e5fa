import { createHmac, timingSafeEqual } from "node:crypto"
import { CursorSeals } from "@sarraf/domain/assistants/CursorSeals"
import { Effect, Layer } from "effect"
import { derive, EncryptionKeys } from "./EncryptionKeys.ts"

/** Of HMAC-SHA256, in bytes: RFC 2104, section 5, lets it be cut to half and more. */
const macBytes = 16

/** A place is an identifier of ours. */
const form = /^([\w-]{1,200})\.([\w-]{22})$/u

const macOf = (key: Buffer, context: string, place: string): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify([context, place]))
    .digest()
    .subarray(0, macBytes)

/** The place in base64url, a dot and its signature: under the present key, and read under the old ones too. */
export const layer = Layer.effect(
  CursorSeals,
  Effect.map(EncryptionKeys, ({ current, old }) => {
    const present = derive(current, "assistant cursors")
    const keys = [present, ...old.map((key) => derive(key, "assistant cursors"))]
    return CursorSeals.of({
      seal: (context, place) =>
        `${Buffer.from(place).toString("base64url")}.${macOf(present, context, place).toString("base64url")}`,
      open: (context, cursor) => {
        const [, encoded = "", mac = ""] = form.exec(cursor) ?? []
        const place = Buffer.from(encoded, "base64url").toString()
        const given = Buffer.from(mac, "base64url")
        // One spelling each: what base64 reads loosely is not what was handed out.
        const isOurs =
          given.length === macBytes &&
          Buffer.from(place).toString("base64url") === encoded &&
          given.toString("base64url") === mac
        return isOurs && keys.some((key) => timingSafeEqual(given, macOf(key, context, place))) ? place : undefined
      }
    })
  })
)
