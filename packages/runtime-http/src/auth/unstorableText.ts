import { formatPath } from "../http/formatFaults.ts"

/** U+0000, or half of a pair: JSON can say both in escapes alone. */
const suspicious = /\\u(?:0000|d[89a-f])/i

const isStorable = (text: string) => text.isWellFormed() && !text.includes("\u0000")

const find = (value: unknown, path: ReadonlyArray<PropertyKey>): ReadonlyArray<PropertyKey> | undefined => {
  if (typeof value === "string") return isStorable(value) ? undefined : path
  if (typeof value !== "object" || value === null) return undefined
  const isArray = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) {
    if (!isStorable(name)) return path
    const found = find(member, [...path, isArray ? Number(name) : name])
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Where a JSON text has a character that PostgreSQL does not store and no text here may contain (contract section 1):
 * `lines[2].note`, the path of the object for the name of a member; `undefined` where nowhere. At most 32 levels deep,
 * which is looked at before.
 */
export const unstorablePath = (json: string): string | undefined => {
  if (!suspicious.test(json)) return undefined
  try {
    const found = find(JSON.parse(json), [])
    return found === undefined ? undefined : formatPath(found)
  } catch {
    return undefined
  }
}
