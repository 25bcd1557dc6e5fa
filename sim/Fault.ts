import { ConnectFailed, NoAnswer, type ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { Effect } from "effect"

type Answered = Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>

/** What a fault has to hand when it strikes. */
interface Strike {
  /** Lets the provider have the request, and answers as it does. */
  readonly pass: Answered
  /** The provider's answer to this payment's last request before this one. */
  readonly before: ProviderResponse | undefined
  /** The provider's answer to the same request of another payment. */
  readonly elsewhere: ProviderResponse | undefined
}

/** What the network does to one request. */
export interface Fault {
  readonly name: string
  readonly strike: (strike: Strike) => Answered
}

/** The provider gets the request twice. */
export const isDuplicate = ({ name }: Fault): boolean => name.startsWith("a duplicated request")
/** The provider gets the request when nobody waits for its answer any more. */
export const isLate = ({ name }: Fault): boolean => name.startsWith("an arrival")

const html = (status: number, title: string): ProviderResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: new TextEncoder().encode(
    `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  )
})

const reset = Effect.fail(new NoAnswer({ reason: "ECONNRESET" }))

/** Longer than the gateway waits for one call, and longer than it works on one request, in milliseconds. */
const tooLateMillis = 27_000
export const muchTooLateMillis = 35_000

const fault = (name: string, strike: Fault["strike"]): Fault => ({ name, strike })

/** The provider does it, and this becomes of its answer. */
const spoiled = (name: string, spoil: (genuine: ProviderResponse, strike: Strike) => ProviderResponse): Fault =>
  fault(name, (strike) => Effect.map(strike.pass, (genuine) => spoil(genuine, strike)))

/** The provider never reads it, and this is answered in its place; where there is nothing to answer, no fault. */
const intercepted = (name: string, answer: (strike: Strike) => ProviderResponse | undefined): Fault =>
  fault(name, (strike) => {
    const given = answer(strike)
    return given === undefined ? strike.pass : Effect.succeed(given)
  })

export const lostBefore = fault("a reset before the provider read it", () => reset)
export const lostAfter = fault("a reset after the provider did it", ({ pass }) => Effect.andThen(pass, reset))

/** Later than any provider's silence is proof of absence, and than the first look at what has ended. */
const minutesLateMillis = 7 * 60_000
export const minutesLate = fault("an arrival minutes after the request was over", ({ pass }) =>
  Effect.andThen(Effect.forkDetach(Effect.delay(Effect.ignore(pass), minutesLateMillis)), Effect.never)
)

/** Everything that may happen to a request on its way to a provider and back. */
export const faults: ReadonlyArray<Fault> = [
  fault("a refused connection", () => Effect.fail(new ConnectFailed({ reason: "ECONNREFUSED" }))),
  lostBefore,
  lostAfter,
  spoiled("HTTP 500 after the provider did it", () => html(500, "Internal Server Error")),
  intercepted("HTTP 503 before the provider read it", () => html(503, "Service Unavailable")),
  fault("an answer after the deadline", ({ pass }) => Effect.tap(pass, Effect.sleep(tooLateMillis))),
  fault("a hang", () => Effect.never),
  fault("an arrival after the request was over", ({ pass }) =>
    Effect.andThen(Effect.forkDetach(Effect.delay(Effect.ignore(pass), muchTooLateMillis)), Effect.never)
  ),
  spoiled("HTML instead of the answer", () => html(200, "Approved 00")),
  spoiled("noise instead of the answer", (genuine) => ({
    ...genuine,
    body: Uint8Array.from(genuine.body, (byte, index) => (byte * 167 + index) % 256)
  })),
  spoiled("a truncated answer", (genuine) => ({
    ...genuine,
    body: genuine.body.subarray(0, genuine.body.length >> 1)
  })),
  spoiled("an empty answer", (genuine) => ({ ...genuine, body: new Uint8Array() })),
  fault("a duplicated request, with the first answer", ({ pass }) => Effect.tap(pass, Effect.ignore(pass))),
  fault("a duplicated request, with the second answer", ({ pass }) => Effect.andThen(Effect.ignore(pass), pass)),
  intercepted("the answer to the request before, this one lost", ({ before }) => before),
  spoiled("the answer to the request before, this one done", (genuine, { before }) => before ?? genuine),
  intercepted("the answer to another payment, this one lost", ({ elsewhere }) => elsewhere),
  spoiled("the answer to another payment, this one done", (genuine, { elsewhere }) => elsewhere ?? genuine)
]
