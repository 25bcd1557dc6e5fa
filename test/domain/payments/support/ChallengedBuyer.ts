import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import { ActionRequired, type BuyerStep } from "@sarraf/domain/payments/Outcome"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Effect, Redacted } from "effect"
import { caller } from "./Gateway.ts"
import { tokenIn, tokens } from "./ReadableTokens.ts"
import type { Script } from "./ScriptedProvider.ts"
import { openTalking, type Says } from "./TalkingProvider.ts"

const answer = { responseCode: null, fields: {} }

export const redirect: BuyerStep = { type: "redirect", url: "https://issuer.test/challenge" }

export const form: BuyerStep = {
  type: "form",
  action: "https://bank.test/3d",
  fields: Redacted.make({ pan: "4111111111111111", cvv: "123" })
}

export const challenge = (step: BuyerStep = redirect) => ActionRequired({ step, answer, echo: {} })

/** A payment whose buyer has to go to the issuer. */
export const challenged = Effect.fnUntraced(function* (
  changes: Partial<Says> = {},
  { capabilities = {}, script = {} }: { readonly capabilities?: Partial<Capabilities>; readonly script?: Script } = {}
) {
  const gateway = yield* openTalking({ authorize: challenge(), ...changes }, capabilities, script)
  const payment = yield* gateway.begin({ is3DS: true, returnUrl: "https://shop.test/back" })
  if (statusOf(payment) !== "REQUIRES_ACTION") throw new Error("The payment has no challenge")
  const token = yield* Effect.provide(
    Effect.map(ChallengeTokens, ({ urlOf }) => tokenIn(urlOf({ caller, paymentId: payment.id }))),
    tokens
  )
  const { challenges, challengesElsewhere } = gateway
  return {
    ...gateway,
    id: payment.id,
    token,
    payment,
    stage: Effect.map(challenges.find(token), ({ stage }) => stage),
    proceed: challenges.proceed(token, "r-1"),
    proceedElsewhere: challengesElsewhere.proceed(token, "r-2"),
    comeBack: (returned = {}) => challenges.comeBack(token, { returned, requestId: "r-3" }),
    comeBackElsewhere: (returned = {}) => challengesElsewhere.comeBack(token, { returned, requestId: "r-4" })
  }
})
