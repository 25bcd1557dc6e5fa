import { makePublicFetch } from "@sarraf/adapters/oauth/PublicFetch"
import * as PgAuthorizationKeys from "@sarraf/adapters/postgres/oauth/PgAuthorizationKeys"
import * as PgConnectionStore from "@sarraf/adapters/postgres/oauth/PgConnectionStore"
import * as PgOauthArtifacts from "@sarraf/adapters/postgres/oauth/PgOauthArtifacts"
import { AssistantConnections } from "@sarraf/domain/assistants/AssistantConnections"
import { Effect, Layer } from "effect"
import { type Configuration, mcpUrlOf } from "./configuration/Configuration.ts"
import type { Addresses } from "./gateway.ts"
import * as AuthorizationServer from "./oauth/AuthorizationServer.ts"
import * as interactions from "./oauth/interactions.ts"
import { Limits } from "./oauth/Limits.ts"

/** Connections of assistants, for the endpoints that show and revoke them and for the authorization server. */
export const connections = AssistantConnections.layer.pipe(
  Layer.provideMerge(Layer.merge(PgConnectionStore.layer, PgOauthArtifacts.layer))
)

/** Pages, paths for 405, and the library's own addresses. */
export const routes = interactions.routes

/** Live mode has tokens travel over https alone; without a public address nobody could say so. */
const isServed = ({ baseUrl, mode }: Configuration): boolean => mode === "test" || baseUrl !== undefined

/**
 * The authorization server of the assistant server, its issuer at the root of the public address. Where live mode was not
 * told that, assistants connect with `mcp_` tokens alone.
 */
export const layer = (configuration: Configuration, { baseUrl }: Addresses) =>
  isServed(configuration)
    ? interactions.layer.pipe(
        Layer.provide(
          AuthorizationServer.layer({
            issuer: new URL(baseUrl).origin,
            mcpUrl: mcpUrlOf(configuration, baseUrl),
            deniedHosts: configuration.deniedClientHosts,
            fetch: makePublicFetch()
          })
        ),
        Layer.provide([PgAuthorizationKeys.layer, Limits.layer])
      )
    : Layer.effectDiscard(
        Effect.logWarning("SARRAF_BASE_URL is not set, so that assistants cannot be connected by OAuth: set it.")
      )
