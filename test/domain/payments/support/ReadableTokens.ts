import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import { Layer } from "effect"

const base = "https://gateway.test/pf/v1/3ds/"

/** Tokens that can be read, which no real one can. */
export const tokens = Layer.succeed(
  ChallengeTokens,
  ChallengeTokens.of({
    urlOf: ({ caller: { clientId, livemode, organizationId }, paymentId }) =>
      `${base}${[organizationId, clientId, livemode, paymentId].join("~")}`,
    read: (token) => {
      const [organizationId, clientId, livemode, paymentId] = token.split("~")
      return organizationId === undefined || clientId === undefined || paymentId === undefined
        ? undefined
        : { caller: { organizationId, clientId, livemode: livemode === "true" }, paymentId }
    }
  })
)

/** The token in a page's address. */
export const tokenIn = (url: string): string => url.replace(base, "").replace(/\/return$/u, "")
