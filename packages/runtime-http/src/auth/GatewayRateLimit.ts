import { createHmac, randomBytes } from "node:crypto"
import { Context, Duration, Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimiter } from "effect/persistence"
import { RateLimited } from "../api/problems.ts"
import { networkOf } from "./network.ts"

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
 * The buckets of addresses: so many that two seldom share one, and no more, since whoever sends from ever new addresses
 * would otherwise fill the memory. Nobody outside can tell which addresses share one and spend somebody else's.
 */
const addressBuckets = 65_536
const bucketSecret = randomBytes(32)
const bucketOf = (purpose: string, address: string): number => {
  const digest = createHmac("sha256", bucketSecret)
    .update(`${purpose} ${networkOf(address)}`)
    .digest()
  return digest.readUInt32BE() % addressBuckets
}

/** Token buckets of this process: by credential for what is signed rightly, by address for what is not. */
export class GatewayRateLimit extends Context.Service<
  GatewayRateLimit,
  {
    /** Takes a token of the client; adds `RateLimit` and `RateLimit-Policy` to the answer, whatever it becomes. */
    consume(clientId: string): Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /**
     * Counts a failure against its address, never against the client or person that it names. Failures of one `purpose`
     * are counted apart from those of others.
     */
    countFailure(
      address: string,
      purpose?: string
    ): Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Takes back a failure that was counted before it was known to be none. */
    forgiveFailure(address: string, purpose?: string): Effect.Effect<void>
  }
>()("@sarraf/runtime-http/auth/GatewayRateLimit") {
  static readonly layer = ({ burst, perSecond }: RateLimitSettings) =>
    Layer.effect(
      GatewayRateLimit,
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.RateLimiter
        const window = Duration.seconds(burst / perSecond)
        const policy = `"default";q=${burst};w=${seconds(window)}`
        const ofAddress = (address: string, purpose = "credentials") =>
          ({
            algorithm: "token-bucket",
            key: `address:${bucketOf(purpose, address)}`,
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
          countFailure: (address, purpose) =>
            limiter.consume(ofAddress(address, purpose)).pipe(
              Effect.matchEffect({
                onSuccess: () => Effect.void,
                onFailure: ({ reason }) =>
                  reason._tag === "RateLimitExceeded" ? refuse(reason.retryAfter, {}) : Effect.die(reason)
              })
            ),
          forgiveFailure: (address, purpose) =>
            Effect.ignore(limiter.consume({ ...ofAddress(address, purpose), tokens: -1, onExceeded: "delay" }))
        })
      })
    ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
}
