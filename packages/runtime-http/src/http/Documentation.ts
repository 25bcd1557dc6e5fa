import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger } from "effect/http-api"
import { errorCodes, isErrorCode } from "../api/errorCatalogue.ts"
import { type DocumentOptions, documented, toOpenApi31 } from "../api/openapi.ts"
import { toOpenApi30 } from "../api/openapi30.ts"
import type { ServedRoute } from "./allowedMethods.ts"
import { contentHash, makeDocument, serve } from "./CachedDocument.ts"
import { errorIndexPage, errorPage } from "./errorPages.ts"
import { eventSchemaDocuments, eventsPage } from "./eventPages.ts"
import { problemResponse } from "./Problem.ts"

const json = "application/json; charset=utf-8"

/** Everything this layer serves, for telling 404 and 405 apart. */
export const routes: ReadonlyArray<ServedRoute> = [
  ["GET", "/openapi.json"],
  ["GET", "/openapi-3.1.json"],
  ["GET", "/docs"],
  ["GET", "/docs/errors"],
  ["GET", "/docs/errors/:code"],
  ["GET", "/docs/events"],
  ["GET", "/docs/events/:file"]
]

const textsBetween = (html: string, tag: "script" | "style") =>
  [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(([, text = ""]) => contentHash(text))

/** Only what the page itself contains may run, by its digest; requests go to the API alone, and nothing is framed. */
const policyFor = (html: string, serverUrl: string | undefined) => {
  const api = serverUrl !== undefined && URL.canParse(serverUrl) ? ` ${new URL(serverUrl).origin}` : ""
  return [
    "default-src 'none'",
    `script-src ${textsBetween(html, "script").join(" ")}`,
    `style-src ${textsBetween(html, "style").join(" ")}`,
    "img-src 'self' data:",
    `connect-src 'self'${api}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/**
 * The reference page: the interface and the document in one file, nothing fetched from elsewhere. Its 2 MB are loaded
 * when somebody first asks, not at start.
 */
const referencePage = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options: DocumentOptions
) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const page = HttpApiSwagger.layer(documented(api, options), { path: "/docs" })
    yield* Layer.build(Layer.provide(page, Layer.succeed(HttpRouter.HttpRouter, router)))
    const { body } = yield* Effect.orDie(router.asHttpEffect())
    const html = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
    return makeDocument("text/html; charset=utf-8", html, {
      "content-security-policy": policyFor(html, options.serverUrl),
      "referrer-policy": "no-referrer"
    })
  }).pipe(Effect.scoped)

const noSuchSchema = problemResponse("NOT_FOUND", { detail: "There is no such event. /docs/events lists them all." })
const noSuchCode = problemResponse("NOT_FOUND", { detail: "There is no such error code. /docs/errors lists them all." })

/**
 * The contract as OpenAPI 3.0 (`/openapi.json`) and 3.1 (`/openapi-3.1.json`), as a page (`/docs`), and every error code
 * with its cure (`/docs/errors`), and every event with its schema (`/docs/events`). Each is made once, when first asked for, and revalidated by ETag.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options: DocumentOptions = {}
) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const openApi30 = yield* Effect.cached(
        Effect.sync(() => makeDocument(json, JSON.stringify(toOpenApi30(toOpenApi31(api, options)))))
      )
      const openApi31 = yield* Effect.cached(
        Effect.sync(() => makeDocument(json, JSON.stringify(toOpenApi31(api, options))))
      )
      const reference = yield* Effect.cached(referencePage(api, options))
      const index = yield* Effect.cached(Effect.sync(errorIndexPage))
      const pages = yield* Effect.cached(Effect.sync(() => new Map(errorCodes.map((code) => [code, errorPage(code)]))))
      yield* router.add("GET", "/openapi.json", Effect.flatMap(openApi30, serve))
      yield* router.add("GET", "/openapi-3.1.json", Effect.flatMap(openApi31, serve))
      yield* router.add("GET", "/docs", Effect.flatMap(reference, serve))
      yield* router.add("GET", "/docs/errors", Effect.flatMap(index, serve))
      yield* router.add(
        "GET",
        "/docs/errors/:code",
        Effect.gen(function* () {
          const { code = "" } = yield* HttpRouter.params
          const page = isErrorCode(code) ? (yield* pages).get(code) : undefined
          return page === undefined ? noSuchCode : yield* serve(page)
        })
      )
      const events = yield* Effect.cached(Effect.sync(eventsPage))
      const schemas = yield* Effect.cached(Effect.sync(eventSchemaDocuments))
      yield* router.add("GET", "/docs/events", Effect.flatMap(events, serve))
      yield* router.add(
        "GET",
        "/docs/events/:file",
        Effect.gen(function* () {
          const { file = "" } = yield* HttpRouter.params
          const schema = (yield* schemas).get(file)
          return schema === undefined ? noSuchSchema : yield* serve(schema)
        })
      )
    })
  )
