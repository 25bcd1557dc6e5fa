import { createHmac, timingSafeEqual } from "node:crypto"
import type { Item } from "./Messages.ts"

/**
 * The signature of a notification's item: base64 of HMAC-SHA256, keyed with the decoded hexadecimal key, over eight values
 * joined by colons; a missing one is empty. Source: provider sheet, section 3.
 */
export const sign = (item: Item, hmacKey: string): string => {
  const { amount, eventCode, merchantAccountCode, merchantReference, originalReference, pspReference, success } = item
  const signed = [
    pspReference,
    originalReference ?? "",
    merchantAccountCode,
    merchantReference ?? "",
    `${amount?.value ?? ""}`,
    amount?.currency ?? "",
    eventCode,
    success
  ]
  return createHmac("sha256", Buffer.from(hmacKey, "hex")).update(signed.join(":"), "utf8").digest("base64")
}

/** Compares in constant time; a missing signature is a wrong one. */
export const isGenuine = (item: Item, hmacKey: string): boolean => {
  const given = Buffer.from(item.additionalData?.hmacSignature ?? "", "utf8")
  const right = Buffer.from(sign(item, hmacKey), "utf8")
  return given.length === right.length && timingSafeEqual(given, right)
}
