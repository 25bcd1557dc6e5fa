import { HttpApi, OpenApi } from "effect/http-api"
import { ApiKeysApi } from "./apiKeys.ts"
import { ApprovalsApi } from "./approvals.ts"
import { AssistantConnectionsApi } from "./assistantConnections.ts"
import { AssistantTokensApi } from "./assistantTokens.ts"
import { AuditApi } from "./audit.ts"
import { AuthApi, SignInApi } from "./auth.ts"
import { DelegationsApi } from "./delegations.ts"
import { DepartmentsApi } from "./departments.ts"
import { EventsApi } from "./events.ts"
import { ExchangeRatesApi } from "./exchangeRates.ts"
import { ExpenseBulkApi } from "./expenseBulk.ts"
import { ExpensesApi } from "./expenses.ts"
import { withSignedRequests } from "./gatewayDocument.ts"
import { MembersApi } from "./members.ts"
import { OrganizationApi } from "./organization.ts"
import { PaymentClientsApi } from "./paymentClients.ts"
import { PaymentsApi } from "./payments.ts"
import { PoliciesApi } from "./policies.ts"
import { ReceiptsApi } from "./receipts.ts"
import { ReportsApi } from "./reports.ts"
import { RoutingPolicyApi } from "./routingPolicy.ts"
import { StatisticsApi } from "./statistics.ts"
import { WebhooksApi } from "./webhooks.ts"

/** Everything the service answers to, as types: the routes, the documents and the SDKs come from here. */
export class Api extends HttpApi.make("sarraf")
  .add(PaymentsApi)
  .add(PoliciesApi)
  .add(RoutingPolicyApi)
  .add(SignInApi)
  .add(AuthApi)
  .add(MembersApi)
  .add(DepartmentsApi)
  .add(AuditApi)
  .add(ApiKeysApi)
  .add(PaymentClientsApi)
  .add(AssistantTokensApi)
  .add(AssistantConnectionsApi)
  .add(OrganizationApi)
  .add(ExchangeRatesApi)
  .add(ReceiptsApi)
  .add(ApprovalsApi)
  .add(DelegationsApi)
  .add(ExpensesApi)
  .add(ExpenseBulkApi)
  .add(ReportsApi)
  .add(StatisticsApi)
  .add(EventsApi)
  .add(WebhooksApi)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, { errors: "all" })
  .annotate(OpenApi.Title, "Sarraf")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(
    OpenApi.Description,
    "One API for card payments through many providers, and for what an organization spends. [Error codes](/docs/errors), [events and webhooks](/docs/events)."
  )
  .annotate(OpenApi.Transform, withSignedRequests) {}
