import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgEventLog from "@sarraf/adapters/postgres/events/PgEventLog"
import * as PgEventStore from "@sarraf/adapters/postgres/events/PgEventStore"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { EventLog, type EventType } from "@sarraf/domain/events/EventLog"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import * as Database from "../../../../support/Database.ts"
import { insertOrganization } from "../../support/Shop.ts"

/** The log, and what reads it, in a database of its own. */
export const stores = Layer.mergeAll(PgUnitOfWork.layer, PgEventLog.layer, PgEventStore.layer).pipe(
  Layer.provideMerge(RandomIdentifiers.layer),
  Layer.provideMerge(Database.layer)
)

/** An organization `org_<name>`, and how its key asks. */
export const shopOf = (name: string) => {
  const organizationId = `org_${name}`
  return {
    organizationId,
    found: insertOrganization(organizationId, true),
    as: Effect.provideService(Caller, {
      organizationId,
      role: "OWNER",
      name: "key:shop",
      kind: "key",
      userId: null,
      createdBy: null
    })
  }
}

/** Something that happened to an object. */
export const tell = (
  objectId: string,
  type: EventType = "expense.submitted",
  previous?: Readonly<Record<string, unknown>>
) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({ type, objectId, object: { id: objectId }, ...(previous === undefined ? {} : { previous }) })
  )

export const everything = { limit: 100, after: undefined }
