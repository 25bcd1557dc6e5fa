import type { ProviderAnswer } from "@sarraf/domain/payments/Outcome"

const at = (json: unknown, path: ReadonlyArray<string>): unknown => {
  let value = json
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

/**
 * Makes what may be shown and stored of an answer, under the provider's code for it: of these paths into the document
 * (`error.decline_code`) those that are filled and whose text is showable, without the blanks around it.
 */
export const answersShowing = (names: ReadonlyArray<string>, isShowable: (text: string) => boolean) => {
  const paths = names.map((name) => [name, name.split(".")] as const)
  return (responseCode: string | null | undefined, json: unknown): ProviderAnswer => {
    const fields: Record<string, string> = {}
    for (const [name, path] of paths) {
      const value = at(json, path)
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue
      const text = String(value).trim()
      if (isShowable(text)) fields[name] = text
    }
    const code = responseCode?.trim() ?? ""
    return { responseCode: isShowable(code) ? code : null, fields }
  }
}

/** No field that is shown is longer than 40 characters in a bank's recorded answer. */
const shownLengthMax = 128

/** The named elements that are there and filled, cut to a length that no genuine one has. */
export const shownElements = <Name extends string>(
  names: ReadonlyArray<Name>,
  elements: Readonly<Partial<Record<Name, string>>>
): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = {}
  for (const name of names) {
    const value = elements[name]?.trim()
    if (value) kept[name] = value.slice(0, shownLengthMax)
  }
  return kept
}
