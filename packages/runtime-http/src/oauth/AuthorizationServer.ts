import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { AssistantConnections, type ConnectionEnd } from "@sarraf/domain/assistants/AssistantConnections"
import { AuthorizationKeys } from "@sarraf/domain/assistants/AuthorizationKeys"
import { ConnectionStore } from "@sarraf/domain/assistants/ConnectionStore"
import { RequestOrigin } from "@sarraf/domain/organizations/RequestOrigin"
import { Cause, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { KoaContextWithOIDC, Provider } from "oidc-provider"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { BesideAddresses } from "../http/Beside.ts"
import { requestIdFrom } from "../http/RequestId.ts"
import * as RequestMetrics from "../telemetry/RequestMetrics.ts"
import { makeArtifactAdapter, orLater } from "./artifactAdapter.ts"
import { Limits } from "./Limits.ts"
import { errorPage } from "./pages.ts"
import { endpoints, makeProvider, type ProviderParts } from "./provider.ts"
import { sendPage } from "./showPage.ts"

/** What an installation says of its authorization server. */
export type Options = Pick<ProviderParts, "deniedHosts" | "fetch" | "issuer" | "mcpUrl">

/** The library with everything that it stands on, for the pages where people sign in and consent. */
export class AuthorizationServer extends Context.Service<
  AuthorizationServer,
  { readonly provider: Provider; readonly issuer: string; readonly mcpUrl: string }
>()("@sarraf/runtime-http/oauth/AuthorizationServer") {}

/** A private key for signatures on P-256 (RFC 7518, section 6.2). */
const SigningKey = Schema.fromJsonString(
  Schema.Struct({
    kty: Schema.Literal("EC"),
    crv: Schema.Literal("P-256"),
    x: Schema.String,
    y: Schema.String,
    d: Schema.String,
    kid: Schema.String,
    alg: Schema.Literal("ES256"),
    use: Schema.Literal("sig")
  })
)

const paths: ReadonlySet<string> = new Set([
  ...Object.values(endpoints),
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration"
])
const owns = (path: string): boolean => paths.has(path) || /^\/oauth\/authorize\/[\w-]{1,100}$/u.test(path)

const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? "unknown"
const pathOf = ({ url = "" }: IncomingMessage): string => url.replace(/[?#].*$/su, "")
/** As it is counted and logged: without what names one sign-in. */
const routeOf = (request: IncomingMessage): string => pathOf(request).replace(/^(\/oauth\/authorize)\/.*$/u, "$1/:uid")

/** What counts against the share of a network; undefined for what makes nothing. */
const limitOf = (request: IncomingMessage): "authorization" | "registration" | undefined => {
  const path = pathOf(request)
  if (path === endpoints.authorization) return "authorization"
  return path === endpoints.registration && request.method === "POST" ? "registration" : undefined
}

const refuse = (what: "authorization" | "registration", response: ServerResponse) => {
  const error = { error: "rate_limited", error_description: "too many requests from this network" }
  response.setHeader("retry-after", "30")
  if (what === "authorization") return sendPage(response, errorPage(error, 429))
  response
    .writeHead(429, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
    .end(JSON.stringify(error))
}

/** The address that the library builds its own from is the public one, whatever the request or a proxy says. */
const pinAddress = (request: IncomingMessage, { host, protocol }: URL) => {
  Object.assign(request.headers, { "x-forwarded-proto": protocol.slice(0, -1), "x-forwarded-host": host })
}

const endOf = ({ oidc }: KoaContextWithOIDC): ConnectionEnd => {
  if (oidc.route !== "token") return "given back by the client"
  return oidc.params?.grant_type === "refresh_token" ? "refresh token used twice" : "code used twice"
}

/** Ends the connection of a grant that the library has revoked, before the answer leaves. */
const watchGrants = (
  provider: Provider,
  end: (grantId: string, reason: ConnectionEnd, origin: typeof RequestOrigin.Service) => Promise<void>
) => {
  const ended = new WeakMap<IncomingMessage, readonly [grantId: string, reason: ConnectionEnd]>()
  provider.on("grant.revoked", (ctx, grantId) => {
    ended.set(ctx.req, [grantId, endOf(ctx)])
  })
  provider.use(async ({ req, res }, next) => {
    await next()
    const told = ended.get(req)
    if (told === undefined) return
    const requestId = String(res.getHeader("x-request-id") ?? "")
    await end(...told, { requestId, address: req.socket.remoteAddress ?? null })
  })
}

/** The authorization server at its addresses. What the pages need of it is a service. */
export const layer = (options: Options) =>
  Layer.effect(
    AuthorizationServer,
    Effect.gen(function* () {
      const connections = yield* AssistantConnections
      const store = yield* ConnectionStore
      const limits = yield* Limits
      const beside = yield* BesideAddresses
      const { cookieKeys, signingKey } = yield* AuthorizationKeys
      const { livemode } = yield* GatewayMode
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const inform = (effect: Effect.Effect<void>) => void Effect.runForkWith(context)(effect)

      const provider = makeProvider({
        ...options,
        adapter: yield* makeArtifactAdapter,
        signingKey: yield* Effect.orDie(Schema.decodeEffect(SigningKey)(Redacted.value(signingKey))),
        cookieKeys: cookieKeys.map(Redacted.value),
        fetch: async (input, init) => {
          const { hostname } = new URL(input instanceof Request ? input.url : input)
          if (!(await run(limits.take("hosts", hostname)))) throw new TypeError("This host was asked too often")
          return options.fetch(input, init)
        },
        // A page of ours is of a client that was known a moment ago; it takes nothing from who begins.
        mayFetch: async (request) => request === undefined || run(limits.take("documents", addressOf(request))),
        connectionOf: async (grantId) => {
          const found = await run(orLater(store.ofGrant(grantId)))
          return found?.isOpen === true && found.livemode === livemode ? found : undefined
        }
      })
      const complain = (error: unknown) =>
        inform(Effect.logError("The authorization server could not answer a request", Cause.die(error)))
      provider.on("server_error", (_ctx, error) => complain(error))
      // As it is, it prints the stack.
      provider.onerror = complain

      watchGrants(provider, (grantId, reason, origin) =>
        run(
          connections.end(grantId, reason).pipe(
            Effect.provideService(RequestOrigin, origin),
            Effect.tap(() =>
              reason === "given back by the client"
                ? Effect.void
                : Effect.logWarning(`Security: an assistant's connection was ended, since its ${reason}`)
            ),
            Effect.catchCause((cause) => Effect.logError("A connection could not be marked as ended", cause))
          )
        )
      )

      const record = RequestMetrics.makeRecorder()
      const watch = (request: IncomingMessage, response: ServerResponse, requestId: string) => {
        const begun = performance.now()
        response.once("close", () => {
          const { method = "" } = request
          const [route, status, millis] = [routeOf(request), response.statusCode, performance.now() - begun]
          record(context, { route, method, status, millis })
          const log = Effect.logDebug(`${method} ${route} ${status}`)
          inform(Effect.annotateLogs(log, { requestId, durationMillis: Math.round(millis * 10) / 10 }))
        })
      }

      const issuer = new URL(options.issuer)
      const answer = provider.callback()
      const handle: RequestListener = (request, response) => {
        const given = request.headers["x-request-id"]
        const requestId = requestIdFrom(typeof given === "string" ? given : undefined)
        response.setHeader("x-request-id", requestId)
        watch(request, response, requestId)
        pinAddress(request, issuer)
        const what = limitOf(request)
        if (what === undefined) return void answer(request, response)
        run(limits.take(what, addressOf(request))).then(
          (isAllowed) => (isAllowed ? answer(request, response) : refuse(what, response)),
          (error) => {
            complain(error)
            response.destroy()
          }
        )
      }
      beside.add({ owns, handle })
      return { provider, issuer: options.issuer, mcpUrl: options.mcpUrl }
    })
  )
