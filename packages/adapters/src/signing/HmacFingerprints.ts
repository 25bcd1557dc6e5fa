import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Effect, Layer } from "effect"
import { derive, EncryptionKeys } from "./EncryptionKeys.ts"

/** The organizations whose key is kept at hand. */
const organizationsMax = 10_000

/** Fingerprints under keys derived from the installation's key: one for requests, one for each organization's cards. */
export const layer = Layer.effect(
  Fingerprints,
  Effect.map(EncryptionKeys, ({ current }) => {
    // Keys are made once: making one costs several times what the digest of a request does.
    const contentKey = createSecretKey(derive(current, "request content"))
    const cardKeys = new Map<string, KeyObject>()
    const cardKey = (organizationId: string): KeyObject => {
      const known = cardKeys.get(organizationId)
      if (known !== undefined) return known
      if (cardKeys.size >= organizationsMax) cardKeys.clear()
      const key = createSecretKey(derive(current, `card fingerprints of ${organizationId}`))
      cardKeys.set(organizationId, key)
      return key
    }
    return Fingerprints.of({
      card: (organizationId, number) =>
        createHmac("sha256", cardKey(organizationId)).update(number.reveal()).digest("hex"),
      content: (text) => createHmac("sha256", contentKey).update(text).digest("hex")
    })
  })
)
