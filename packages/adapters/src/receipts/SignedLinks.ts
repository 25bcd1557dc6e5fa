import { createHmac, timingSafeEqual } from "node:crypto"
import { type LinkedReceipt, ReceiptLinks } from "@sarraf/domain/receipts/ReceiptLinks"
import { Effect, Layer } from "effect"
import { derive, EncryptionKeys } from "../signing/EncryptionKeys.ts"

/*
 * A token has at most a hundred characters, more than which no route takes: the identifiers without their prefixes, the
 * end in milliseconds to the base of 36, a dot, and the signature.
 */
const form = /^([0-9a-z]{26})([0-9a-z]{26})([0-9a-z]{1,9})\.([\w-]{32})$/u

/** Of HMAC-SHA256, in bytes: RFC 2104, section 5, lets it be cut to half and more. */
const macBytes = 24

const suffixOf = (id: string): string => id.slice(id.indexOf("_") + 1)

const contentOf = ({ expiresAt, organizationId, receiptId }: LinkedReceipt): string =>
  `${suffixOf(organizationId)}${suffixOf(receiptId)}${expiresAt.toString(36)}`

const macOf = (key: Buffer, content: string): Buffer =>
  createHmac("sha256", key).update(content).digest().subarray(0, macBytes)

/** Signed under the present key, read under the old ones too. */
export const layer = Layer.effect(
  ReceiptLinks,
  Effect.map(EncryptionKeys, ({ current, old }) => {
    const present = derive(current, "receipt links")
    const keys = [present, ...old.map((key) => derive(key, "receipt links"))]
    return ReceiptLinks.of({
      make: (linked) => `${contentOf(linked)}.${macOf(present, contentOf(linked)).toString("base64url")}`,
      read: (token) => {
        const [, organization, receipt, end = "", mac = ""] = form.exec(token) ?? []
        const given = Buffer.from(mac, "base64url")
        if (given.length !== macBytes) return undefined
        const content = token.slice(0, token.indexOf("."))
        return keys.some((key) => timingSafeEqual(given, macOf(key, content)))
          ? { organizationId: `org_${organization}`, receiptId: `rcp_${receipt}`, expiresAt: Number.parseInt(end, 36) }
          : undefined
      }
    })
  })
)
