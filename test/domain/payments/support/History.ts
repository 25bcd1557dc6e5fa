import type { Attempt } from "@sarraf/domain/payments/Attempt"
import { unwantedAttempts } from "@sarraf/domain/payments/FollowUp"
import { isUnderWay, type Operation, type OperationType } from "@sarraf/domain/payments/Operation"
import { decide } from "@sarraf/domain/payments/OperationDecision"
import { ActionRequired, NotSent, type Outcome, Pending, Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import { lastAttempt, openOperation } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent, SettledBy } from "@sarraf/domain/payments/PaymentEvent"
import { attemptResult, deferOperation, settleAuthorization, settleOperation } from "@sarraf/domain/payments/Settlement"
import { capturable } from "@sarraf/domain/payments/Sums"
import { DateTime, Result, Schema } from "effect"
import { able } from "../../routing/support/SampleCandidates.ts"
import { accepted, noon, type Told, tell, told } from "./SamplePayment.ts"

/** The likelier ones stand there more often, so that histories get far. */
const kinds = [
  "settleAuthorization",
  "settleAuthorization",
  "note",
  "reroute",
  "capture",
  "capture",
  "refund",
  "refund",
  "void",
  "settleOperation",
  "settleOperation",
  "settleOperation",
  "settleOperation",
  "defer",
  "lapse",
  "revoke",
  "goOn",
  "endChallenge",
  "endChallenge",
  "takeBack",
  "takeBack",
  "dispute",
  "review"
] as const

const outcomeNames = [
  "Accepted",
  "Accepted",
  "Accepted",
  "Accepted",
  "Refused",
  "NotSent",
  "Pending",
  "Unknown",
  "ActionRequired"
] as const

const placeIn = (list: ReadonlyArray<unknown>) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: list.length - 1 }))

/** One thing that may happen to a payment; where the use cases would not let it happen it is skipped. */
const Move = Schema.Struct({
  kind: placeIn(kinds),
  outcome: placeIn(outcomeNames),
  /** Hundredths of what is available that are asked for; 0 names no amount, which is all that is left. */
  share: Schema.Literals([0, 1, 25, 50, 99, 100]),
  final: Schema.Boolean,
  /** Whether the request itself gets the answer, or the reconciler later. */
  inTime: Schema.Boolean
})

interface Move {
  readonly kind: (typeof kinds)[number]
  readonly outcome: (typeof outcomeNames)[number]
  readonly share: number
  readonly final: boolean
  readonly inTime: boolean
}

const moveOf = (drawn: typeof Move.Type): Move => ({
  ...drawn,
  kind: kinds[drawn.kind] ?? "note",
  outcome: outcomeNames[drawn.outcome] ?? "Unknown"
})

export const Moves = Schema.Array(Move).check(Schema.isMinLength(20), Schema.isMaxLength(40))

const answer = { responseCode: "05", fields: { Response: "Declined" } }

const outcomes: Readonly<Record<Move["outcome"], (id: string) => Outcome>> = {
  Accepted: (id) => accepted({ providerReference: `P-${id}` }),
  Refused: () =>
    Refused({ code: "CARD_DECLINED", detail: "The card was declined.", answer, mayTryAnother: false, echo: {} }),
  NotSent: () => NotSent({ reason: "connection refused" }),
  Pending: () => Pending({ answer, echo: {}, learnBy: "query", until: DateTime.makeUnsafe(noon + 86_400_000) }),
  Unknown: () => Unknown({ reason: "no answer within 25000 ms" }),
  ActionRequired: () => ActionRequired({ step: { type: "redirect", url: "https://issuer.test" }, answer, echo: {} })
}

const by = ({ inTime }: Move): SettledBy => (inTime ? "request" : "reconciler")

const settleAuthorizationMove = ({ payment }: Told, move: Move, at: number): ReadonlyArray<PaymentEvent> => {
  const attempt = lastAttempt(payment)
  const isOpen = payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION"
  if (attempt === undefined || !isOpen) return []
  const outcome = outcomes[move.outcome](`a${attempt.number}`)
  const voiding = openOperation(payment)
  if (voiding === undefined) {
    // An attempt whose request has ended is settled by what comes after it.
    const settler = attempt.outcome === "RUNNING" ? by(move) : "reconciler"
    return [settleAuthorization(attempt, outcome, able, at, settler)]
  }
  const command = outcome._tag === "Accepted" ? "void" : outcome._tag === "Refused" ? "fail" : undefined
  if (command === undefined) return []
  const result = attemptResult(attempt, outcome, at)
  const ended: PaymentEvent = {
    type: "authorization.settled",
    at,
    by: by(move),
    command,
    result,
    error: null,
    expiresAt: null
  }
  return [ended, settleOperation(voiding, accepted(), at, by(move))]
}

const rerouteMove = ({ payment }: Told, at: number): ReadonlyArray<PaymentEvent> => {
  const attempt = lastAttempt(payment)
  if (attempt?.outcome !== "RUNNING" || attempt.number > 3 || payment.authorization !== "PENDING") return []
  const number = attempt.number + 1
  const next = {
    number,
    provider: "isbank",
    reference: `${attempt.reference}-${number}`,
    startedAt: at,
    deadline: attempt.deadline
  }
  return [{ type: "payment.rerouted", at, result: attemptResult(attempt, outcomes.NotSent("n"), at), attempt: next }]
}

const noteMove = ({ payment }: Told, at: number): ReadonlyArray<PaymentEvent> => {
  const attempt = lastAttempt(payment)
  return attempt?.outcome === "RUNNING"
    ? [{ type: "payment.noted", at, attempt: attempt.number, notes: { [`step${payment.version}`]: "done" } }]
    : []
}

const beginMove = ({ payment }: Told, type: OperationType, move: Move, at: number): ReadonlyArray<PaymentEvent> => {
  const attempt = lastAttempt(payment)
  if (attempt?.outcome === "RUNNING" || openOperation(payment) !== undefined) return []
  const all = decide(payment, { type }, able)
  if (Result.isFailure(all)) return []
  const part = (all.success.minor * BigInt(move.share)) / 100n
  const asked = move.share === 0 || part === 0n || type === "VOID" ? { type } : { type, minor: part }
  const { final, minor } = Result.getOrThrow(decide(payment, { ...asked, final: move.final }, able))
  const id = `op_${String(payment.operations.length).padStart(26, "0")}`
  const operation: Operation = {
    id,
    type,
    minor,
    final,
    status: "PENDING",
    reference: null,
    providerRequest: `R-${id}`,
    providerReference: null,
    responseCode: null,
    fields: {},
    availableFrom: null,
    error: null,
    createdAt: at,
    deadline: at + 30_000,
    completedAt: null
  }
  return [{ type: "operation.begun", at, operation }]
}

const settleOperationMove = ({ payment }: Told, move: Move, at: number): ReadonlyArray<PaymentEvent> => {
  // A void of what is not known ends together with its payment.
  if (payment.authorization !== "AUTHORIZED") return []
  const open = openOperation(payment) ?? payment.operations.find(({ status }) => status === "PENDING")
  if (open === undefined || move.outcome === "ActionRequired") return []
  const settler = isUnderWay(open, at) ? by(move) : "reconciler"
  return [settleOperation(open, outcomes[move.outcome](open.id), at, settler)]
}

/** A refund that the provider cannot take yet; or one that waited, whose time has come. */
const deferMove = ({ payment }: Told, move: Move, at: number): ReadonlyArray<PaymentEvent> => {
  const open = openOperation(payment)
  if (open !== undefined) {
    const isSentNow = open.type === "REFUND" && open.deadline !== null
    return isSentNow ? [deferOperation(open, at + 3_600_000, at, by(move))] : []
  }
  const waiting = payment.operations.find(({ status }) => status === "PENDING")
  return waiting === undefined ? [] : [deferOperation(waiting, null, at, "reconciler")]
}

const reversed = ({ number, reversal }: Attempt, at: number): PaymentEvent => ({
  type: "attempt.reversed",
  at,
  by: "reconciler",
  attempt: number,
  status: reversal === null ? "BEGUN" : "DONE",
  reason: "an approval that must not stand"
})

/** What is left is given back at the provider, or it has run out there by itself. */
const lapseMove = ({ payment }: Told, move: Move, at: number): ReadonlyArray<PaymentEvent> => {
  const attempt = lastAttempt(payment)
  const isLeft = payment.authorization === "AUTHORIZED" && capturable(payment.sums) > 0n
  if (attempt === undefined || !isLeft || openOperation(payment) !== undefined) return []
  return attempt.reversal === null && move.inTime
    ? [reversed(attempt, at)]
    : [{ type: "authorization.lapsed", at }, ...(attempt.reversal === "BEGUN" ? [reversed(attempt, at)] : [])]
}

const goOnMove = ({ payment }: Told, at: number): ReadonlyArray<PaymentEvent> =>
  payment.authorization === "REQUIRES_ACTION" && payment.challenge?.begunAt === null
    ? [{ type: "challenge.begun", at }]
    : []

const endChallengeMove = ({ payment }: Told, move: Move, at: number): ReadonlyArray<PaymentEvent> =>
  payment.authorization === "REQUIRES_ACTION" && openOperation(payment) === undefined
    ? [{ type: "challenge.ended", at, by: move.inTime ? "buyer" : "timeout", deadline: at + 30_000 }]
    : []

const takeBackMove = ({ payment }: Told, at: number): ReadonlyArray<PaymentEvent> =>
  unwantedAttempts(payment)
    .slice(0, 1)
    .map((attempt) => reversed(attempt, at))

const disputeMove = ({ payment }: Told, move: Move, at: number): ReadonlyArray<PaymentEvent> => {
  const minor = (payment.sums.captured * BigInt(move.share)) / 100n
  return minor === payment.sums.disputed ? [] : [{ type: "payment.disputed", at, minor }]
}

const reviewMove = ({ payment }: Told, at: number): ReadonlyArray<PaymentEvent> => [
  payment.needsReview === null
    ? { type: "review.requested", at, reason: "the answer is about another amount" }
    : { type: "review.closed", at, evidence: "statement of 2 November, line 7" }
]

/** The provider's later word that what it had confirmed did not hold (contract section 4). */
const revokeMove = ({ payment }: Told, at: number): ReadonlyArray<PaymentEvent> => {
  if (payment.authorization !== "AUTHORIZED" || openOperation(payment) !== undefined) return []
  const { captured, refunded, refundPending } = payment.sums
  const done = payment.operations.findLast(
    ({ minor, status, type }) =>
      status === "SUCCEEDED" && type !== "VOID" && (type === "REFUND" || refunded + refundPending <= captured - minor)
  )
  return done === undefined ? [] : [settleOperation(done, outcomes.Refused(done.id), at, "notification")]
}

const eventsOf = (history: Told, move: Move): ReadonlyArray<PaymentEvent> => {
  const at = history.payment.updatedAt + 1_000
  switch (move.kind) {
    case "settleAuthorization":
      return settleAuthorizationMove(history, move, at)
    case "note":
      return noteMove(history, at)
    case "reroute":
      return rerouteMove(history, at)
    case "capture":
      return beginMove(history, "CAPTURE", move, at)
    case "refund":
      return beginMove(history, "REFUND", move, at)
    case "void":
      return beginMove(history, "VOID", move, at)
    case "settleOperation":
      return settleOperationMove(history, move, at)
    case "defer":
      return deferMove(history, move, at)
    case "lapse":
      return lapseMove(history, move, at)
    case "revoke":
      return revokeMove(history, at)
    case "goOn":
      return goOnMove(history, at)
    case "endChallenge":
      return endChallengeMove(history, move, at)
    case "takeBack":
      return takeBackMove(history, at)
    case "dispute":
      return disputeMove(history, move, at)
    case "review":
      return reviewMove(history, at)
  }
}

/** A payment's histories, each one commit longer than the one before; what a move commits together comes together. */
export const play = (moves: typeof Moves.Type, begun: Told = told()): ReadonlyArray<Told> => {
  const histories = [begun]
  for (const drawn of moves) {
    const history = histories.at(-1) ?? begun
    const events = eventsOf(history, moveOf(drawn))
    if (events.length > 0) histories.push(tell(history, ...events))
  }
  return histories
}
