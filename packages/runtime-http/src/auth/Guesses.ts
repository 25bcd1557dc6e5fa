import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { RateLimited } from "../api/problems.ts"
import { GatewayRateLimit } from "./GatewayRateLimit.ts"

type Request = HttpServerRequest.HttpServerRequest

const purpose = "guesses"

/** Whatever compares something that can be guessed: a password, a code of six digits. */
export class Guesses extends Context.Service<
  Guesses,
  {
    /**
     * Counts the try against its address before it is made, so that many at once count too, and takes that back unless
     * `isWrong`. After sixty wrong ones, a second has to pass for each more.
     */
    count<A, E, R>(
      attempt: Effect.Effect<A, E, R>,
      isWrong: (error: E) => boolean
    ): Effect.Effect<A, E | RateLimited, R | Request>
  }
>()("@sarraf/runtime-http/auth/Guesses") {
  static readonly layer = Layer.effect(
    Guesses,
    Effect.map(GatewayRateLimit, ({ countFailure, forgiveFailure }) =>
      Guesses.of({
        count: (attempt, isWrong) =>
          Effect.gen(function* () {
            const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
            const address = Option.getOrElse(remoteAddress, () => "unknown")
            yield* countFailure(address, purpose)
            return yield* attempt.pipe(
              Effect.tap(() => forgiveFailure(address, purpose)),
              Effect.tapError((error) => (isWrong(error) ? Effect.void : forgiveFailure(address, purpose)))
            )
          })
      })
    )
  )
}
