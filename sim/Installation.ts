import { createHash } from "node:crypto"
import * as MemoryChallengeSteps from "@sarraf/adapters/memory/MemoryChallengeSteps"
import * as MemoryFollowUps from "@sarraf/adapters/memory/MemoryFollowUps"
import * as MemoryNotificationInbox from "@sarraf/adapters/memory/MemoryNotificationInbox"
import * as MemoryPaymentStore from "@sarraf/adapters/memory/MemoryPaymentStore"
import * as MemoryRequestLedger from "@sarraf/adapters/memory/MemoryRequestLedger"
import { encodeBase32, Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Clock, Effect, Layer } from "effect"
import { drawsOf } from "../crash/Draw.ts"

/** The only client of the simulated installation. */
export const caller = {
  organizationId: "org_01h455vb4pex5vsknk084sn02q",
  clientId: "shop",
  livemode: false
}

const pages = "https://gateway.test/pf/v1/3ds/"

/** Tokens that can be read, which no real one can: they are the payment's id. */
const tokens = Layer.succeed(
  ChallengeTokens,
  ChallengeTokens.of({
    urlOf: ({ paymentId }) => `${pages}${paymentId}`,
    read: (paymentId) => ({ caller, paymentId })
  })
)

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const fingerprints = Layer.succeed(
  Fingerprints,
  Fingerprints.of({
    card: (organizationId, { last4 }) => sha256(`${organizationId} ${last4}`),
    content: sha256
  })
)

/** Identifiers and references from the seed: each once, and sorted by their time. */
const identifiers = (seed: number) =>
  Layer.sync(Identifiers, () => {
    const { whole } = drawsOf(seed, "identifiers")
    const random = (count: number) => Uint8Array.from({ length: count }, () => whole(0, 255))
    let lastMillis = 0
    let count = 0
    return Identifiers.of({
      next: (prefix) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          lastMillis = Math.max(lastMillis, now)
          const bytes = random(16)
          const view = new DataView(bytes.buffer)
          view.setUint16(0, Math.floor(lastMillis / 2 ** 32))
          view.setUint32(2, lastMillis % 2 ** 32)
          view.setUint16(6, 0x7000 | (++count & 0xfff))
          return `${prefix}_${encodeBase32(bytes)}`
        }),
      randomBytes: (length) => Effect.sync(() => random(length))
    })
  })

/** What all processes of the installation share: the stores, in memory, and the services that have no state. */
export const layer = (seed: number) =>
  Layer.mergeAll(
    MemoryPaymentStore.layer,
    MemoryFollowUps.layer,
    MemoryNotificationInbox.layer,
    MemoryChallengeSteps.layer,
    MemoryRequestLedger.layer,
    identifiers(seed),
    fingerprints,
    tokens
  )
