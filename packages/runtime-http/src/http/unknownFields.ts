import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Fault, formatFaults } from "./formatFaults.ts"

/**
 * The fields of the request's JSON body that its schema does not know, for `warnings` (contract section 1): `/api`
 * ignores them and says so. To be asked for a body that did decode, so that nothing else can be wrong with it.
 */
export const unknownFields = <S extends Schema.Constraint>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(schema))
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = yield* Effect.orDie(request.json)
    return yield* decode(body, { errors: "all", onExcessProperty: "error" }).pipe(
      Effect.match({
        onSuccess: (): ReadonlyArray<Fault> => [],
        onFailure: ({ issue }) =>
          formatFaults(issue).map(({ path }) => ({ path, message: "is not a known field: it was ignored" }))
      })
    )
  })
}
