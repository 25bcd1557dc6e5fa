const shownLengthMax = 64

/**
 * The path of an entry whose name the client chose: cut, so that an answer stays small, and without digits that may be a
 * card's number.
 */
export const entryPath = (field: "headers" | "metadata", name: string): string =>
  `${field}.${name.replaceAll(/\d{9,}/gu, "…").slice(0, shownLengthMax)}`
