import { Clock, Effect } from "effect"
import { Money } from "../money/Money.ts"
import type { Attempt } from "./Attempt.ts"
import { capturesOf } from "./OperationCallOf.ts"
import { type Accepted, type Outcome, Refused } from "./Outcome.ts"
import { lastAttempt, type Payment } from "./Payment.ts"
import type { PaymentProvider } from "./PaymentProvider.ts"
import { authorizationOf, underDeadline } from "./ProviderCalls.ts"
import { checked, expectedOf } from "./Settlement.ts"
import { capturable } from "./Sums.ts"

/** Taken back, or the provider has said that it will be and tells of it by a notification if it cannot. */
export const isTakenBack = ({ _tag }: Outcome): boolean => _tag === "Accepted" || _tag === "Pending"

/** What the provider said of an attempt, as far as taking it back needs it. */
type Known = Pick<Accepted, "notes"> & { readonly providerReference?: string | null }

/**
 * Takes an attempt's authorization back at its provider, or of the one that stands what is not captured. Its operation id is made of payment and attempt, so that the
 * provider sees every repetition as one.
 */
export const reverseAttempt = (
  provider: PaymentProvider,
  payment: Payment,
  attempt: Attempt,
  known: Known,
  options: { readonly millis: number; readonly requestId: string }
): Effect.Effect<Outcome> => {
  const providerReference = known.providerReference ?? attempt.providerReference
  const notes = { ...attempt.notes, ...known.notes }
  const stands = payment.sums.authorized > 0n && attempt.number === lastAttempt(payment)?.number
  const { currency, minor } = payment.money
  const call = {
    authorization: authorizationOf(payment, { ...attempt, providerReference, notes }),
    operationId: `${payment.id.replace(/^txn_/u, "op_")}_${attempt.number}`,
    reference: attempt.reference,
    money: new Money({ currency, minor: stands ? capturable(payment.sums) : minor }),
    // A provider whose void takes back whatever it finds has to know that there is a capture.
    captures: stands ? capturesOf(payment) : [],
    requestId: options.requestId
  }
  return underDeadline(() => provider.cancel(call), options.millis)
}

/** An approval of a part is taken back at once (contract section 4). What is left unknown then stays unknown. */
export const reversePartial = Effect.fnUntraced(function* (
  provider: PaymentProvider,
  payment: Payment,
  attempt: Attempt,
  partial: Accepted,
  options: { readonly until: number; readonly millis: number; readonly requestId: string }
): Effect.fn.Return<Outcome> {
  const left = Math.max(Math.min(options.millis, options.until - (yield* Clock.currentTimeMillis)), 0)
  const reversal = yield* reverseAttempt(provider, payment, attempt, partial, {
    millis: left,
    requestId: options.requestId
  })
  return isTakenBack(reversal)
    ? Refused({
        code: "INSUFFICIENT_FUNDS",
        detail: "The issuer approved a part of the amount only; the part was given back.",
        answer: partial.answer,
        mayTryAnother: false,
        providerReference: partial.providerReference,
        echo: {}
      })
    : checked(expectedOf(attempt.reference, payment.money, payment.card.last4), partial)
})
