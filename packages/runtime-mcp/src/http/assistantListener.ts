import type { IncomingMessage, ServerResponse } from "node:http"
import { hostHeaderValidation, originValidation, toNodeHandler } from "@modelcontextprotocol/node"
import type { AssistantPrincipal } from "@sarraf/domain/assistants/AssistantPrincipal"
import { Cause, Effect, Exit } from "effect"
import type { Origin } from "../access/conduct.ts"
import { credentialOf } from "../access/credential.ts"
import { type Entrance, type EntranceOptions, makeEntrance } from "../access/entrance.ts"
import { Refusal, refuse } from "../access/Refusal.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import { faultCodes } from "../protocol/ProtocolFault.ts"
import { answer } from "./answer.ts"
import { metadataDocument, metadataPaths } from "./resourceMetadata.ts"

export interface AssistantServerOptions extends EntranceOptions {
  /** `https://pay.example.com`: who gives out tokens. */
  readonly authorizationServer: string
}

/** Where a request comes from: `network` is whose address it is, for counting tokens that were not valid. */
export interface RequestSource extends Origin {
  readonly network: string
}

/** Answers what comes by HTTP. */
export interface AssistantListener {
  /** Whether an address is its, by its path without the query. */
  owns(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse, source: RequestSource): void
}

/** Ample: arguments of tools are short. */
const bodyBytesMax = 1 << 20

/** Names that mean this machine. Only the sandbox answers to them: in live mode a page could let a name point here. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

/** Guards against DNS rebinding: a browser that was led here by another name is refused. Both answer by themselves. */
const makeNameGuards = ({ livemode, url }: AssistantServerOptions) => {
  const names = [new URL(url).hostname, ...(livemode ? [] : loopbackNames)]
  const guards = [hostHeaderValidation(names), originValidation(names)]
  return (request: IncomingMessage, response: ServerResponse) => guards.every((guard) => guard(request, response))
}

const methodRefused = (allow: string) =>
  new Refusal({ status: 405, message: `Only ${allow} is answered here: there are no sessions.`, headers: { allow } })

const refusalOf = (cause: Cause.Cause<Refusal>): Refusal => {
  const [reason] = cause.reasons
  return reason !== undefined && Cause.isFailReason(reason)
    ? reason.error
    : new Refusal({ status: 500, message: "Internal error" })
}

/** A refusal of one message in a body that was let in. */
const asResponse = ({ headers, message, status }: Refusal) =>
  Response.json(
    { jsonrpc: "2.0", error: { code: faultCodes.refused, message }, id: null },
    { status, headers: { ...headers } }
  )

/** Serves a conversation that was let in, one request long. */
const serve = (
  { conducts, limits }: Entrance,
  catalogue: Catalogue,
  principal: AssistantPrincipal,
  source: RequestSource,
  ended: AbortSignal
) =>
  toNodeHandler(
    {
      fetch: (request) =>
        answer(request, {
          catalogue,
          conduct: conducts(Effect.succeed(principal), source),
          ended,
          admitMore: async (messages) => {
            const exit = await Effect.runPromiseExit(
              limits.consume(principal.credential, principal.organizationId, messages)
            )
            return Exit.isSuccess(exit) ? undefined : asResponse(refusalOf(exit.cause))
          }
        })
    },
    { maxRequestBodySize: bodyBytesMax }
  )

/** The assistant server for `node:http`. What is not its own address it must not be given. */
export const makeAssistantListener = (catalogue: Catalogue, options: AssistantServerOptions) =>
  Effect.gen(function* () {
    const entrance = yield* makeEntrance(options)
    const { admit, challenges } = entrance
    const run = Effect.runPromiseExitWith(yield* Effect.context<never>())
    const hasKnownNames = makeNameGuards(options)
    const { pathname } = new URL(options.url)
    const documents = metadataPaths(options.url)
    const document = metadataDocument({ resourceUrl: options.url, authorizationServer: options.authorizationServer })

    const showDocument = (request: IncomingMessage, response: ServerResponse) => {
      if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, methodRefused("GET, HEAD"))
      response
        // Public, and read by pages of other origins that look for the way in.
        .writeHead(200, { "content-type": "application/json", "access-control-allow-origin": "*" })
        .end(request.method === "HEAD" ? undefined : document)
    }

    const converse = async (request: IncomingMessage, response: ServerResponse, source: RequestSource) => {
      const admitted = credentialOf(request, challenges).pipe(
        Effect.flatMap((token) => admit(token, source.network)),
        Effect.tapDefect((defect) => Effect.logError("A token could not be checked", defect)),
        Effect.annotateLogs({ requestId: source.requestId })
      )
      const ended = new AbortController()
      // With a reason, since the usual one is an error with a stack, for every request.
      response.once("close", () => ended.abort("The connection has ended"))
      const exit = await run(admitted)
      if (Exit.isFailure(exit)) return refuse(response, refusalOf(exit.cause))
      const message = {
        method: "POST",
        url: request.url ?? "/",
        headers: request.headers,
        [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]()
      }
      await serve(entrance, catalogue, exit.value, source, ended.signal)(message, response)
    }

    return {
      owns: (path) => path === pathname || documents.includes(path),
      handle: (request, response, source) => {
        response.setHeader("x-request-id", source.requestId)
        response.setHeader("cache-control", "no-store")
        const path = request.url?.split("?", 1)[0]
        if (path !== undefined && documents.includes(path)) return showDocument(request, response)
        if (!hasKnownNames(request, response)) return
        if (request.method !== "POST") return refuse(response, methodRefused("POST"))
        void converse(request, response, source)
      }
    } satisfies AssistantListener
  })
