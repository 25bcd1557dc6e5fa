import { HttpApi, OpenApi } from "effect/http-api"
import { withSignedRequests } from "./gatewayDocument.ts"
import { PaymentsApi } from "./payments.ts"
import { RoutingPolicyApi } from "./routingPolicy.ts"

/** Everything the service answers to, as types: the routes, the documents and the SDKs come from here. */
export class Api extends HttpApi.make("sarraf")
  .add(PaymentsApi)
  .add(RoutingPolicyApi)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, { errors: "all" })
  .annotate(OpenApi.Title, "Sarraf")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.Description, "One API for card payments through many providers.")
  .annotate(OpenApi.Transform, withSignedRequests) {}
