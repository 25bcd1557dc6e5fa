import { createHmac, randomBytes } from "node:crypto"
import { Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { type Refusal, tooMany } from "./Refusal.ts"

/** Of one credential. */
export interface AssistantRate {
  readonly perSecond: number
  /** What the bucket holds when full. */
  readonly burst: number
}

/** An organization has as much as so many credentials, however many its people connect. */
const credentialsPerOrganization = 5

/** Tokens that were not valid, of one network: sixty at once, then one a second. */
const failuresMax = 60
const failuresWindow = Duration.minutes(1)

/** So many buckets that two networks seldom share one, and no more, since anybody can send from ever new addresses. */
const failureBuckets = 65_536

const seconds = (duration: Duration.Duration) => Math.max(1, Math.ceil(Duration.toSeconds(duration)))

/** Token buckets of this process. */
export interface Limits {
  /** Takes `requests` from the bucket of the credential and from that of its organization. */
  consume(credential: string, organizationId: string, requests: number): Effect.Effect<void, Refusal>
  /** Counts a token that was not valid against the network it came from, never against whom it named. */
  countFailure(network: string): Effect.Effect<void, Refusal>
}

const waitFor = (retryAfter: Duration.Duration) => `Wait ${seconds(retryAfter)} s, then send the request again.`

const make = ({ burst, perSecond }: AssistantRate) =>
  Effect.map(RateLimiter.RateLimiter, (limiter): Limits => {
    const secret = randomBytes(32)
    const bucketOf = (network: string) =>
      createHmac("sha256", secret).update(network).digest().readUInt32BE() % failureBuckets
    const take = (key: string, limit: number, window: Duration.Duration, tokens: number, why: string) =>
      limiter.consume({ algorithm: "token-bucket", key, limit, window, tokens }).pipe(
        Effect.asVoid,
        Effect.catch(({ reason }) =>
          reason._tag === "RateLimitExceeded"
            ? Effect.fail(tooMany(`${why} ${waitFor(reason.retryAfter)}`, seconds(reason.retryAfter)))
            : Effect.die(reason)
        )
      )
    const window = Duration.seconds(burst / perSecond)
    return {
      consume: (credential, organizationId, requests) =>
        Effect.andThen(
          take(`credential:${credential}`, burst, window, requests, "This token sends too many requests."),
          take(
            `organization:${organizationId}`,
            burst * credentialsPerOrganization,
            window,
            requests,
            "The assistants of this organization send too many requests."
          )
        ),
      countFailure: (network) =>
        take(
          `failures:${bucketOf(network)}`,
          failuresMax,
          failuresWindow,
          1,
          "Too many tokens from this address were not valid."
        )
    }
  })

/** Buckets in the memory of this process: several processes let through so many times as much. */
export const makeLimits = (rate: AssistantRate) =>
  Effect.provide(make(rate), Layer.provide(RateLimiter.layer, RateLimiter.layerStoreMemory))
