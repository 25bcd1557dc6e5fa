import { createHmac } from "node:crypto"
import { hmacKey, pspReference, reference } from "./Sample.ts"

/** An item as Adyen posts it, before it is signed. */
export interface Item {
  readonly eventCode: string
  readonly success: string
  readonly pspReference: string
  readonly originalReference?: string
  readonly merchantAccountCode: string
  readonly merchantReference: string
  readonly amount: { readonly value: number; readonly currency: string }
  readonly reason?: string
  readonly additionalData?: Readonly<Record<string, string>>
}

/** Provider sheet, section 3, written out. */
export const signatureOf = (item: Item): string =>
  createHmac("sha256", Buffer.from(hmacKey, "hex"))
    .update(
      `${item.pspReference}:${item.originalReference ?? ""}:${item.merchantAccountCode}:${item.merchantReference}:` +
        `${item.amount.value}:${item.amount.currency}:${item.eventCode}:${item.success}`
    )
    .digest("base64")

export const signed = (item: Item): Item => ({
  ...item,
  additionalData: { ...item.additionalData, hmacSignature: signatureOf(item) }
})

export const webhookOf = (...items: ReadonlyArray<object>) => ({
  live: "false",
  notificationItems: items.map((NotificationRequestItem) => ({ NotificationRequestItem }))
})

export const messageOf = (json: unknown) => ({
  headers: { "content-type": "application/json" },
  query: {},
  body: new TextEncoder().encode(JSON.stringify(json))
})

/** A capture of 4.00 EUR that went through. */
export const item = (changes: Partial<Item> = {}): Item => ({
  eventCode: "CAPTURE",
  success: "true",
  pspReference: "KHQC5N7G84BLNK43",
  originalReference: pspReference,
  merchantAccountCode: "OursECOM",
  merchantReference: reference,
  amount: { value: 400, currency: "EUR" },
  reason: "",
  ...changes
})
