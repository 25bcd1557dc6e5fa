import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { DateTime, Effect, Redacted, Result } from "effect"
import { noReplyOf, unanswered } from "../ProviderReply.ts"
import type { ProviderTransport } from "../ProviderTransport.ts"
import type { NestPayCredentials } from "./Credentials.ts"
import { type CC5Request, decodeResponse, encodeRequest, requestHeaders } from "./Messages.ts"
import { outcomeOf, type Reply, type Step } from "./Outcomes.ts"
import type { NestPayProfile } from "./profiles.ts"

/** One shop at one bank, and the way to it. */
export interface Shop {
  readonly profile: NestPayProfile
  readonly credentials: NestPayCredentials
  readonly transport: ProviderTransport["Service"]
}

/** A message without the sender's name, password and shop. */
export type Question = Omit<CC5Request, "Name" | "Password" | "ClientId">

/** Posts a message to the bank's payment address. */
export const ask = ({ profile, credentials, transport }: Shop, question: Question): Effect.Effect<Reply> => {
  const { name: Name, password, clientId: ClientId, apiUrl = profile.apiUrl } = credentials
  const body = encodeRequest({ Name, Password: Redacted.value(password), ClientId, ...question })
  const request = { provider: profile.id, method: "POST", url: apiUrl, headers: requestHeaders, body } as const
  return Effect.match(transport.send(request), {
    onSuccess: (response): Reply => {
      const decoded = decodeResponse(response)
      return Result.isSuccess(decoded) ? { _tag: "Answered", message: decoded.success } : unanswered(decoded.failure)
    },
    onFailure: (failure): Reply => noReplyOf(failure)
  })
}

/** Posts a transaction, and says what came of it. */
export const perform = (shop: Shop, question: Question, step: Step): Effect.Effect<Outcome> =>
  Effect.flatMap(ask(shop, question), (reply) => Effect.map(DateTime.now, (now) => outcomeOf(reply, step, now)))
