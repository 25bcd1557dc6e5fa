import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgEventLog from "@sarraf/adapters/postgres/events/PgEventLog"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgOrganizations from "@sarraf/adapters/postgres/organizations/PgOrganizations"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgKeptAnswers from "@sarraf/adapters/postgres/PgKeptAnswers"
import { Layer } from "effect"

/** What the use cases of the expense side stand on: the stores of organizations, and what is committed with a change. */
const stores = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgKeptAnswers.layer,
  PgOrganizations.layer,
  PgMembers.layer,
  PgAuditTrail.layer,
  PgEventLog.layer
)

/** The expense side: its use cases, and the work that goes on beside requests. */
export const layer = stores
