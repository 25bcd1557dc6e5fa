import type { InboundMessage, NotificationReading } from "@sarraf/domain/payments/Notification"
import { NotSent, type Outcome, Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import type {
  AuthorizeCall,
  CaptureCall,
  Finding,
  OperationCall,
  PaymentProvider,
  ThreeDSReturn
} from "@sarraf/domain/payments/PaymentProvider"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Effect } from "effect"
import { able } from "../../routing/support/SampleCandidates.ts"
import { accepted } from "./SamplePayment.ts"

type Method = "complete" | "authorize" | "capture" | "refund" | "cancel" | "voidCapture" | "query"

/** What a provider answers to each kind of call; it accepts what the script does not name. */
export interface Script {
  readonly authorize?: (call: AuthorizeCall) => Effect.Effect<Outcome>
  readonly capture?: (call: CaptureCall) => Effect.Effect<Outcome>
  readonly refund?: (call: OperationCall) => Effect.Effect<Outcome>
  readonly cancel?: (call: OperationCall) => Effect.Effect<Outcome>
  readonly voidCapture?: (call: OperationCall) => Effect.Effect<Outcome>
  readonly query?: (call: Parameters<PaymentProvider["query"]>[0]) => Effect.Effect<Finding>
  /** A return is genuine unless it brings `forged`. */
  readonly complete?: (call: ThreeDSReturn) => Effect.Effect<Outcome>
  readonly readNotification?: (message: InboundMessage) => NotificationReading
}

export const found = (changes: Partial<Extract<Finding, { _tag: "Found" }>> = {}): Finding => ({
  _tag: "Found",
  stage: "AUTHORIZED",
  settled: null,
  capturedMinor: null,
  refundedMinor: null,
  providerReference: "P-found",
  answer: { responseCode: "00", fields: {} },
  echo: {},
  ...changes
})

export const absent: Finding = { _tag: "Absent", answer: { responseCode: "99", fields: {} } }
export const unanswered: Finding = { _tag: "Unanswered", reason: "no answer" }

export const lost = Unknown({ reason: "the connection broke" })
export const notSent = NotSent({ reason: "connection refused" })
export const declined = Refused({
  code: "CARD_DECLINED",
  detail: "The card was declined.",
  answer: { responseCode: "05", fields: { Response: "Declined" } },
  mayTryAnother: false,
  echo: {}
})

const accepting = () => Effect.succeed<Outcome>(accepted())

export interface ScriptedProvider extends PaymentProvider {
  /** What was asked of it, in order, each when it began. */
  readonly calls: ReadonlyArray<{ readonly method: Method; readonly call: object }>
  /** How many calls were under way at once, at most. */
  readonly mostAtOnce: () => number
}

/** A provider that answers by a script and writes into `log` when a call begins: `akbank.authorize`. */
export const scriptedProvider = (
  id: string,
  log: Array<string>,
  script: Script = {},
  capabilities: Partial<Capabilities> = {}
): ScriptedProvider => {
  const calls: Array<{ method: Method; call: object }> = []
  let running = 0
  let most = 0
  const noted =
    <Call extends object, A>(method: Method, answer: (call: Call) => Effect.Effect<A>) =>
    (call: Call): Effect.Effect<A> => {
      const noting = Effect.sync(() => {
        log.push(`${id}.${method}`)
        calls.push({ method, call })
        running++
        most = Math.max(most, running)
      })
      return noting.pipe(
        Effect.andThen(Effect.suspend(() => answer(call))),
        Effect.ensuring(
          Effect.sync(() => {
            running--
          })
        )
      )
    }
  return {
    id,
    capabilities: { ...able, ...capabilities },
    authorize: noted("authorize", script.authorize ?? accepting),
    capture: noted("capture", script.capture ?? accepting),
    refund: noted("refund", script.refund ?? accepting),
    cancel: noted("cancel", script.cancel ?? accepting),
    ...(capabilities.refundBeforeSettlement === "wholeByVoid"
      ? { voidCapture: noted("voidCapture", script.voidCapture ?? accepting) }
      : {}),
    threeDS: {
      isGenuine: ({ returned }) => returned.forged === undefined,
      complete: noted("complete", script.complete ?? accepting)
    },
    readNotification: script.readNotification ?? (() => ({ _tag: "Forged", reason: "nothing is posted here" })),
    query: noted("query", script.query ?? (() => Effect.succeed(unanswered))),
    calls,
    mostAtOnce: () => most
  }
}
