import { NotSent, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type { Captured, OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { refusedUnasked } from "../Ruling.ts"
import type { Connection } from "./Connection.ts"
import { encodeAmount, movementIdOf, notedIds, type PaymentIds } from "./Messages.ts"
import { operate } from "./Operations.ts"
import { movementOutcome } from "./Outcomes.ts"
import { readPayment } from "./Query.ts"

/** A part of a refund: the gateway refunds one capture at a time. */
interface Share {
  readonly captureId: string
  readonly minor: bigint
}

const refundOutcome = movementOutcome("cnp:refund")

/**
 * The captures' identifiers in the order in which they were made. A capture whose answer was lost is not known by its
 * own, so that the order is asked; nothing where that does not tell.
 */
const captureIds = Effect.fnUntraced(function* (
  connection: Connection,
  captures: ReadonlyArray<Captured>,
  ids: PaymentIds
): Effect.fn.Return<ReadonlyArray<string> | { readonly reason: string }> {
  const known = captures.flatMap(({ providerReference }) =>
    providerReference === null || providerReference === ids.paymentId ? [] : [providerReference]
  )
  if (known.length === captures.length) return known
  const reading = yield* readPayment(connection, ids)
  if (reading._tag === "Unread") return { reason: reading.reason }
  const shown = (reading.payment._embedded?.["cnp:capture"] ?? []).filter(({ state }) => state === "SUCCESS")
  const matching = captures.flatMap(({ minor }, index) => {
    const capture = shown[index]
    const id = capture === undefined ? undefined : movementIdOf(capture)
    return id === undefined || capture === undefined || BigInt(capture.amount.value) !== minor ? [] : [id]
  })
  return matching.length === captures.length ? matching : { reason: "the order does not show the captures" }
})

/** What was refunded before is counted against the oldest capture first, and so is this refund. */
const sharesOf = (captures: ReadonlyArray<Captured>, captureIds: ReadonlyArray<string>, minor: bigint) => {
  let left = minor
  const shares: Array<Share> = []
  for (const [index, capture] of captures.entries()) {
    const open = capture.minor - capture.refundedMinor
    const share = open < left ? open : left
    const captureId = captureIds[index]
    if (share > 0n && captureId !== undefined) shares.push({ captureId, minor: share })
    left -= share
  }
  return { shares, left }
}

/**
 * Refunds the oldest capture first, and more than one where one is not enough. Once a part has gone through, another
 * part's "no" is not this refund's: what came of the whole is then asked for.
 */
export const refund = Effect.fnUntraced(function* (
  connection: Connection,
  call: OperationCall
): Effect.fn.Return<Outcome> {
  const { authorization, captures, money } = call
  const ids = notedIds(authorization)
  if (ids === undefined) return NotSent({ reason: "the order of this payment was not noted" })
  if (captures.length === 0) return refusedUnasked("Nothing of this payment was captured.")
  const known = yield* captureIds(connection, captures, ids)
  if ("reason" in known) return NotSent({ reason: known.reason })
  const { left, shares } = sharesOf(captures, known, money.minor)
  if (left > 0n) return refusedUnasked("The captures of this payment are less than this refund.")
  let outcome: Outcome = Unknown({ reason: "nothing was asked for" })
  for (const [index, { captureId, minor }] of shares.entries()) {
    outcome = yield* operate(connection, ids, {
      method: "POST",
      step: `captures/${captureId}/refund`,
      body: encodeAmount(money.currency, minor),
      read: refundOutcome
    })
    if (outcome._tag !== "Accepted") return index === 0 ? outcome : Unknown({ reason: "a part of it was refunded" })
    if (outcome.echo.minor !== minor) return Unknown({ reason: "another amount was refunded", answer: outcome.answer })
  }
  if (outcome._tag !== "Accepted") return outcome
  return { ...outcome, echo: { ...outcome.echo, minor: money.minor } }
})
