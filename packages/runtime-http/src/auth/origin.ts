import { RequestOrigin } from "@sarraf/domain/organizations/RequestOrigin"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { RequestId } from "../http/RequestId.ts"

/** Tells the audit trail where the request comes from, for what does not run under `Atomic`. */
export const withOrigin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
    const origin = { requestId: (yield* RequestId) ?? "", address: Option.getOrNull(remoteAddress) }
    return yield* Effect.provideService(effect, RequestOrigin, origin)
  })
