import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"

/** What a kind of artifact holds, as JSON; its kinds and members are those of the authorization server's library. */
export type ArtifactPayload = Readonly<Record<string, unknown>>

/** Which artifact: `AccessToken` and the token itself, `Client` and a client id. */
export interface ArtifactKey {
  readonly model: string
  readonly id: string
}

/**
 * Driven port: what the authorization server keeps: clients, sign-ins under way, grants, codes and tokens. Of what opens
 * something by itself (tokens, codes) only a digest is kept, and a client's secret is sealed.
 */
export class OauthArtifacts extends Context.Service<
  OauthArtifacts,
  {
    /** In place of an earlier one; that it was consumed stays. `ttlSeconds` undefined: it does not expire. */
    put(key: ArtifactKey, payload: ArtifactPayload, ttlSeconds: number | undefined): Effect.Effect<void, Unavailable>
    /**
     * Undefined where there is none or its time is over. A consumed one is found until then, with `consumed` (epoch
     * seconds) in its payload, since its second use has to be known for one.
     */
    find(key: ArtifactKey): Effect.Effect<ArtifactPayload | undefined, Unavailable>
    /** By the `uid` in the payload. */
    findByUid(model: string, uid: string): Effect.Effect<ArtifactPayload | undefined, Unavailable>
    /** Of any number of attempts at the same time one gets true. */
    consume(key: ArtifactKey): Effect.Effect<boolean, Unavailable>
    /** Of any number of attempts at the same time one gets true. */
    remove(key: ArtifactKey): Effect.Effect<boolean, Unavailable>
    /** All of one model that belong to a grant. */
    removeOfGrant(model: string, grantId: string): Effect.Effect<void, Unavailable>
    /** The grant, and every code and token of it. Inside a unit of work it is a part of that. */
    endGrant(grantId: string): Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/assistants/OauthArtifacts") {}
