import { NotSent, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type { ConnectFailed, NoAnswer } from "./ProviderTransport.ts"

/**
 * What came back of a request where no answer can be read. `NotSent`: it certainly did not arrive. `Unanswered`: it may
 * have, and may have been carried out.
 */
export type NoReply = { readonly _tag: "NotSent"; readonly reason: string } | Unanswered

/** Of a question: nothing is learned by it. */
export interface Unanswered {
  readonly _tag: "Unanswered"
  readonly reason: string
}

export const unanswered = (reason: string): Unanswered => ({ _tag: "Unanswered", reason })

export const noReplyOf = ({ _tag, reason }: ConnectFailed | NoAnswer): NoReply =>
  _tag === "ConnectFailed" ? { _tag: "NotSent", reason } : unanswered(reason)

export const isNoReply = (reply: { readonly _tag: string }): reply is NoReply =>
  reply._tag === "NotSent" || reply._tag === "Unanswered"

/** Of a request for money. */
export const outcomeWithout = ({ _tag, reason }: NoReply): Outcome =>
  _tag === "NotSent" ? NotSent({ reason }) : Unknown({ reason })
