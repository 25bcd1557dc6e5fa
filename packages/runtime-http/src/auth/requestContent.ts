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

const depthOf = (text: string): number => {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 92) index++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 91 || code === 123) deepest = Math.max(deepest, ++depth)
    else if (code === 93 || code === 125) depth--
  }
  return deepest
}

const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([name]) => name !== "cardCvc")
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`
}

/** A number with more digits than a double holds: only then is it worth reading the text again. */
const mayBeInexact = /\d[\d.]{15}/u

const withoutZeros = (text: string) => text.replace(/(\.\d*?)0+$/u, "$1").replace(/\.$/u, "")

const inexactNumbers = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  JSON.parse(text, (name: string, value: unknown, { source }: { source?: string } = {}) => {
    if (
      typeof value === "number" &&
      source !== undefined &&
      withoutZeros(source) !== withoutZeros(String(value)) &&
      !/e/iu.test(source)
    ) {
      found.push(name)
    }
    return value
  })
  return found
}

/** Reads a body for comparison. What is not JSON is compared as it is; nothing at all counts as `{}`. */
export const requestContent = (text: string): RequestContent => {
  if (text === "") return { comparable: "{}", inexact: [], tooDeep: false }
  if (depthOf(text) > depthMax) return { comparable: text, inexact: [], tooDeep: true }
  try {
    const comparable = canonical(JSON.parse(text))
    return { comparable, inexact: mayBeInexact.test(text) ? inexactNumbers(text) : [], tooDeep: false }
  } catch {
    return { comparable: text, inexact: [], tooDeep: false }
  }
}
