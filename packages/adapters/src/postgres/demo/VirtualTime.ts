import { encodeBase32, Identifiers } from "@sarraf/domain/identifiers/TypeId"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Clock, Effect } from "effect"
import { makeDemoRandom } from "./DemoRandom.ts"

interface Scheduled {
  readonly at: Instant
  readonly number: number
  readonly run: Effect.Effect<unknown, unknown>
}

/** A time that stands still while something happens and then goes on to what happens next. */
export const makeVirtualTime = (seed: number) => {
  let now = 0
  let count = 0
  const queue: Array<Scheduled> = []

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: () => Effect.die(new Error("Nothing sleeps in virtual time"))
  }

  const random = makeDemoRandom(seed)
  let idMillis = 0
  let counter = 0
  /** UUIDv7 (RFC 9562, 5.7) of the virtual time, with a counter, so that later ones sort after earlier ones. */
  const uuid7 = (): Uint8Array => {
    counter = now > idMillis ? 0 : counter + 1
    idMillis = Math.max(idMillis, now)
    const bytes = Uint8Array.from({ length: 16 }, () => random.between(0, 255))
    new DataView(bytes.buffer).setBigUint64(0, (BigInt(idMillis) << 16n) | 0x7000n | BigInt(counter & 0xfff))
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
    return bytes
  }
  const identifiers = Identifiers.of({
    next: (prefix) => Effect.sync(() => `${prefix}_${encodeBase32(uuid7())}`),
    randomBytes: (length) => Effect.sync(() => Uint8Array.from({ length }, () => random.between(0, 255)))
  })

  /** What comes before another: the earlier, then what was scheduled first. */
  const isBefore = (one: Scheduled, other: Scheduled) =>
    one.at < other.at || (one.at === other.at && one.number < other.number)

  /** Kept in order, the next one last. */
  const schedule = (at: Instant, run: Effect.Effect<unknown, unknown>): void => {
    const added = { at, number: count++, run }
    let [low, high] = [0, queue.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = queue[middle]
      if (other !== undefined && isBefore(added, other)) low = middle + 1
      else high = middle
    }
    queue.splice(low, 0, added)
  }

  return {
    clock,
    identifiers,
    now: () => now,
    schedule,
    /** Everything until the end, in the order of time. What fails is a defect of the plan. */
    runUntil: (end: Instant): Effect.Effect<void> =>
      Effect.gen(function* () {
        for (let next = queue.pop(); next !== undefined && next.at <= end; next = queue.pop()) {
          now = Math.max(now, next.at)
          yield* Effect.orDie(next.run)
        }
      }).pipe(Effect.provideService(Clock.Clock, clock))
  }
}
export type VirtualTime = ReturnType<typeof makeVirtualTime>
