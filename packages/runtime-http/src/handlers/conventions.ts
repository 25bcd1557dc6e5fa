import type { Forbidden, InvalidFields, NotFound, StateRefused, VersionConflict } from "@sarraf/domain/errors/Refusals"
import type { Page, PageRequest } from "@sarraf/domain/lists/Page"
import { toDecimal } from "@sarraf/domain/money/Money"
import type { RoleMissing } from "@sarraf/domain/organizations/Caller"
import type { VerificationMissing } from "@sarraf/domain/organizations/Credentials"
import { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Effect, Schema } from "effect"
import * as problems from "../api/problems.ts"
import { withHeader } from "../http/AnswerHeaders.ts"
import type { Fault } from "../http/formatFaults.ts"
import { unknownFields } from "../http/unknownFields.ts"

/** INVALID_REQUEST with its faults. */
export const invalid = (...errors: ReadonlyArray<Fault>) =>
  new problems.InvalidRequest({ detail: "Correct the fields in errors and send the request again.", errors })

/**
 * What the domain's refusals are to a client of `/api`. A handler takes those that it can meet:
 * `Effect.catchTags(Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable"]))`.
 */
export const refusals = {
  RoleMissing: ({ needed }: RoleMissing) =>
    Effect.fail(new problems.Forbidden({ detail: `This takes one of the roles ${needed.join(", ")}.` })),
  Forbidden: ({ reason }: Forbidden) => Effect.fail(new problems.Forbidden({ detail: reason })),
  NotFound: ({ resource }: NotFound) =>
    Effect.fail(new problems.NotFound({ detail: `No such ${resource}. Check the id and the credential.` })),
  InvalidFields: ({ faults }: InvalidFields) => Effect.fail(invalid(...faults)),
  StateRefused: ({ allowed, reason, resource, status }: StateRefused) =>
    Effect.fail(
      new problems.InvalidState({
        detail: `${reason === undefined ? "" : `${reason} `}The ${resource} is ${status}, which allows: ${allowed.join(", ") || "nothing"}.`
      })
    ),
  VersionConflict: ({ present }: VersionConflict) =>
    Effect.fail(
      new problems.VersionConflict({
        detail: `The present version is ${present}: read it again, apply your change to it, and send that version.`
      })
    ),
  Unavailable: () => Effect.fail(new problems.ServiceUnavailable({ detail: "Send the request again in a moment." }))
}

/** A credential that live mode gives to verified businesses only. */
export const verificationMissing = ({ verification }: VerificationMissing) =>
  Effect.fail(
    new problems.VerificationRequired({
      detail: `The business verification of your organization is ${verification}: complete it with POST /api/organization/verification first.`
    })
  )

/** Tells the version of what the answer shows. */
export const withEtag = (version: number) => withHeader("etag", `"${version}"`)

/** Tells where what was made is found. */
export const withLocation = (path: string) => withHeader("location", path)

/** Lets nobody between the service and the client keep an answer that shows a secret. */
export const withSecretShown = withHeader("cache-control", "no-store")

/** The versions that a change is meant for; undefined: any. What If-Match names and is no version of ours fits none. */
export const expectedVersions = (
  ifMatch: string | undefined,
  version?: number | null
): ReadonlyArray<number> | undefined => {
  const tags = ifMatch === undefined || ifMatch.trim() === "*" ? undefined : ifMatch.split(",")
  const named = tags?.flatMap((tag) => {
    const [, digits] = /^(?:"(\d{1,9})"|\d{1,9})$/u.exec(tag.trim()) ?? []
    return digits === undefined ? [] : [Number(digits)]
  })
  if (version == null) return named
  return named === undefined || named.includes(version) ? [version] : []
}

/** The `warnings` of a body that did decode: fields that its schema does not know (contract section 1). */
export const warningsAbout = <S extends Schema.Constraint>(schema: S) =>
  Effect.map(unknownFields(schema), (found) => (found.length === 0 ? {} : { warnings: found }))

/** Minor units as the JSON number of an answer: 14990n of TRY → 149.9. */
export const amountOf = (currency: string, minor: bigint): number => Number(toDecimal(currency, minor))

export const timeOf = (instant: number): string => new Date(instant).toISOString()
export const timeOrNull = (instant: number | null): string | null => (instant === null ? null : timeOf(instant))

const isDate = Schema.is(CalendarDate)

/** What a `TimeFilter` means: a date stays one, since the organization's timezone says when it begins. */
export const momentOf = (text: string): CalendarDate | Instant => (isDate(text) ? text : Date.parse(text))

/** What a filter names that takes several values: by commas, by the parameter several times, or both. */
export const listed = (values: ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined =>
  values?.flatMap((value) => value.split(","))

const pageSize = 25

/** Names of a list's parameters that say which part of it, and not what is in it. */
const pageNames = new Set(["limit", "cursor"])

/**
 * Cursors of one list: `list` names it, and `query` is what was asked of it, so that a cursor of another list or other
 * filters is refused and not misread. Opaque to clients.
 */
export const cursorsOf = (list: string, query: object) => {
  const filters = Object.entries(query)
    .filter(([name, value]) => !pageNames.has(name) && value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const place = JSON.stringify([list, filters])
  const encode = (after: string) => Buffer.from(JSON.stringify([place, after])).toString("base64url")
  const decode = (cursor: string): string | undefined => {
    try {
      const [of, after]: ReadonlyArray<unknown> = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
      return of === place && typeof after === "string" && encode(after) === cursor ? after : undefined
    } catch {
      return undefined
    }
  }
  return { encode, decode }
}

/** The parameters of a list that say which part of it. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Which part of the list a query asks for; INVALID_REQUEST for a broken or foreign cursor. */
export const pageRequest = (list: string, query: PageQuery): Effect.Effect<PageRequest, problems.InvalidRequest> => {
  const after = query.cursor === undefined ? undefined : cursorsOf(list, query).decode(query.cursor)
  return query.cursor !== undefined && after === undefined
    ? Effect.fail(
        invalid({ path: "cursor", message: "must be the next_cursor of an earlier page of this list and its filters" })
      )
    : Effect.succeed({ limit: query.limit ?? pageSize, after })
}

/** A page as every list answers it. `keyOf` is the place of an item, for the cursor. */
export const pageBody = <A, B>(
  list: string,
  query: object,
  page: Page<A>,
  keyOf: (item: A) => string,
  bodyOf: (item: A) => B
) => {
  const last = page.items.at(-1)
  return {
    data: page.items.map(bodyOf),
    has_more: page.hasMore,
    next_cursor: page.hasMore && last !== undefined ? cursorsOf(list, query).encode(keyOf(last)) : null
  }
}
