import { AcceptLink } from "@sarraf/domain/organizations/AcceptLink"
import type { SignInRefused } from "@sarraf/domain/organizations/BeginSession"
import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { Guesses } from "../auth/Guesses.ts"
import { withOrigin } from "../auth/origin.ts"
import type { ServedRoute } from "../http/allowedMethods.ts"
import { formFields } from "../threeds/formFields.ts"
import * as pages from "./pages.ts"

const path = "/account/:token"

/** Everything this layer serves; its failures are pages of its own. */
export const routes: ReadonlyArray<ServedRoute> = [
  ["GET", path, "page"],
  ["POST", path, "page"]
]

const linkToken = Effect.map(HttpRouter.params, ({ token = "" }) => Redacted.make(token))

/** The fields of a form; a body that is none has none. */
const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = yield* Effect.catchTag(request.arrayBuffer, "HttpServerError", () => Effect.succeed(new ArrayBuffer(0)))
  return formFields(new Uint8Array(body))
})

const later = (status: 429 | 503) =>
  Effect.succeed(HttpServerResponse.setHeader(pages.laterPage(status), "retry-after", "5"))

/**
 * Where a one-time link leads: `GET /account/{token}` shows what is asked for and changes nothing, however often, and the
 * form's POST uses the link. Only who holds the link can send that, so that no other proof of the form is needed.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const links = yield* AcceptLink
    const guesses = yield* Guesses
    const { livemode } = yield* GatewayMode

    const show = Effect.gen(function* () {
      return pages.formPage(yield* links.find(yield* linkToken, livemode))
    })

    const use = Effect.gen(function* () {
      const token = yield* linkToken
      const link = yield* links.find(token, livemode)
      const { password = "" } = yield* readForm
      const used = links.use({ token, password: Redacted.make(password), name: undefined, livemode })
      const isWrong = ({ _tag }: { readonly _tag: string }) => _tag === "SignInRefused"
      return yield* withOrigin(guesses.count(used, isWrong)).pipe(
        Effect.map(() => pages.donePage(link)),
        Effect.catchTags({
          SignInRefused: (_: SignInRefused) =>
            Effect.succeed(pages.formPage(link, "This is not your present password.", 403)),
          InvalidFields: ({ faults }) =>
            Effect.succeed(pages.formPage(link, `The password ${faults[0]?.message ?? "cannot be taken"}.`, 400))
        })
      )
    })

    const failures = {
      NotFound: () => Effect.succeed(pages.deadPage()),
      Unavailable: () => later(503)
    }
    yield* router.add("GET", path, Effect.catchTags(show, failures))
    yield* router.add("POST", path, Effect.catchTags(use, { ...failures, RATE_LIMITED: () => later(429) }))
  })
)
