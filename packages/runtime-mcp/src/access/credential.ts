import type { IncomingMessage } from "node:http"
import { Effect, Redacted } from "effect"
import type { Challenges } from "./challenge.ts"
import type { Refusal } from "./Refusal.ts"

/** RFC 6750, section 2.3, which OAuth 2.1 has taken out, and what people try besides. */
const tokenParameters = ["access_token", "token", "api_key", "key", "authorization"]

/** Whether a token is in the address, under a usual name or in our own spelling. */
const hasTokenInAddress = (url: string | undefined): boolean => {
  const query = new URLSearchParams(url?.split("?").slice(1).join("?"))
  return [...query].some(([name, value]) => tokenParameters.includes(name.toLowerCase()) || value.startsWith("mcp_"))
}

/** The token in the header, and in no other place. */
export const credentialOf = (
  { headers, url }: Pick<IncomingMessage, "headers" | "url">,
  challenges: Challenges
): Effect.Effect<Redacted.Redacted<string>, Refusal> => {
  if (hasTokenInAddress(url)) return Effect.fail(challenges.tokenInAddress())
  const { authorization } = headers
  if (authorization === undefined) return Effect.fail(challenges.tokenMissing())
  const token = /^Bearer +(\S+)$/iu.exec(authorization)?.[1]
  return token === undefined ? Effect.fail(challenges.tokenInvalid()) : Effect.succeed(Redacted.make(token))
}
