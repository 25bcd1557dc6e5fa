import { HttpApi, OpenApi } from "effect/http-api"
import { ApiKeysApi } from "./apiKeys.ts"
import { ApprovalsApi } from "./approvals.ts"
import { AssistantTokensApi } from "./assistantTokens.ts"
import { AuditApi } from "./audit.ts"
import { AuthApi, SignInApi } from "./auth.ts"
import { DelegationsApi } from "./delegations.ts"
import { DepartmentsApi } from "./departments.ts"
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
  .add(OrganizationApi)
  .add(ExchangeRatesApi)
  .add(ReceiptsApi)
  .add(ApprovalsApi)
  .add(DelegationsApi)
  .add(ExpensesApi)
  .add(ExpenseBulkApi)
  .add(ReportsApi)
  .add(StatisticsApi)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, { errors: "all" })
  .annotate(OpenApi.Title, "Sarraf")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.Description, "One API for card payments through many providers.")
  .annotate(OpenApi.Transform, withSignedRequests) {}
