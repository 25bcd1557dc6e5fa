import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { AssistantPrincipal } from "./AssistantPrincipal.ts"

/** Driven port: whom an access token of the authorization server stands for (OAuth 2.1, RFC 8707). */
export class ConnectionTokens extends Context.Service<
  ConnectionTokens,
  {
    /**
     * Undefined for a token that never was, has expired, is for another audience, whose grant or connection was revoked,
     * and for a person who is no ACTIVE member or lacks the second factor that the organization demands. Being found counts as use, which is written down once a minute.
     */
    find(token: Redacted.Redacted<string>): Effect.Effect<AssistantPrincipal | undefined, Unavailable>
  }
>()("@sarraf/domain/assistants/ConnectionTokens") {}
