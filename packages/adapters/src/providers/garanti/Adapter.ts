import { ActionRequired, NotSent, noAnswer, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  OperationCall,
  PaymentProvider,
  Stage,
  ThreeDSReturn
} from "@sarraf/domain/payments/PaymentProvider"
import { Clock, Effect, Redacted, Result } from "effect"
import { nothingToRelease, refusedUnasked } from "../Ruling.ts"
import { capabilities } from "./Capabilities.ts"
import { ask, plain, type Question, type Terminal } from "./Connection.ts"
import { threeDSUrlOf } from "./Credentials.ts"
import { currencyNumberOf } from "./Messages.ts"
import { outcomeOf } from "./Outcomes.ts"
import { isCompletionSent, noteOfCompletion, query } from "./Query.ts"
import type { Step } from "./ResponseCodes.ts"
import * as ThreeDS from "./ThreeDS.ts"

const perform = (terminal: Terminal, question: Question, step: Step): Effect.Effect<Outcome> =>
  Effect.map(ask(terminal, question), (reply) => outcomeOf(reply, step))

const notSent = (reason: string): Outcome => NotSent({ reason })

const noCurrency = notSent("The bank does not take this currency.")
const noAddress = notSent("The bank takes a payment with the buyer's IPv4 address alone.")
const noTarget = notSent("The bank's number of the transaction is not known.")

const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/u

/** `203.0.113.7`, also where it is written as IPv6 (RFC 4291, section 2.5.5.2): `::ffff:203.0.113.7`. */
const ipv4Of = (address = ""): string | undefined => {
  const short = address.replace(/^::ffff:/iu, "")
  return ipv4.test(short) ? short : undefined
}

const authorize = (terminal: Terminal, call: AuthorizeCall): Effect.Effect<Outcome> => {
  const { buyer, card, installment, money, reference, threeDS } = call
  const currency = currencyNumberOf(money.currency)
  const ip = ipv4Of(buyer.ip)
  if (currency === undefined) return Effect.succeed(noCurrency)
  if (ip === undefined) return Effect.succeed(noAddress)
  if (threeDS !== undefined) {
    const { credentials } = terminal
    const form = ThreeDS.formFields(credentials, call, { currency, ip, returnUrl: threeDS.returnUrl })
    const fields = Redacted.make(form, { label: "3-D Secure form" })
    const step = { type: "form", action: threeDSUrlOf(credentials), fields } as const
    return Effect.succeed(ActionRequired({ step, answer: noAnswer, echo: {} }))
  }
  const question: Question = {
    orderId: reference,
    customer: { IPAddress: ip, EmailAddress: buyer.email },
    card: {
      Number: card.number.reveal(),
      ExpireDate: ThreeDS.twoDigits(card.expMonth) + ThreeDS.twoDigits(card.expYear),
      CVV2: Redacted.value(card.cvc)
    },
    transaction: plain({
      Type: "preauth",
      InstallmentCnt: installment > 1 ? `${installment}` : "",
      Amount: `${money.minor}`,
      CurrencyCode: currency
    })
  }
  return perform(terminal, question, "authorization")
}

/**
 * After a lost answer the bank's number is not known, and its record is asked for it, while the order is at the stage that
 * the step is for: a release never takes back a capture.
 */
const targetOf = (terminal: Terminal, authorization: Authorization, stage: Stage) =>
  Effect.map(query(terminal, authorization), (finding) =>
    finding._tag === "Found" && finding.stage === stage ? finding.providerReference : undefined
  )

/** A step on the transaction that has the number `known`. */
const follow = Effect.fnUntraced(function* (
  terminal: Terminal,
  call: OperationCall,
  known: string | null | undefined,
  step: "capture" | "refund" | "cancel" | "voidCapture"
) {
  const { authorization, money } = call
  const CurrencyCode = currencyNumberOf(money.currency)
  if (CurrencyCode === undefined) return noCurrency
  const stage = step === "capture" || step === "cancel" ? "AUTHORIZED" : "CAPTURED"
  const OriginalRetrefNum = known || (yield* targetOf(terminal, authorization, stage))
  if (OriginalRetrefNum === undefined) return noTarget
  const Amount = `${money.minor}`
  const target = { CurrencyCode, OriginalRetrefNum }
  const transactions = {
    capture: { Type: "postauth", Amount, ...target },
    refund: plain({ Type: "refund", Amount, ...target }),
    // The sheet fixes the amount of a void: section 4.
    cancel: plain({ Type: "void", Amount: "100", ...target }),
    voidCapture: plain({ Type: "void", Amount: "100", ...target })
  } as const
  const outcome = yield* perform(terminal, { orderId: authorization.reference, transaction: transactions[step] }, step)
  return outcome._tag === "Accepted" && outcome.providerReference === OriginalRetrefNum
    ? Unknown({
        reason: "The bank's answer is the one to an earlier transaction of the order.",
        answer: outcome.answer
      })
    : outcome
})

const impossible = (detail: string) => Effect.succeed(refusedUnasked(detail))

const capture = (terminal: Terminal, call: CaptureCall): Effect.Effect<Outcome> =>
  follow(terminal, call, call.authorization.providerReference, "capture")

const refund = (terminal: Terminal, call: OperationCall): Effect.Effect<Outcome> => {
  const [captured] = call.captures
  return captured === undefined
    ? impossible("Nothing of the authorization is captured: nothing can be refunded.")
    : follow(terminal, call, captured.providerReference, "refund")
}

/** A void takes back whatever it is told to, a capture too: so it is not sent once there is one. */
const cancel = (terminal: Terminal, call: OperationCall): Effect.Effect<Outcome> =>
  call.captures.length > 0
    ? Effect.succeed(nothingToRelease)
    : follow(terminal, call, call.authorization.providerReference, "cancel")

const voidCapture = (terminal: Terminal, call: OperationCall): Effect.Effect<Outcome> =>
  follow(terminal, call, call.captures[0]?.providerReference, "voidCapture")

/** The order's number is taken once by the bank, so that a repetition is answered with a duplicate and charges nothing. */
const sendProof = Effect.fnUntraced(function* (terminal: Terminal, call: ThreeDSReturn) {
  const { authorization, buyerIp, installment, note, returned } = call
  const { money, reference } = authorization
  const currency = currencyNumberOf(money.currency)
  if (currency === undefined) return noCurrency
  const noted = yield* Effect.result(note(noteOfCompletion(yield* Clock.currentTimeMillis)))
  if (Result.isFailure(noted)) return notSent("The completion could not be written down before it was sent.")
  const ip = ipv4Of(returned.customeripaddress) ?? ipv4Of(buyerIp)
  const question: Question = {
    orderId: reference,
    ...(ip === undefined ? {} : { customer: { IPAddress: ip } }),
    transaction: {
      Type: "preauth",
      InstallmentCnt: installment > 1 ? `${installment}` : "",
      Amount: `${money.minor}`,
      CurrencyCode: currency,
      CardholderPresentCode: "13",
      MotoInd: "N",
      Secure3D: ThreeDS.proofOf(returned)
    }
  }
  return yield* perform(terminal, question, "completion")
})

/**
 * Sends the authorization of an authenticated buyer. A gate that could not begin says so without a hash: the bank's own
 * record has to show no order before that is believed. Once a completion was sent, no return is a refusal any more.
 */
const complete = Effect.fnUntraced(function* (terminal: Terminal, call: ThreeDSReturn) {
  const reading = ThreeDS.readReturn(terminal.credentials, call)
  if (reading === "Authenticated") return yield* sendProof(terminal, call)
  if (reading === "Forged") return Unknown({ reason: "The return is not the bank's word on this payment." })
  if (isCompletionSent(call.authorization)) {
    return Unknown({ reason: "A completion was sent before, and what came of it is not known." })
  }
  if (reading !== "NotStarted") return ThreeDS.refusalOf(call, reading)
  const finding = yield* query(terminal, call.authorization)
  return finding._tag === "Absent"
    ? ThreeDS.refusalOf(call, "SystemError")
    : Unknown({ reason: "The bank's 3-D Secure system failed, and its record does not say that nothing came of it." })
})

/**
 * One terminal of Garanti BBVA over GVPS, version 512. Source: provider sheet, sections 2 to 6. Orders are asked for by
 * our reference; a step on one names the bank's own number of the transaction that it is about.
 */
export const make = (terminal: Terminal): PaymentProvider => ({
  id: "garanti",
  capabilities,
  authorize: (call) => authorize(terminal, call),
  capture: (call) => capture(terminal, call),
  refund: (call) => refund(terminal, call),
  cancel: (call) => cancel(terminal, call),
  voidCapture: (call) => voidCapture(terminal, call),
  query: (authorization) => query(terminal, authorization),
  threeDS: {
    isGenuine: (call) => ThreeDS.readReturn(terminal.credentials, call) !== "Forged",
    complete: (call) => complete(terminal, call)
  }
})
