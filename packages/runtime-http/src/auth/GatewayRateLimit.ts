import { createHash } from "node:crypto"
import { isIPv6 } from "node:net"
import { Context, Duration, Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimiter } from "effect/persistence"
import { RateLimited } from "../api/problems.ts"

/** Failed signatures of one address: sixty at once, then one a second. */
const failuresMax = 60
const failuresWindow = Duration.seconds(60)

/** Requests of one credential (contract section 1). */
export interface RateLimitSettings {
  readonly perSecond: number
  readonly burst: number
}

const withHeaders = (headers: Readonly<Record<string, string>>) =>
  HttpEffect.appendPreResponseHandler((_, response) => Effect.succeed(HttpServerResponse.setHeaders(response, headers)))

const seconds = (duration: Duration.Duration) => Math.max(1, Math.ceil(Duration.toSeconds(duration)))

/**
 * The buckets of addresses: so many that two addresses seldom share one, and no more, since whoever sends from ever new
 * addresses would otherwise fill the memory. An IPv6 address counts by its /64, which is one customer's.
 */
const addressBuckets = 65_536
const bucketOf = (address: string): number => {
  const network = isIPv6(address) && !address.startsWith("::ffff:") ? address.split(":").slice(0, 4).join(":") : address
  return createHash("sha256").update(network).digest().readUInt32BE() % addressBuckets
}

/** Token buckets of this process: by credential for what is signed rightly, by address for what is not. */
export class GatewayRateLimit extends Context.Service<
  GatewayRateLimit,
  {
    /** Takes a token of the client; adds `RateLimit` and `RateLimit-Policy` to the answer, whatever it becomes. */
    consume(clientId: string): Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Counts a failed signature against its address, never against the client that it names. */
    countFailure(address: string): Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Takes back a failure that was counted before it was known to be none. */
    forgiveFailure(address: string): Effect.Effect<void>
  }
>()("@sarraf/runtime-http/auth/GatewayRateLimit") {
  static readonly layer = ({ burst, perSecond }: RateLimitSettings) =>
    Layer.effect(
      GatewayRateLimit,
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.RateLimiter
        const window = Duration.seconds(burst / perSecond)
        const policy = `"default";q=${burst};w=${seconds(window)}`
        const ofAddress = (address: string) =>
          ({
            algorithm: "token-bucket",
            key: `address:${bucketOf(address)}`,
            limit: failuresMax,
            window: failuresWindow
          }) as const
        const refuse = (retryAfter: Duration.Duration, headers: Readonly<Record<string, string>>) =>
          Effect.andThen(
            withHeaders({ ...headers, "retry-after": String(seconds(retryAfter)) }),
            Effect.fail(new RateLimited({ detail: `Wait ${seconds(retryAfter)} s, then send the request again.` }))
          )
        return GatewayRateLimit.of({
          consume: (clientId) =>
            limiter.consume({ algorithm: "token-bucket", key: `client:${clientId}`, limit: burst, window }).pipe(
              Effect.matchEffect({
                onSuccess: ({ remaining }) =>
                  withHeaders({
                    "ratelimit-policy": policy,
                    ratelimit: `"default";r=${remaining};t=${seconds(window)}`
                  }),
                onFailure: ({ reason }) =>
                  reason._tag === "RateLimitExceeded"
                    ? refuse(reason.retryAfter, { "ratelimit-policy": policy, ratelimit: '"default";r=0;t=1' })
                    : Effect.die(reason)
              })
            ),
          countFailure: (address) =>
            limiter.consume(ofAddress(address)).pipe(
              Effect.matchEffect({
                onSuccess: () => Effect.void,
                onFailure: ({ reason }) =>
                  reason._tag === "RateLimitExceeded" ? refuse(reason.retryAfter, {}) : Effect.die(reason)
              })
            ),
          forgiveFailure: (address) =>
            Effect.ignore(limiter.consume({ ...ofAddress(address), tokens: -1, onExceeded: "delay" }))
        })
      })
    ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
}
