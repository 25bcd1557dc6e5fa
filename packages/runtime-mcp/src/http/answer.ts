import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { createMcpHandler, isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server"
import { Predicate } from "effect"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Conduct } from "../protocol/Conduct.ts"
import { makeCurrentServer } from "../protocol/currentServer.ts"
import { makeLegacyServer } from "../protocol/legacyServer.ts"
import { faultCodes } from "../protocol/ProtocolFault.ts"

/** Messages in one body, which revision 2025-03-26 allows: as many as hosts send, and no way around the rate limit. */
const messagesMax = 20

/** JSON-RPC 2.0, section 5.1. */
const parseError = -32_700
const invalidRequest = -32_600

const refused = (status: number, code: number, message: string) =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

/** What an answer needs of the request that it belongs to. */
export interface Conversation {
  readonly catalogue: Catalogue
  readonly conduct: Conduct
  /** Aborted when the connection or the answer has ended. */
  readonly ended: AbortSignal
  /** Lets further messages of the same body in, or answers why not. */
  admitMore(messages: number): Promise<Response | undefined>
}

const asksForProgress = (body: unknown): boolean =>
  Predicate.hasProperty(body, "params") &&
  Predicate.hasProperty(body.params, "_meta") &&
  Predicate.hasProperty(body.params._meta, "progressToken")

/** Revisions up to 2025-11-25: a server and a transport for this one request, since nothing is kept between requests. */
const answerLegacy = async (request: Request, body: unknown, { catalogue, conduct, ended }: Conversation) => {
  const server = makeLegacyServer(catalogue, conduct)
  const transport = new WebStandardStreamableHTTPServerTransport({
    // One JSON document, but where the client is told something before.
    enableJsonResponse: catalogue.logs !== true && !asksForProgress(body)
  })
  const gone = new Promise<Response>((resolve) => {
    ended.addEventListener("abort", () => {
      // Nobody reads it any more.
      resolve(new Response(null, { status: 499 }))
      void server.close()
    })
  })
  await server.connect(transport)
  return Promise.race([transport.handleRequest(request, { parsedBody: body }), gone])
}

/** Subscriptions are acknowledged and ended: what is offered changes with a release, so that there is nothing to tell. */
const answerCurrent = (request: Request, body: unknown, { catalogue, conduct }: Conversation) =>
  createMcpHandler(() => makeCurrentServer(catalogue, conduct), { legacy: "reject" }).fetch(request, {
    parsedBody: body
  })

/** One document says how long it is; a stream cannot. */
const withLength = async (response: Response): Promise<Response> => {
  if (response.body === null || response.headers.get("content-type") !== "application/json") return response
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set("content-length", String(body.byteLength))
  return new Response(body, { status: response.status, headers })
}

const converse = async (request: Request, conversation: Conversation): Promise<Response> => {
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return refused(415, faultCodes.refused, "Send JSON, with Content-Type: application/json.")
  }
  let body: unknown
  try {
    body = JSON.parse(await request.text())
  } catch {
    return refused(400, parseError, "The body is not JSON.")
  }
  if (Array.isArray(body)) {
    if (body.length > messagesMax) return refused(400, invalidRequest, `Send at most ${messagesMax} messages at once.`)
    const tooMany = body.length > 1 ? await conversation.admitMore(body.length - 1) : undefined
    if (tooMany !== undefined) return tooMany
  }
  return (await isLegacyRequest(request, body))
    ? answerLegacy(request, body, conversation)
    : answerCurrent(request, body, conversation)
}

/** Answers one POST of the protocol, in whichever revision the client speaks. */
export const answer = async (request: Request, conversation: Conversation): Promise<Response> =>
  withLength(await converse(request, conversation))
