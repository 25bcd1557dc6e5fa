import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServedRoute } from "../http/allowedMethods.ts"
import { problemResponse } from "../http/Problem.ts"

const path = "/sandbox/:provider/*"
const methods = ["GET", "POST", "PUT", "DELETE"] as const

/** Everything this layer serves, for telling 404 and 405 apart; its failures are the simulators' own. */
export const routes: ReadonlyArray<ServedRoute> = methods.map((method) => [method, path, "page"])

interface Exchange {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** What a simulated provider does with a browser's request. */
interface SimulatedPages {
  handle(
    request: Exchange & { readonly provider: string; readonly method: (typeof methods)[number]; readonly url: string }
  ): Effect.Effect<
    Required<Exchange> & { readonly status: number },
    { readonly _tag: "ConnectFailed" | "NoAnswer"; readonly reason: string }
  >
}

interface Options<R> {
  /** Where a browser reaches a provider's simulator, without a slash at its end: its `pagesUrl`. */
  readonly pagesUrl: (provider: string) => string
  readonly simulators: Effect.Effect<ReadonlyMap<string, SimulatedPages>, never, R>
}

/** What the simulator does not say is said for it: an answer is of the type that it has, and nobody keeps it. */
const usual = { "x-content-type-options": "nosniff", "cache-control": "no-store" }

/**
 * Whoever knows the sandbox's credentials, which are public, has a say in these pages, and they come from the gateway's
 * own address: the browser treats them as of no origin, in no frame (CSP 3, `sandbox`).
 */
const foreign = {
  "content-security-policy":
    "sandbox allow-forms allow-scripts allow-top-navigation; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
}

const unreachable = problemResponse("PROVIDER_ERROR", {
  detail: "The simulated provider does not answer, as it was asked not to. Try again."
})

/**
 * The simulated providers' and issuers' own pages, for TEST mode alone: any request to `/sandbox/{provider}/…` is handed
 * to that provider's simulator, and its answer is returned as it is.
 */
export const layer = <R>({ pagesUrl, simulators }: Options<R>) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const byProvider = yield* simulators
      const answer = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { provider = "" } = yield* HttpRouter.params
        const simulator = byProvider.get(provider)
        if (simulator === undefined)
          return problemResponse("NOT_FOUND", { detail: "No provider of the sandbox has this name." })
        const method = methods.find((one) => one === request.method)
        // HEAD comes to the routes of GET, and a simulator has nothing to say to it.
        if (method === undefined) return HttpServerResponse.empty({ status: 200, headers: usual })
        const [, rest = ""] = /^\/+sandbox\/+[^/?]+(.*)$/isu.exec(request.url) ?? []
        const contentType = request.headers["content-type"]
        const body = method === "GET" ? undefined : new Uint8Array(yield* request.arrayBuffer)
        const answered = yield* simulator.handle({
          provider,
          method,
          url: `${pagesUrl(provider)}${rest}`,
          headers: contentType === undefined ? {} : { "content-type": contentType },
          ...(body === undefined ? {} : { body })
        })
        const { "content-type": type = "application/octet-stream", ...headers } = answered.headers
        return HttpServerResponse.uint8Array(answered.body, {
          status: answered.status,
          contentType: type,
          headers: { ...usual, ...headers, ...foreign }
        })
      }).pipe(
        Effect.catchTag("HttpServerError", () => Effect.succeed(problemResponse("PAYLOAD_TOO_LARGE"))),
        Effect.catch(() => Effect.succeed(unreachable))
      )
      for (const method of methods) yield* router.add(method, path, answer)
    })
  )
