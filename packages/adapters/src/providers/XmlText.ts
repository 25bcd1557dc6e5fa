const references: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"]
])

/** Text as it stands between the tags of a document: three letters are markup there (XML 1.0, section 2.4). */
export const xmlText = (text: string): string => text.replace(/[&<>]/gu, (letter) => references.get(letter) ?? letter)
