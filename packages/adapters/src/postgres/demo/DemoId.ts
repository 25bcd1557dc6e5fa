import { encodeBase32 } from "@sarraf/domain/identifiers/TypeId"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { DemoRandom } from "./DemoRandom.ts"

/** An identifier of that time (UUIDv7; RFC 9562, 5.7), `ctx_…`, so that what is later sorts later. */
export const demoId = (prefix: string, at: Instant, random: DemoRandom): string => {
  const bytes = Uint8Array.from({ length: 16 }, () => random.between(0, 255))
  new DataView(bytes.buffer).setBigUint64(0, (BigInt(at) << 16n) | 0x7000n | BigInt(random.between(0, 4095)))
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return `${prefix}_${encodeBase32(bytes)}`
}
