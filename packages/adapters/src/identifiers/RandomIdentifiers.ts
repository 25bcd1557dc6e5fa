import { randomFillSync } from "node:crypto"
import { encodeBase32, Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Clock, Effect, Layer } from "effect"

/** Random bytes are drawn from the system in blocks of this many bytes: a call for each identifier is the dearer part. */
const blockSize = 8_192

/** A source of unpredictable bytes that hands out each byte once. */
const makeRandom = () => {
  const block = new Uint8Array(blockSize)
  let used = blockSize
  return (count: number): Uint8Array => {
    if (count > blockSize) return randomFillSync(new Uint8Array(count))
    if (used + count > blockSize) {
      randomFillSync(block)
      used = 0
    }
    const bytes = block.slice(used, used + count)
    block.fill(0, used, used + count)
    used += count
    return bytes
  }
}

/** UUIDv7 (RFC 9562, 5.7) with a counter in `rand_a` (method 1), so that ids of one process are in order within a millisecond too. */
const makeUuid7 = () => {
  let lastMillis = 0
  let counter = 0
  return (now: number, random: Uint8Array): Uint8Array => {
    if (now > lastMillis) {
      lastMillis = now
      counter = ((random[8] ?? 0) << 2) & 0x3ff
    } else if (++counter > 0xfff) {
      lastMillis++
      counter = 0
    }
    const bytes = random
    bytes[0] = Math.floor(lastMillis / 2 ** 40)
    bytes[1] = Math.floor(lastMillis / 2 ** 32) & 0xff
    bytes[2] = (lastMillis >>> 24) & 0xff
    bytes[3] = (lastMillis >>> 16) & 0xff
    bytes[4] = (lastMillis >>> 8) & 0xff
    bytes[5] = lastMillis & 0xff
    bytes[6] = 0x70 | (counter >>> 8)
    bytes[7] = counter & 0xff
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
    return bytes
  }
}

/** Identifiers from the system's randomness and the fiber's clock. */
export const layer = Layer.sync(Identifiers, () => {
  const random = makeRandom()
  const uuid7 = makeUuid7()
  return Identifiers.of({
    next: (prefix) => Effect.map(Clock.currentTimeMillis, (now) => `${prefix}_${encodeBase32(uuid7(now, random(16)))}`),
    randomBytes: (count) => Effect.sync(() => random(count))
  })
})
