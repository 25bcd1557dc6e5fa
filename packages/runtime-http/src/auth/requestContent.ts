/** JSON as `JSON.parse` gives it. */
type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Deeper than any request of ours; a body of brackets alone would be a hundred thousand deep. */
const depthMax = 32

/** What was sent, in a form that does not depend on spacing or the order of members. */
export interface RequestContent {
  /** Without `cardCvc`, for comparing one request with another. */
  readonly comparable: string
  /** Paths of numbers that cannot be told from their neighbours: `amount` for 100.000000000000001. */
  readonly inexact: ReadonlyArray<string>
  readonly tooDeep: boolean
}

interface Shape {
  readonly depth: number
  /** Some number has more digits than a double holds for certain. */
  readonly hasLongNumber: boolean
}

/** Digits of a number that a double always tells from its neighbours (IEEE 754, 53 bits). */
const exactDigits = 15

/** Reads a body once, without building anything: how deep it is nested, and whether a number in it may be inexact. */
const shapeOf = (text: string): Shape => {
  let depth = 0
  let deepest = 0
  let digits = 0
  let hasLongNumber = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) {
      if (++digits > exactDigits) hasLongNumber = true
    } else if (code !== 46) digits = 0
    if (code === 34) {
      const end = endOfString(text, index + 1)
      if (end < 0) break
      index = end
    } else if (code === 91 || code === 123) deepest = Math.max(deepest, ++depth)
    else if (code === 93 || code === 125) depth--
  }
  return { depth: deepest, hasLongNumber }
}

/** Where the string that began before `from` ends; -1 where it does not. */
const endOfString = (text: string, from: number): number => {
  let end = text.indexOf('"', from)
  while (end > 0) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes++
    if (escapes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return end
}

const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  let members = ""
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name !== "cardCvc") members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${canonical(member)}`
  }
  return `{${members}}`
}

const decimal = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/iu

/** The digits that count and the place of the first: the same for 14.90, 14.9 and 1490e-2. */
const significant = (text: string): string => {
  const [, whole = "", fraction = "", exponent = "0"] = decimal.exec(text) ?? []
  const digits = whole + fraction
  let first = 0
  while (digits.charCodeAt(first) === 48) first++
  let end = digits.length
  while (end > first && digits.charCodeAt(end - 1) === 48) end--
  return first === end ? "0" : `${digits.slice(first, end)} ${Number(exponent) + whole.length - first}`
}

const inexactNumbers = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  JSON.parse(text, (name: string, value: unknown, { source }: { source?: string } = {}) => {
    if (typeof value === "number" && source !== undefined && significant(source) !== significant(String(value))) {
      found.push(name)
    }
    return value
  })
  return found
}

/** Reads a body for comparison. What is not JSON is compared as it is; nothing at all counts as `{}`. */
export const requestContent = (text: string): RequestContent => {
  if (text === "") return { comparable: "{}", inexact: [], tooDeep: false }
  const { depth, hasLongNumber } = shapeOf(text)
  if (depth > depthMax) return { comparable: text, inexact: [], tooDeep: true }
  try {
    const comparable = canonical(JSON.parse(text))
    return { comparable, inexact: hasLongNumber ? inexactNumbers(text) : [], tooDeep: false }
  } catch {
    return { comparable: text, inexact: [], tooDeep: false }
  }
}
