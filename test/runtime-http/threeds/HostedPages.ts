import { createHmac } from "node:crypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { PaymentClients } from "@sarraf/domain/organizations/PaymentClients"
import { type BuyerReturn, ChallengeNotFound, Challenges } from "@sarraf/domain/payments/Challenges"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import type { Payment, PaymentRequest } from "@sarraf/domain/payments/Payment"
import { begin } from "@sarraf/domain/payments/PaymentEvent"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import * as threeds from "@sarraf/runtime-http/threeds/routes"
import { ByteSize, Effect, Layer, Redacted } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { HttpApi } from "effect/http-api"
import { request, start } from "../../domain/payments/support/SamplePayment.ts"
import { serving } from "../support/serving.ts"

export const secret = "sandbox_secret"
export const token = "T".repeat(104)
export const page = `/pf/v1/3ds/${token}`
const quarterOfAnHour = 15 * 60_000

/** A challenge that the ports' stand-ins tell of; tests change it as its payment goes on. */
export interface Stage {
  payment: Payment
  stage: "open" | "begun" | "over"
  endsAt: number
  step: BuyerStep
  /** The database is away. */
  isAway: boolean
  /** How often a buyer was sent on. */
  proceeded: number
  readonly returns: Array<BuyerReturn>
  /** What the payment becomes when the buyer comes back. */
  afterReturn: Partial<Payment>
}

export const challenged = (changes: Partial<PaymentRequest> = {}): Payment => ({
  ...begin(request({ is3DS: true, returnUrl: "https://shop.example/done?basket=1%20a#top", ...changes }), start()),
  authorization: "REQUIRES_ACTION"
})

export const authorized: Partial<Payment> = {
  authorization: "AUTHORIZED",
  sums: { ...begin(request(), start()).sums, authorized: 10_000n }
}

/** The hosted pages on a port of their own, with stand-ins for the use cases. */
export const hosted = Effect.fnUntraced(function* (changes: Partial<Stage> = {}) {
  const stage: Stage = {
    payment: challenged(),
    stage: "open",
    endsAt: Date.now() + quarterOfAnHour,
    step: { type: "redirect", url: "https://acs.example/challenge?id=1" },
    isAway: false,
    proceeded: 0,
    returns: [],
    afterReturn: authorized,
    ...changes
  }
  const known = (given: string) =>
    Effect.suspend((): Effect.Effect<void, ChallengeNotFound | Unavailable> => {
      if (stage.isAway) return Effect.fail(new Unavailable())
      return given === token ? Effect.void : Effect.fail(new ChallengeNotFound())
    })
  const challenges = Layer.succeed(Challenges, {
    find: (given) => Effect.map(known(given), () => ({ ...stage })),
    proceed: (given) =>
      Effect.map(known(given), () => {
        if (stage.stage !== "open") return undefined
        stage.stage = "begun"
        stage.proceeded += 1
        return stage.step
      }),
    comeBack: (given, back) =>
      Effect.map(known(given), () => {
        stage.returns.push(back)
        stage.payment = { ...stage.payment, ...stage.afterReturn }
        if (stage.payment.authorization !== "REQUIRES_ACTION") stage.stage = "over"
        return stage.payment
      })
  })
  const clients = Layer.succeed(PaymentClients, {
    find: (clientId) =>
      Effect.succeed(
        clientId === "sandbox_client"
          ? {
              organizationId: "org_1",
              clientId,
              livemode: false,
              isVerified: true,
              secrets: [Redacted.make(secret), Redacted.make("the former one")],
              strictSignatures: false
            }
          : undefined
      )
  })
  const fingerprints = Layer.succeed(Fingerprints, {
    card: () => "",
    content: (text) => createHmac("sha256", "key").update(text).digest("hex")
  })
  const routes = Layer.merge(
    Responses.layer(HttpApi.make("none"), { alsoServed: threeds.routes }),
    Layer.provide(threeds.layer({ baseUrl: "https://pay.example" }), [challenges, clients, fingerprints])
  )
  const send = yield* serving(routes).pipe(
    Effect.provide([
      NodeHttpServer.layerHttpServices,
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(256))
    ])
  )
  return { stage, send }
})
