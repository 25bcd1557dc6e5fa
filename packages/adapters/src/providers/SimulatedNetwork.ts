import { Clock, Effect, Schema } from "effect"
import type { OrderBook } from "./OrderBook.ts"
import { ConnectFailed, NoAnswer } from "./ProviderTransport.ts"
import { behaviourOf } from "./TestCards.ts"

/** A lost connection is noticed after this long, in milliseconds (contract section 5). */
const dropMillis = 1_000
/** How long questions about an order go unanswered whose answer was lost, in milliseconds (contract section 5). */
const silenceMillis = 30_000
/** Longer than a request takes: what was down for another payment is no news for this one, in milliseconds. */
const downMillis = 30_000

const Down = Schema.Struct({ provider: Schema.String, at: Schema.Finite, times: Schema.Finite })
const Silence = Schema.Struct({ until: Schema.Finite })

const isDown = Schema.is(Down)
const isSilence = Schema.is(Silence)

const dropped = Effect.andThen(
  Effect.sleep(dropMillis),
  Effect.suspend(() => new NoAnswer({ reason: "ECONNRESET" }))
)

/** What a simulator has read of an authorization. */
interface SimulatedAuthorization {
  readonly cardNumber: string
  /** The merchant's reference, by which the order is asked for. */
  readonly reference: string
  /** As sent, with the currency: tells one payment from another. */
  readonly amount: string
}

/**
 * The network between the gateway and a simulated provider, as the sandbox's cards make it (contract section 5). Every
 * simulator calls it at the same three points; what is remembered lies in the shared book, so that any process knows it.
 */
export const make = (provider: string, orderBook: OrderBook) => {
  const silenceKey = (reference: string) => `silence:${reference}`

  /** The first provider that a payment comes to is down; the next one takes it. */
  const refuseFirst = Effect.fnUntraced(function* (amount: string) {
    const now = yield* Clock.currentTimeMillis
    const key = `down:${amount}`
    const found = yield* orderBook.find("network", key)
    const down = isDown(found) && found.times > 0 && now - found.at < downMillis ? found : undefined
    if (down !== undefined && down.provider !== provider) {
      return yield* orderBook.save("network", key, { ...down, times: down.times - 1 })
    }
    yield* orderBook.save("network", key, { provider, at: now, times: (down?.times ?? 0) + 1 })
    return yield* new ConnectFailed({ reason: "ECONNREFUSED" })
  })

  const silence = Effect.fnUntraced(function* (reference: string) {
    const now = yield* Clock.currentTimeMillis
    yield* orderBook.save(provider, silenceKey(reference), { until: now + silenceMillis })
  })

  return {
    /** Once the card number is read, before anything is done with it. */
    beforeAuthorization: ({
      amount,
      cardNumber
    }: SimulatedAuthorization): Effect.Effect<void, ConnectFailed | NoAnswer> => {
      const behaviour = behaviourOf(cardNumber)
      if (behaviour === "firstIsDown") return refuseFirst(amount)
      return behaviour === "neverArrives" ? dropped : Effect.void
    },
    /** Once the order is in the book, before it is answered. */
    afterAuthorization: ({ cardNumber, reference }: SimulatedAuthorization): Effect.Effect<void, NoAnswer> =>
      behaviourOf(cardNumber) === "takenAndLost" ? Effect.andThen(silence(reference), dropped) : Effect.void,
    /** Before a question about an order, or anything else that follows its authorization, is looked at. */
    beforeFollowUp: Effect.fnUntraced(function* (reference: string) {
      const found = yield* orderBook.find(provider, silenceKey(reference))
      if (isSilence(found) && found.until > (yield* Clock.currentTimeMillis)) {
        yield* new NoAnswer({ reason: "ETIMEDOUT" })
      }
    })
  }
}

export type SimulatedNetwork = ReturnType<typeof make>
