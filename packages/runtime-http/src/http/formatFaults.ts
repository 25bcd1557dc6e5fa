import type { SchemaAST, SchemaIssue } from "effect"

/** One entry of a problem's `errors`: where, as `billingAddress.city` or `ids[3]` (the whole input is ""), and what to do. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** A request may be wrong in as many places as its body has bytes; its answer stays small. */
const faultsMax = 200
/** Enough to list every status or brand, and not the whole of ISO 4217. */
const choicesMax = 24

/** A client chooses the names of unknown fields, so they are cut, and no card number is repeated in one. */
const shownKey = (key: string) => key.replace(/\d{9,}/g, "…").slice(0, 64)

/** `lines[2].note`; the whole input is "". */
export const formatPath = (path: ReadonlyArray<PropertyKey>) =>
  path.reduce<string>((joined, key) => {
    if (typeof key === "number") return `${joined}[${key}]`
    return joined === "" ? shownKey(String(key)) : `${joined}.${shownKey(String(key))}`
  }, "")

/** Optional fields take null for absent, and a codec spells numbers that JSON cannot: neither is worth offering. */
const isOffered = (ast: SchemaAST.AST) =>
  ast._tag !== "Null" &&
  ast._tag !== "Undefined" &&
  !(ast._tag === "Literal" && ["NaN", "Infinity", "-Infinity"].includes(String(ast.literal)))

const choice = (members: ReadonlyArray<SchemaAST.AST>): string => {
  const literals = members.flatMap((member) => (member._tag === "Literal" ? [String(member.literal)] : []))
  const others = members.flatMap((member) => (member._tag === "Literal" ? [] : [expectation(member)]))
  const listed = literals.slice(0, choicesMax).join(", ") + (literals.length > choicesMax ? ", …" : "")
  const offered = literals.length === 0 ? [] : [literals.length === 1 ? listed : `one of ${listed}`]
  return [...new Set([...others, ...offered])].join(" or ")
}

/** What a schema takes, to be read after "must be". */
const expectation = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Arrays":
      return "an array"
    case "Objects":
    case "ObjectKeyword":
      return "an object"
    case "Literal":
      return String(ast.literal)
    case "Union":
      return choice(ast.types.filter(isOffered))
    case "Suspend":
      return expectation(ast.thunk())
    default: {
      const expected = ast.annotations?.expected
      return typeof expected === "string" ? expected : "of the documented form"
    }
  }
}

const custom = (annotations: Readonly<Record<string, unknown>> | undefined, name = "message") => {
  const message = annotations?.[name]
  return typeof message === "string" ? message : undefined
}

/** Lengths are counted in the unit of what they belong to. */
const ofLength = (expected: string, owner: SchemaAST.AST | undefined) => {
  const [, length] = /^a value with a length of (.*)$/.exec(expected) ?? []
  if (length === undefined) return undefined
  if (length === "at least 1") return "must not be empty"
  const unit = owner?._tag === "Arrays" ? "item" : "character"
  return `must have ${length} ${unit}${/\b1$/.test(length) ? "" : "s"}`
}

/** Where the schema's own words name the program's types rather than what a client sends. */
const plainWords: Readonly<Record<string, string>> = {
  "a valid UTC DateTime string": "a time in ISO 8601 such as 2026-01-31T09:30:00.000Z",
  "a string representing a bigint": "a whole number written as a string",
  "an array with unique items": "an array without repetitions"
}

/** A check says what it expects: "a value greater than 0", "a string matching the RegExp …". */
const unmet = (expected: string, owner: SchemaAST.AST | undefined) => {
  const words = plainWords[expected] ?? expected.replace(/^a value /, "").replace("the RegExp", "the pattern")
  return ofLength(expected, owner) ?? `must be ${words}`
}

const ofCheck = (issue: SchemaIssue.Filter, owner: SchemaAST.AST | undefined): string | undefined => {
  const message = custom(issue.filter.annotations)
  if (message !== undefined) return message
  if (issue.issue._tag !== "InvalidValue") return undefined
  const expected = custom(issue.filter.annotations, "expected")
  return custom(issue.issue.annotations) ?? (expected === undefined ? undefined : unmet(expected, owner))
}

const ofLeaf = (issue: SchemaIssue.Leaf): string => {
  switch (issue._tag) {
    case "MissingKey":
      return custom(issue.annotations, "messageMissingKey") ?? "is required"
    case "UnexpectedKey":
      return custom(issue.ast.annotations, "messageUnexpectedKey") ?? "is not a known field: remove it"
    case "InvalidType":
      return custom(issue.ast.annotations) ?? `must be ${expectation(issue.ast)}`
    case "InvalidValue": {
      const expected = custom(issue.annotations, "expected")
      return custom(issue.annotations) ?? (expected === undefined ? "is not valid" : unmet(expected, undefined))
    }
    case "Forbidden":
      return custom(issue.annotations) ?? "is not allowed here: remove it"
    case "OneOf":
      return custom(issue.ast.annotations) ?? "must have exactly one of the documented forms"
  }
}

type Found = { readonly path: ReadonlyArray<PropertyKey>; readonly message: string }

/** Of several forms the client most likely meant the one with the fewest faults. */
const likeliest = (forms: ReadonlyArray<ReadonlyArray<Found>>) =>
  forms.reduce((best, next) => (next.length < best.length ? next : best))

const collect = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  owner?: SchemaAST.AST
): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Filter": {
      const message = ofCheck(issue, owner)
      return message === undefined ? collect(issue.issue, path, owner) : [{ path, message }]
    }
    case "Encoding":
      return collect(issue.issue, path)
    case "Pointer":
      return collect(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) => collect(inner, path, issue.ast))
    case "AnyOf":
      return issue.issues.length === 0
        ? [{ path, message: custom(issue.ast.annotations) ?? `must be ${expectation(issue.ast)}` }]
        : likeliest(issue.issues.map((inner) => collect(inner, path)))
    default:
      return [{ path, message: ofLeaf(issue) }]
  }
}

/**
 * Every fault of a value that did not decode, in the schema's order, 200 at most. Decode with `errors: "all"`, else only
 * the first is known. Messages come from the schema alone and never contain the value that was sent.
 */
export const formatFaults = (issue: SchemaIssue.Issue): Array<Fault> => {
  const faults = new Map<string, Fault>()
  for (const { message, path } of collect(issue, [])) {
    const fault = { path: formatPath(path), message }
    if (faults.size < faultsMax) faults.set(`${fault.path}\n${message}`, fault)
  }
  return [...faults.values()]
}
