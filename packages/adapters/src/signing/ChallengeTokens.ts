import { createCipheriv, createDecipheriv, createHmac } from "node:crypto"
import { encodeBase32 } from "@sarraf/domain/identifiers/TypeId"
import { type ChallengeOwner, ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import { Effect, Layer, type Redacted } from "effect"
import { derive, EncryptionKeys, keyId } from "./EncryptionKeys.ts"

/*
 * A token is base64url of: flags (1 byte), key id (3), nonce (12), tag (16), and the sealed owner: organization id and
 * payment id (16 bytes each where they are TypeIDs, else two bytes of length and UTF-8), then the client id.
 */
const keyIdBytes = 3
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + keyIdBytes
const sealedFrom = headBytes + nonceBytes + tagBytes

const isLive = 1
const isShortOrganization = 2
const isShortPayment = 4

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The 16 bytes of a TypeID's suffix; undefined for what is no TypeID with this prefix. */
const compact = (prefix: string, id: string): Buffer | undefined => {
  if (!new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u").test(id)) return undefined
  let value = 0n
  for (const digit of id.slice(prefix.length + 1)) value = (value << 5n) | BigInt(alphabet.indexOf(digit))
  return Buffer.from(value.toString(16).padStart(32, "0"), "hex")
}

const withLength = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

interface Plain {
  readonly flags: number
  readonly content: Buffer
}

const write = ({ caller, paymentId }: ChallengeOwner): Plain => {
  const organization = compact("org", caller.organizationId)
  const payment = compact("txn", paymentId)
  const flags =
    (caller.livemode ? isLive : 0) |
    (organization === undefined ? 0 : isShortOrganization) |
    (payment === undefined ? 0 : isShortPayment)
  return {
    flags,
    content: Buffer.concat([
      organization ?? withLength(caller.organizationId),
      payment ?? withLength(paymentId),
      Buffer.from(caller.clientId)
    ])
  }
}

/** What was written is known to be whole: its tag was right. */
const read = ({ content, flags }: Plain): ChallengeOwner => {
  let at = 0
  const take = (length: number): Buffer => {
    at += length
    return content.subarray(at - length, at)
  }
  const id = (prefix: string, isShort: boolean): string =>
    isShort ? `${prefix}_${encodeBase32(take(16))}` : take(take(2).readUInt16BE()).toString()
  const organizationId = id("org", (flags & isShortOrganization) !== 0)
  const paymentId = id("txn", (flags & isShortPayment) !== 0)
  const clientId = content.subarray(at).toString()
  return { caller: { organizationId, clientId, livemode: (flags & isLive) !== 0 }, paymentId }
}

/**
 * Seals under one installation key: AES-256-GCM with a nonce that is an HMAC of the content under a second key, so that
 * the same owner always has the same token and no two contents share a nonce.
 */
const sealer = (key: Redacted.Redacted<Uint8Array>) => {
  const cipherKey = derive(key, "challenge tokens")
  const nonceKey = derive(key, "challenge token nonces")
  const id = Buffer.from(keyId(key), "hex").subarray(0, keyIdBytes)
  const seal = ({ content, flags }: Plain): string => {
    const head = Buffer.concat([Buffer.of(flags), id])
    const nonce = createHmac("sha256", nonceKey).update(head).update(content).digest().subarray(0, nonceBytes)
    const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce).setAAD(head)
    const sealed = Buffer.concat([cipher.update(content), cipher.final()])
    return Buffer.concat([head, nonce, cipher.getAuthTag(), sealed]).toString("base64url")
  }
  const open = (token: Buffer): Plain | undefined => {
    const head = token.subarray(0, headBytes)
    const nonce = token.subarray(headBytes, headBytes + nonceBytes)
    const decipher = createDecipheriv("aes-256-gcm", cipherKey, nonce, { authTagLength: tagBytes })
      .setAAD(head)
      .setAuthTag(token.subarray(headBytes + nonceBytes, sealedFrom))
    try {
      const content = Buffer.concat([decipher.update(token.subarray(sealedFrom)), decipher.final()])
      return { flags: head.at(0) ?? 0, content }
    } catch {
      return undefined
    }
  }
  return { id: id.toString("hex"), seal, open }
}

/**
 * Tokens under the installation's keys: made with the present one, read with the old ones too. `baseUrl` is the public
 * address without a slash at its end. A token of a client with a short id has about a hundred characters. Where
 * `livemode` is given, one of the other mode is read as none: a database may have been used in both.
 */
export const layer = ({ baseUrl, livemode }: { readonly baseUrl: string; readonly livemode?: boolean }) =>
  Layer.effect(
    ChallengeTokens,
    Effect.map(EncryptionKeys, ({ current, old }) => {
      const present = sealer(current)
      const sealers = new Map([...old.map(sealer), present].map((one) => [one.id, one]))
      return ChallengeTokens.of({
        urlOf: (owner) => `${baseUrl}/pf/v1/3ds/${present.seal(write(owner))}`,
        read: (token) => {
          const bytes = Buffer.from(token, "base64url")
          // Decoding passes over strange characters and spare bits: one token has one spelling.
          if (bytes.length < sealedFrom || bytes.toString("base64url") !== token) return undefined
          const plain = sealers.get(bytes.subarray(1, headBytes).toString("hex"))?.open(bytes)
          const owner = plain === undefined ? undefined : read(plain)
          return owner?.caller.livemode === (livemode ?? owner?.caller.livemode) ? owner : undefined
        }
      })
    })
  )
