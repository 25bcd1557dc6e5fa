import { Redacted, Result } from "effect"
import { InvalidFields } from "../errors/Refusals.ts"
import { isEventType } from "../events/EventCatalogue.ts"
import { eventTypes } from "../events/EventLog.ts"
import { entryPath } from "./EntryPath.ts"
import { type RetrySettings, usualRetry } from "./RetrySettings.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"
import { headerFaults } from "./WebhookHeaders.ts"

/** What its owner says of an endpoint, as it was sent. */
export interface EndpointFields {
  readonly url: string
  readonly events: ReadonlyArray<string>
  /** An empty text takes it away. */
  readonly description: string
  /** Merged with what is there, by name; an empty text takes one away. */
  readonly metadata: Readonly<Record<string, string>>
  /** Merged like `metadata`, since their values are never shown again. */
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Members that are left out stay as they are. */
  readonly retry: Partial<RetrySettings>
  readonly concurrency: number
}

/** What its owner says of an endpoint, checked. */
export type EndpointSettings = Pick<WebhookEndpoint, keyof EndpointFields>

/** On what an address is judged. */
export interface AddressTerms {
  readonly livemode: boolean
  /** `WebhookSender.refusalOf`. */
  readonly refusalOf: (url: string) => string | undefined
}

interface Fault {
  readonly path: string
  readonly message: string
}

/** The longest address that is taken, in characters: what browsers, proxies and servers of receivers take too. */
const urlLengthMax = 2_048
const descriptionLengthMax = 500
/** As the metadata of payments. */
const metadataEntriesMax = 20
const metadataNameLengthMax = 64
const metadataValueLengthMax = 500
const headersMax = 20
const concurrencyMax = 50
/** Deliveries that one process has under way to an endpoint at a time, where nothing else is said. */
const concurrencyUsual = 10

/** What is wrong with an address as a text (RFC 3986): the sender looks where it leads. */
const urlFault = (url: string, { livemode, refusalOf }: AddressTerms): string | undefined => {
  if (url.length > urlLengthMax) return `must be at most ${urlLengthMax} characters`
  const [, scheme, authority = ""] = /^([a-z]+):\/\/([^/?#\\]+)/iu.exec(url) ?? []
  const isHttps = scheme?.toLowerCase() === "https"
  if (!isHttps && (livemode || scheme?.toLowerCase() !== "http")) {
    return livemode
      ? "must be an https address such as https://example.com/hooks"
      : "must be an https or http address such as https://example.com/hooks"
  }
  if (!/^[!-[\]-~]+$/u.test(url)) {
    return "must be written in ASCII without spaces and backslashes: other characters percent-encoded, hosts in Punycode"
  }
  if (authority.includes("@")) return "must not hold a user name or a password: send credentials in headers"
  if (url.includes("#")) return "must not have a fragment: it is never sent"
  return refusalOf(url)
}

const eventFaults = (events: ReadonlyArray<string>): ReadonlyArray<Fault> => {
  if (events.length === 0) return [{ path: "events", message: 'must name a type, or be ["*"] for all of them' }]
  if (events.length > eventTypes.length) {
    return [{ path: "events", message: `must name each type once at most: there are ${eventTypes.length}` }]
  }
  if (events.length === 1 && events[0] === "*") return []
  return events.flatMap((type, index) => {
    const path = `events[${index}]`
    if (type === "*") return [{ path, message: "must stand alone: it means every type" }]
    if (!isEventType(type)) return [{ path, message: `must be one of ${eventTypes.join(", ")}, or * alone` }]
    return events.indexOf(type) < index ? [{ path, message: `names ${type} a second time` }] : []
  })
}

const metadataFaults = (metadata: Readonly<Record<string, string>>): ReadonlyArray<Fault> =>
  Object.entries(metadata).flatMap(([name, value]) => {
    const path = entryPath("metadata", name)
    if (name.trim() === "" || name.length > metadataNameLengthMax) {
      return [{ path, message: `must have a name of 1 to ${metadataNameLengthMax} characters` }]
    }
    return value.length > metadataValueLengthMax
      ? [{ path, message: `must be at most ${metadataValueLengthMax} characters` }]
      : []
  })

const between = (value: number, minimum: number, maximum: number, isWhole: boolean): boolean =>
  value >= minimum && value <= maximum && (!isWhole || Number.isInteger(value))

/** Looks at the members that were given, and at those that they must fit. */
const retryFaults = (given: Partial<RetrySettings>, wanted: RetrySettings): ReadonlyArray<Fault> => {
  const { baseSeconds, factor, jitter, maxAttempts, maxSeconds } = wanted
  const isBaseFit = between(baseSeconds, 1, 3_600, true)
  const minimumOfMax = isBaseFit ? baseSeconds : 1
  const faults: ReadonlyArray<readonly [boolean, string, string]> = [
    [between(maxAttempts, 1, 20, true), "max_attempts", "must be a whole number from 1 to 20"],
    [isBaseFit, "base_seconds", "must be a whole number from 1 to 3600"],
    [between(factor, 1, 10, false), "factor", "must be a number from 1 to 10"],
    [
      between(maxSeconds, minimumOfMax, 604_800, true),
      "max_seconds",
      `must be a whole number from ${minimumOfMax}, which is base_seconds, to 604800`
    ],
    [between(jitter, 0, 1, false), "jitter", "must be a number from 0 to 1"]
  ]
  return Object.keys(given).length === 0
    ? []
    : faults.flatMap(([isFit, member, message]) => (isFit ? [] : [{ path: `retry.${member}`, message }]))
}

const isEmpty = (value: string | Redacted.Redacted<string>): boolean =>
  (typeof value === "string" ? value : Redacted.value(value)) === ""

/** What is there, with what is given in its place or beside it, and without what is given as an empty text. */
const merged = <A extends string | Redacted.Redacted<string>>(
  present: Readonly<Record<string, A>>,
  given: Readonly<Record<string, A>>
): Readonly<Record<string, A>> =>
  Object.fromEntries(
    [...new Map([...Object.entries(present), ...Object.entries(given)])].filter(([, value]) => !isEmpty(value))
  )

/** The names of headers know no case (RFC 9110, 5.1): they are kept and sent in lower case. */
const lowerCased = <A>(headers: Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const countOf = (entries: object): number => Object.keys(entries).length

interface Entries {
  readonly path: string
  readonly given: object
  /** What there would be. */
  readonly wanted: object
  readonly maximum: number
}

/**
 * What is wrong with entries, each by itself and in their number. A change names as many as may be taken away and as many
 * that are new; where it names more, its faults are not told one by one.
 */
const entryFaults = (
  { given, maximum, path, wanted }: Entries,
  each: () => ReadonlyArray<Fault>
): ReadonlyArray<Fault> => {
  const tooMany = [{ path, message: `must be at most ${maximum}` }]
  if (countOf(given) > 2 * maximum) return tooMany
  return countOf(wanted) > maximum ? [...each(), ...tooMany] : each()
}

const blank: EndpointSettings = {
  url: "",
  events: [],
  description: null,
  metadata: {},
  headers: {},
  retry: usualRetry,
  concurrency: concurrencyUsual
}

/**
 * The settings of an endpoint after what was sent: of a new one where none is present, and then the usual ones stand for
 * what is left out. `InvalidFields` with every fault of what was sent, by its path in the API.
 */
export const checkedSettings = (
  given: Partial<EndpointFields>,
  present: EndpointSettings | undefined,
  terms: AddressTerms
): Result.Result<EndpointSettings, InvalidFields> => {
  const before = present ?? blank
  const { concurrency = before.concurrency, description, events = before.events, url = before.url } = given
  const retry = { ...before.retry, ...given.retry }
  const metadata = merged(before.metadata, given.metadata ?? {})
  const headers = merged(before.headers, lowerCased(given.headers ?? {}))
  const address = given.url === undefined ? undefined : urlFault(url, terms)
  const faults: ReadonlyArray<Fault> = [
    ...(address === undefined ? [] : [{ path: "url", message: address }]),
    ...(given.events === undefined ? [] : eventFaults(events)),
    ...((description ?? "").length > descriptionLengthMax
      ? [{ path: "description", message: `must be at most ${descriptionLengthMax} characters` }]
      : []),
    ...entryFaults(
      { path: "metadata", given: given.metadata ?? {}, wanted: metadata, maximum: metadataEntriesMax },
      () => metadataFaults(given.metadata ?? {})
    ),
    ...entryFaults({ path: "headers", given: given.headers ?? {}, wanted: headers, maximum: headersMax }, () =>
      headerFaults(given.headers ?? {}, present !== undefined)
    ),
    ...retryFaults(given.retry ?? {}, retry),
    ...(between(concurrency, 1, concurrencyMax, true)
      ? []
      : [{ path: "concurrency", message: `must be a whole number from 1 to ${concurrencyMax}` }])
  ]
  return faults.length > 0
    ? Result.fail(new InvalidFields({ faults }))
    : Result.succeed({
        url,
        events: events[0] === "*" ? ["*"] : events.filter(isEventType),
        description: description === undefined ? before.description : description.trim() || null,
        metadata,
        headers,
        retry,
        concurrency
      })
}
