import { Context, Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

/** Headers that the handler of this request has asked for, so that they can be kept with its answer. */
export const AnswerHeaders = Context.Reference<Map<string, string> | undefined>(
  "@sarraf/runtime-http/http/AnswerHeaders",
  { defaultValue: () => undefined }
)

/** Sets a header of the answer, whatever the answer becomes. */
export const withHeader = (name: string, value: string) =>
  Effect.flatMap(AnswerHeaders, (headers) => {
    headers?.set(name, value)
    return HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, name, value))
    )
  })
