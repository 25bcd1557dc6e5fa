import { type ProviderResponse, ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import type { Simulator } from "@sarraf/adapters/providers/Simulator"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { Finding, PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Context, Effect } from "effect"
import type { Disturbances } from "./Disturbances.ts"
import { type Fault, faults, isDuplicate, lostAfter, minutesLate } from "./Fault.ts"
import type { Trace } from "./Trace.ts"

type Method = "authorize" | "capture" | "refund" | "cancel" | "voidCapture" | "complete" | "query"

/** What a provider is being asked, and about which order: by whose chances the network disturbs it. */
interface ProviderCall {
  readonly order: string
  readonly method: Method
  readonly capabilities: Capabilities
}

const CurrentCall = Context.Reference<ProviderCall | undefined>("@sarraf/sim/CurrentCall", {
  defaultValue: () => undefined
})

/** Of a thousand requests to a provider so many are disturbed. */
const perThousand = 120

/**
 * A refund that comes twice is two at providers that have no name for one, and nobody can tell them from two that were
 * asked for; so is a capture, where there may be several. What comes minutes late is found where an approval may still be
 * (contract section 4), and not elsewhere.
 */
const faultsOf = (method: Method, { partialCapture }: Capabilities): readonly [Fault, ...ReadonlyArray<Fault>] => {
  if (method === "authorize" || method === "complete") return [minutesLate, ...faults]
  const isCounted = method === "refund" || (method === "capture" && partialCapture === "multiple")
  return [lostAfter, ...faults.filter((fault) => fault !== lostAfter && !(isCounted && isDuplicate(fault)))]
}

interface Answer {
  readonly order: string
  readonly response: ProviderResponse
}

/** The wire between all processes and the simulators, with what the seed does to it. */
export const makeWire = (simulators: ReadonlyArray<Simulator>, disturbances: Disturbances, trace: Trace) => {
  const { send } = SimulatedTransport.make(simulators)
  const last = new Map<string, ProviderResponse>()
  const answers = new Map<string, Array<Answer>>()
  return ProviderTransport.of({
    send: (request) =>
      Effect.gen(function* () {
        const call = yield* CurrentCall
        if (call === undefined) return yield* send(request)
        const { capabilities, method, order } = call
        const question = `${request.provider} ${method}`
        const before = last.get(order)
        const elsewhere = answers.get(question)?.findLast((one) => one.order !== order)?.response
        const pass = Effect.tap(send(request), (response) =>
          Effect.sync(() => {
            last.set(order, response)
            answers.set(question, [
              ...(answers.get(question) ?? []).filter((one) => one.order !== order),
              { order, response }
            ])
          })
        )
        const struck = disturbances.at(`wire.${order}`, perThousand, (draw) =>
          draw.oneOf(faultsOf(method, capabilities))
        )
        if (struck === undefined) return yield* pass
        trace.add(`wire       ${request.provider} ${method} of ${order}: ${struck.kind.name} [${struck.name}]`)
        return yield* struck.kind.strike({ pass, before, elsewhere })
      })
  })
}

const saidOf = (answer: Outcome | Finding): string => {
  if (answer._tag === "Found") {
    return `Found ${answer.stage}, captured ${answer.capturedMinor}, refunded ${answer.refundedMinor}`
  }
  return answer._tag === "Refused" ? `Refused ${answer.code}` : answer._tag
}

/** A provider of which every call is known to be about an order, and is told of in the trace. */
export const traced = (
  provider: PaymentProvider,
  process: string,
  trace: Trace,
  orderOf: (provider: string, reference: string) => string,
  authorized: (provider: string, reference: string) => void
): PaymentProvider => {
  const on =
    <Call, Answered extends Outcome | Finding>(
      method: Method,
      ask: (call: Call) => Effect.Effect<Answered>,
      referenceOf: (call: Call) => string
    ) =>
    (call: Call): Effect.Effect<Answered> =>
      Effect.suspend(() => {
        const order = orderOf(provider.id, referenceOf(call))
        if (method === "authorize") authorized(provider.id, referenceOf(call))
        return ask(call).pipe(
          Effect.tap((answer) =>
            Effect.sync(() => trace.add(`${process}  ${provider.id} ${method} of ${order}: ${saidOf(answer)}`))
          ),
          Effect.provideService(CurrentCall, { order, method, capabilities: provider.capabilities })
        )
      })
  const { authorize, cancel, capture, query, refund, threeDS, voidCapture } = provider
  const ofAuthorization = ({ authorization }: { readonly authorization: { readonly reference: string } }) =>
    authorization.reference
  return {
    ...provider,
    authorize: on("authorize", authorize, ({ reference }) => reference),
    capture: on("capture", capture, ofAuthorization),
    refund: on("refund", refund, ofAuthorization),
    cancel: on("cancel", cancel, ofAuthorization),
    query: on("query", query, ({ reference }) => reference),
    ...(voidCapture === undefined ? {} : { voidCapture: on("voidCapture", voidCapture, ofAuthorization) }),
    ...(threeDS === undefined
      ? {}
      : { threeDS: { ...threeDS, complete: on("complete", threeDS.complete, ofAuthorization) } })
  }
}

/** What belongs to no order: a provider's own messages, and a buyer's pages. */
export const ofNobody = Effect.provideService(CurrentCall, undefined)
