import { type AssistantPrincipal, assistantScope } from "@sarraf/domain/assistants/AssistantPrincipal"
import { ConnectionTokens } from "@sarraf/domain/assistants/ConnectionTokens"
import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { AssistantTokens } from "@sarraf/domain/organizations/AssistantTokens"
import { Effect, Redacted } from "effect"
import type { Challenges } from "./challenge.ts"
import type { Limits } from "./limits.ts"
import { type Refusal, unavailable } from "./Refusal.ts"

/** Looks up whom a token stands for, and lets it in or not. At each call: what was revoked is out at once. */
export type Admit = (
  token: Redacted.Redacted<string>,
  /** Where it came from, for counting tokens that were not valid; undefined where nobody can guess. */
  network: string | undefined
) => Effect.Effect<AssistantPrincipal, Refusal>

const isAssistantToken = (text: string) => /^mcp_[A-Za-z0-9_-]{1,200}$/u.test(text)

/** As RFC 6750, section 2.1 spells tokens. Those of sessions and API keys are not looked up, let alone accepted. */
const mayBeConnectionToken = (text: string) =>
  /^[A-Za-z0-9._~+/-]{16,512}=*$/u.test(text) && !/^(?:sess_|key_|mcp_)/u.test(text)

interface AdmissionOptions {
  readonly livemode: boolean
  readonly challenges: Challenges
  readonly limits: Limits
}

export const makeAdmit = ({ challenges, limits, livemode }: AdmissionOptions) =>
  Effect.gen(function* () {
    const assistantTokens = yield* AssistantTokens
    const connectionTokens = yield* ConnectionTokens

    const ofAssistantToken = (token: Redacted.Redacted<string>) =>
      Effect.map(assistantTokens.find(token), (found): AssistantPrincipal | undefined =>
        found === undefined
          ? undefined
          : {
              organizationId: found.organizationId,
              userId: found.userId,
              role: found.role,
              credential: `token:${found.id}`,
              clientId: null,
              scopes: [assistantScope],
              expiresAt: found.expiresAt,
              livemode: found.livemode
            }
      )

    const find = (token: Redacted.Redacted<string>): Effect.Effect<AssistantPrincipal | undefined, Unavailable> => {
      const text = Redacted.value(token)
      if (isAssistantToken(text)) return ofAssistantToken(token)
      return mayBeConnectionToken(text) ? connectionTokens.find(token) : Effect.succeed(undefined)
    }

    const admit: Admit = Effect.fn("assistants.admit")(function* (token, network) {
      const found = yield* Effect.catch(find(token), () => Effect.fail(unavailable()))
      if (found === undefined || found.livemode !== livemode) {
        if (network !== undefined) yield* limits.countFailure(network)
        return yield* challenges.tokenInvalid()
      }
      if (!found.scopes.includes(assistantScope)) return yield* challenges.scopeMissing()
      yield* limits.consume(found.credential, found.organizationId, 1)
      return found
    })
    return admit
  })
