import { join } from "node:path"
import * as PgApprovalStore from "@sarraf/adapters/postgres/approvals/PgApprovalStore"
import * as PgDelegationStore from "@sarraf/adapters/postgres/approvals/PgDelegationStore"
import * as AuditSealer from "@sarraf/adapters/postgres/audit/AuditSealer"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgCardStore from "@sarraf/adapters/postgres/cards/PgCardStore"
import * as PgEventLog from "@sarraf/adapters/postgres/events/PgEventLog"
import * as PgEventStore from "@sarraf/adapters/postgres/events/PgEventStore"
import * as PgExpenseStore from "@sarraf/adapters/postgres/expenses/PgExpenseStore"
import * as PgAccountLinks from "@sarraf/adapters/postgres/organizations/PgAccountLinks"
import * as PgAllowedOrigins from "@sarraf/adapters/postgres/organizations/PgAllowedOrigins"
import * as PgApiKeyStore from "@sarraf/adapters/postgres/organizations/PgApiKeyStore"
import * as PgAssistantTokens from "@sarraf/adapters/postgres/organizations/PgAssistantTokens"
import * as PgDepartments from "@sarraf/adapters/postgres/organizations/PgDepartments"
import * as PgMemberStore from "@sarraf/adapters/postgres/organizations/PgMemberStore"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgOrganizationSettings from "@sarraf/adapters/postgres/organizations/PgOrganizationSettings"
import * as PgOrganizations from "@sarraf/adapters/postgres/organizations/PgOrganizations"
import * as PgPaymentClientStore from "@sarraf/adapters/postgres/organizations/PgPaymentClientStore"
import * as PgPeople from "@sarraf/adapters/postgres/organizations/PgPeople"
import * as PgSessions from "@sarraf/adapters/postgres/organizations/PgSessions"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgApiKeys from "@sarraf/adapters/postgres/PgApiKeys"
import * as PgKeptAnswers from "@sarraf/adapters/postgres/PgKeptAnswers"
import * as PgPolicyStore from "@sarraf/adapters/postgres/policies/PgPolicyStore"
import * as PgExchangeRates from "@sarraf/adapters/postgres/rates/PgExchangeRates"
import * as PgReceiptStore from "@sarraf/adapters/postgres/receipts/PgReceiptStore"
import * as ReceiptSweeper from "@sarraf/adapters/postgres/receipts/ReceiptSweeper"
import * as PgSpendStore from "@sarraf/adapters/postgres/reports/PgSpendStore"
import * as SpendFolder from "@sarraf/adapters/postgres/reports/SpendFolder"
import * as PgWebhookDeliveries from "@sarraf/adapters/postgres/webhooks/PgWebhookDeliveries"
import * as PgWebhookEndpointStore from "@sarraf/adapters/postgres/webhooks/PgWebhookEndpointStore"
import * as WebhookDelivery from "@sarraf/adapters/postgres/webhooks/WebhookDelivery"
import * as FolderFiles from "@sarraf/adapters/receipts/FolderFiles"
import * as S3Files from "@sarraf/adapters/receipts/S3Files"
import * as SignedLinks from "@sarraf/adapters/receipts/SignedLinks"
import * as Passwords from "@sarraf/adapters/signing/Passwords"
import * as SecretTokens from "@sarraf/adapters/signing/SecretTokens"
import * as TotpSecondFactors from "@sarraf/adapters/signing/TotpSecondFactors"
import * as HttpWebhookSender from "@sarraf/adapters/webhooks/HttpWebhookSender"
import { ApprovalEngine } from "@sarraf/domain/approvals/ApprovalEngine"
import { Approvals } from "@sarraf/domain/approvals/Approvals"
import { Delegations } from "@sarraf/domain/approvals/Delegations"
import * as EscalateApprovals from "@sarraf/domain/approvals/EscalateApprovals"
import { SubjectDecisions } from "@sarraf/domain/approvals/SubjectDecisions"
import { AuditLog } from "@sarraf/domain/audit/AuditLog"
import { Events } from "@sarraf/domain/events/Events"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import * as GatherExpenseFacts from "@sarraf/domain/expenses/GatherExpenseFacts"
import { RateTable } from "@sarraf/domain/money/RateTable"
import { AcceptLink } from "@sarraf/domain/organizations/AcceptLink"
import { ApiKeySettings } from "@sarraf/domain/organizations/ApiKeySettings"
import { AssistantTokenSettings } from "@sarraf/domain/organizations/AssistantTokenSettings"
import { Departments } from "@sarraf/domain/organizations/Departments"
import { MemberDirectory } from "@sarraf/domain/organizations/MemberDirectory"
import { OrganizationSettings } from "@sarraf/domain/organizations/OrganizationSettings"
import { OwnAccount } from "@sarraf/domain/organizations/OwnAccount"
import { PaymentClientSettings } from "@sarraf/domain/organizations/PaymentClientSettings"
import { SignIn } from "@sarraf/domain/organizations/SignIn"
import { Policies } from "@sarraf/domain/policies/Policies"
import { PolicyEvaluator } from "@sarraf/domain/policies/PolicyEvaluator"
import { PolicyTrials } from "@sarraf/domain/policies/PolicyTrials"
import { Receipts } from "@sarraf/domain/receipts/Receipts"
import { SpendReports } from "@sarraf/domain/reports/SpendReports"
import { SpendStatistics } from "@sarraf/domain/reports/SpendStatistics"
import { Webhooks } from "@sarraf/domain/webhooks/Webhooks"
import { Layer } from "effect"
import type { Configuration } from "./configuration/Configuration.ts"

/** What lets people in: their passwords, sessions, links, and their places in organizations. */
const accessStores = Layer.mergeAll(
  PgPeople.layer,
  PgSessions.layer,
  PgAccountLinks.layer,
  PgMemberStore.layer,
  PgDepartments.layer,
  Passwords.layer,
  SecretTokens.layer,
  TotpSecondFactors.layer
)

/** What the use cases of the expense side stand on: the stores of organizations, and what is committed with a change. */
const stores = Layer.mergeAll(
  accessStores,
  PgUnitOfWork.layer,
  PgKeptAnswers.layer,
  PgOrganizations.layer,
  PgMembers.layer,
  PgAuditTrail.layer,
  PgEventLog.layer,
  PgExpenseStore.layer,
  PgCardStore.layer,
  PgExchangeRates.layer,
  PgApprovalStore.layer,
  PgDelegationStore.layer,
  PgPolicyStore.layer
)

/** Where the bytes of receipts are kept: in the bucket that is configured, else in the data folder. */
export const receiptFiles = ({ dataDirectory, receiptsBucket }: Configuration) =>
  receiptsBucket === undefined ? FolderFiles.layer(join(dataDirectory, "receipts")) : S3Files.layer(receiptsBucket)

/** Reaches the receivers of webhooks, within what the mode allows. */
export const webhookSender = ({ mode, webhookAllowPrivate }: Configuration) =>
  HttpWebhookSender.layer({ livemode: mode === "live", allowPrivate: webhookAllowPrivate })

const receipts = Receipts.layer.pipe(Layer.provide([PgReceiptStore.layer, SignedLinks.layer]))

/** What use cases call of each other. */
const engines = Layer.mergeAll(ApprovalEngine.layer, PolicyEvaluator.layer, GatherExpenseFacts.layer, receipts)

/** Credentials and settings of organizations. */
const credentials = Layer.mergeAll(
  ApiKeySettings.layer,
  PaymentClientSettings.layer,
  AssistantTokenSettings.layer,
  OrganizationSettings.layer
).pipe(
  Layer.provide([
    PgApiKeyStore.layer,
    PgPaymentClientStore.layer,
    PgAssistantTokens.layer,
    PgOrganizationSettings.layer,
    SecretTokens.layer
  ]),
  Layer.provideMerge(PgAllowedOrigins.layer),
  Layer.provide(PgApiKeys.layer)
)

/** Sums over expenses. */
const reports = Layer.provide(Layer.merge(SpendReports.layer, SpendStatistics.layer), PgSpendStore.layer)

/** Where organizations want their events, and what became of them. */
const webhooks = Layer.provide(Webhooks.layer, [PgWebhookEndpointStore.layer, PgWebhookDeliveries.layer])

/** What handlers and tools call. */
const useCases = Layer.mergeAll(
  SignIn.layer,
  AcceptLink.layer,
  OwnAccount.layer,
  MemberDirectory.layer,
  Departments.layer,
  Expenses.layer,
  Approvals.layer.pipe(Layer.provide(SubjectDecisions.layer), Layer.provide(Expenses.layer)),
  Delegations.layer,
  AuditLog.layer,
  RateTable.layer,
  Policies.layer,
  PolicyTrials.layer,
  Layer.provide(Events.layer, PgEventStore.layer),
  webhooks,
  reports
)

/** The expense side: its use cases, and the work that goes on beside requests. */
export const layer = Layer.mergeAll(
  useCases,
  credentials,
  AuditSealer.layer,
  EscalateApprovals.layer,
  ReceiptSweeper.layer,
  SpendFolder.layer,
  WebhookDelivery.layer
).pipe(Layer.provideMerge(engines), Layer.provideMerge(stores))
