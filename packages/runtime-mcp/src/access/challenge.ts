import { assistantScope } from "@sarraf/domain/assistants/AssistantPrincipal"
import { Refusal } from "./Refusal.ts"

/** RFC 6750, section 3: where to get a token (RFC 9728, section 5.1), for what, and what was wrong with the one sent. */
const challenge = (metadataUrl: string, error?: "invalid_request" | "invalid_token" | "insufficient_scope") => ({
  "www-authenticate": `Bearer ${error === undefined ? "" : `error="${error}", `}resource_metadata="${metadataUrl}", scope="${assistantScope}"`
})

/** What a request without a usable token is told. `metadataUrl`: of the protected resource's metadata. */
export const makeChallenges = (metadataUrl: string) => ({
  /** No error is named where no token was sent, so that clients begin to ask for one. */
  tokenMissing: () =>
    new Refusal({
      status: 401,
      message: "Send a token for the assistant server in the header Authorization: Bearer.",
      headers: challenge(metadataUrl)
    }),
  /** Unknown, expired, revoked, of the other mode, of somebody who left, or no token for this server: all look alike. */
  tokenInvalid: () =>
    new Refusal({
      status: 401,
      message:
        "The token is not valid here: connect again, or make a new mcp_ token. API keys and sessions do not open the assistant server.",
      headers: challenge(metadataUrl, "invalid_token")
    }),
  /** RFC 6750, section 3.1. */
  scopeMissing: () =>
    new Refusal({
      status: 403,
      message: `The token was not given the scope ${assistantScope}: connect again.`,
      headers: challenge(metadataUrl, "insufficient_scope")
    }),
  /** OAuth 2.1, section 5.1.1: never in the address, which proxies and servers write down. */
  tokenInAddress: () =>
    new Refusal({
      status: 400,
      message:
        "A token does not belong into the address, which is logged on its way: revoke it, and send a new one in the header Authorization: Bearer.",
      headers: challenge(metadataUrl, "invalid_request")
    })
})
export type Challenges = ReturnType<typeof makeChallenges>
