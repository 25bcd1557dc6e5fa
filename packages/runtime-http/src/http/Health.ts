import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { ServedRoute } from "./allowedMethods.ts"
import { problemResponse } from "./Problem.ts"

/** Whether requests can be served at this moment. The server provides it, and says no as soon as it begins to stop. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** `reasons`: short clauses without inner details, such as "the database does not answer"; empty when ready. */
    readonly check: Effect.Effect<{ readonly ready: boolean; readonly reasons: ReadonlyArray<string> }>
  }
>()("@sarraf/runtime-http/http/Readiness") {}

/** Everything this layer serves, for telling 404 and 405 apart. */
export const routes: ReadonlyArray<ServedRoute> = [
  ["GET", "/healthz"],
  ["GET", "/readyz"]
]

/** A balancer asks every few seconds; an answer from before would be a wrong one. */
const headers = { "cache-control": "no-store" }

/**
 * `/healthz` says that the process is up and answers, whatever it depends on: restart it when it does not. `/readyz`
 * says that requests can be served: 503 UNAVAILABLE otherwise, so send none.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const readiness = yield* Readiness
    yield* router.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers }))
    yield* router.add(
      "GET",
      "/readyz",
      Effect.map(readiness.check, ({ ready, reasons }) =>
        ready
          ? HttpServerResponse.jsonUnsafe({ status: "ready" }, { headers })
          : problemResponse("UNAVAILABLE", {
              detail: `Not ready: ${reasons.join(", ") || "starting or stopping"}. Ask again in a moment.`,
              reasons
            })
      )
    )
  })
)
