import type { IncomingMessage } from "node:http"
import { OfferedCatalogue } from "@sarraf/runtime-mcp/catalogue/OfferedCatalogue"
import type { AssistantListener, AssistantServerOptions } from "@sarraf/runtime-mcp/http/assistantListener"
import { makeAssistantListener } from "@sarraf/runtime-mcp/http/assistantListener"
import { Effect, Layer } from "effect"
import { networkOf } from "../auth/network.ts"
import { type Configuration, mcpUrlOf } from "../configuration/Configuration.ts"
import * as RequestMetrics from "../telemetry/RequestMetrics.ts"
import { BesideAddresses } from "./Beside.ts"
import { requestIdFrom } from "./RequestId.ts"

/** How the assistant server is set up in this installation. */
export const assistantOptions = (configuration: Configuration, baseUrl: string): AssistantServerOptions => ({
  url: mcpUrlOf(configuration, baseUrl),
  authorizationServer: baseUrl,
  livemode: configuration.mode === "live",
  rate: { perSecond: configuration.assistantRateLimitPerSecond, burst: configuration.assistantRateLimitBurst },
  callMillisMax: configuration.requestTimeoutMillis
})

const sourceOf = ({ headers, socket }: IncomingMessage) => {
  const given = headers["x-request-id"]
  const address = socket.remoteAddress ?? null
  return {
    requestId: requestIdFrom(typeof given === "string" ? given : undefined),
    address,
    network: networkOf(address ?? "unknown")
  }
}

/** Each request is counted as those of the router are; the label is the address without its query. */
const counted = Effect.map(Effect.context<never>(), (context) => {
  const record = RequestMetrics.makeRecorder()
  return ({ handle, owns }: AssistantListener): AssistantListener => ({
    owns,
    handle: (request, response, source) => {
      const begun = performance.now()
      response.once("close", () => {
        const route = request.url?.split("?", 1)[0] ?? ""
        const { method = "" } = request
        record(context, { route, method, status: response.statusCode, millis: performance.now() - begun })
      })
      handle(request, response, source)
    }
  })
})

/** The assistant server, at the address that `SARRAF_MCP_URL` names. */
export const layer = (configuration: Configuration, { baseUrl }: { readonly baseUrl: string }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const beside = yield* BesideAddresses
      const listener = yield* makeAssistantListener(yield* OfferedCatalogue, assistantOptions(configuration, baseUrl))
      const { handle, owns } = (yield* counted)(listener)
      beside.add({ owns, handle: (request, response) => handle(request, response, sourceOf(request)) })
    })
  )
