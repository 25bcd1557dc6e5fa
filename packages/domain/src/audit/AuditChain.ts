/**
 * A row of the audit trail as the chain covers it. Texts are as the database gives them back: `at` in UTC with
 * microseconds, `2026-01-31T09:30:00.000000Z`, and JSON with the digits of its numbers.
 */
export interface ChainedRow {
  readonly organizationId: string
  readonly at: string
  readonly actor: string
  readonly requestId: string
  readonly address: string | null
  readonly action: string
  readonly subject: string
  readonly subjectId: string | null
  readonly before: string | null
  readonly after: string | null
  readonly detail: string
}

/** A row with its place in the chain. */
export interface SealedRow extends ChainedRow {
  readonly sequence: number
  readonly previousHash: string
  readonly hash: string
}

/** What the first row of a chain follows. */
export const chainStart = { sequence: 0, hash: "0".repeat(64) } as const

/** SHA-256 of a text in UTF-8, lower-case hex. */
type Digest = (text: string) => string

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

const objectOf = (members: ReadonlyArray<readonly [string, string]>): string =>
  `{${members
    .toSorted(byName)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(",")}}`

const nameOf = (token: string): string => {
  const name: unknown = JSON.parse(token)
  return String(name)
}

/**
 * A JSON text in one form: no spaces, names in the order of their UTF-16 code units, strings as `JSON.stringify` writes
 * them, and numbers digit by digit as they stand, since a double would lose some. `text` is valid JSON.
 */
export const canonicalJson = (text: string): string => {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gu) ?? []
  let at = 0
  const value = (): string => {
    const token = tokens[at++] ?? ""
    if (token.startsWith('"')) return JSON.stringify(nameOf(token))
    if (token !== "{" && token !== "[") return token
    const members: Array<readonly [string, string]> = []
    const end = token === "{" ? "}" : "]"
    while (at < tokens.length && tokens[at] !== end) {
      const name = token === "{" ? nameOf(tokens[at++] ?? '""') : ""
      if (token === "{") at++
      members.push([name, value()])
      if (tokens[at] === ",") at++
    }
    at++
    return token === "{" ? objectOf(members) : `[${members.map(([, item]) => item).join(",")}]`
  }
  return value()
}

const textOrNull = (text: string | null): string => (text === null ? "null" : JSON.stringify(text))
const jsonOrNull = (text: string | null): string => (text === null ? "null" : canonicalJson(text))

/** What a row's hash is taken over: the hash before it, then its fields and its number as canonical JSON. */
const linkText = (previousHash: string, sequence: number, row: ChainedRow): string =>
  previousHash +
  objectOf([
    ["organization", JSON.stringify(row.organizationId)],
    ["sequence", String(sequence)],
    ["at", JSON.stringify(row.at)],
    ["actor", JSON.stringify(row.actor)],
    ["request_id", JSON.stringify(row.requestId)],
    ["address", textOrNull(row.address)],
    ["action", JSON.stringify(row.action)],
    ["subject", JSON.stringify(row.subject)],
    ["subject_id", textOrNull(row.subjectId)],
    ["before", jsonOrNull(row.before)],
    ["after", jsonOrNull(row.after)],
    ["detail", canonicalJson(row.detail)]
  ])

interface Link {
  readonly sequence: number
  readonly hash: string
}

/** The next links of a chain: each row's number, the hash before it and its own. */
export const seal = (
  head: Link,
  rows: ReadonlyArray<ChainedRow>,
  digest: Digest
): ReadonlyArray<Link & { readonly previousHash: string }> => {
  let last = head
  return rows.map((row) => {
    const sequence = last.sequence + 1
    const previousHash = last.hash
    last = { sequence, hash: digest(linkText(previousHash, sequence, row)) }
    return { ...last, previousHash }
  })
}

/** Why `row` does not fit after `before`; undefined where it does. A sentence's end: `row 17 …`. */
export const faultAfter = (before: Link, row: SealedRow, digest: Digest): string | undefined => {
  const expected = before.sequence + 1
  if (row.sequence > expected) return `row ${expected} is missing: it was removed or renumbered`
  if (row.sequence < expected) return `row ${row.sequence} is there twice: one was inserted`
  if (row.hash !== digest(linkText(row.previousHash, row.sequence, row))) {
    return `row ${row.sequence} was changed after it was sealed`
  }
  return row.previousHash === before.hash
    ? undefined
    : `row ${row.sequence} does not follow row ${before.sequence}: one of them was inserted, exchanged or sealed anew`
}
