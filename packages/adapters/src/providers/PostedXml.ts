/** What the simulated banks read of a posted document. No adapter reads by this. */

/** Elements by their path below the root, `Transaction/Secure3D/Md`; of those that hold no others. */
export type PostedElements = ReadonlyMap<string, string>

const entities: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"]
])

const textOf = (written: string): string =>
  written.trim().replace(/&(?:amp|lt|gt|quot|apos);/gu, (entity) => entities.get(entity) ?? entity)

/** An element that holds no others, or the tag that begins or ends one that does; with the text behind it. */
const piece = /<([A-Za-z]\w*)>([^<]*)(<\/\1>[^<]*)?|<\/([A-Za-z]\w*)>[^<]*/uy

/** More than any request has below its root. */
const levelsMax = 8

const elementsIn = (content: string): PostedElements | undefined => {
  const elements = new Map<string, string>()
  const open: Array<string> = []
  const first = content.indexOf("<")
  piece.lastIndex = first < 0 ? content.length : first
  while (piece.lastIndex < content.length) {
    const [, begun, text = "", isEnded, ended] = piece.exec(content) ?? []
    if (begun === undefined) {
      if (ended === undefined || open.pop() !== ended) return undefined
    } else if (isEnded === undefined) {
      if (open.push(begun) === levelsMax) return undefined
    } else {
      const path = open.length === 0 ? begun : `${open.join("/")}/${begun}`
      // Which of two is meant, nobody knows.
      if (elements.has(path)) return undefined
      elements.set(path, textOf(text))
    }
  }
  return open.length === 0 ? elements : undefined
}

/** The elements of a document with this root; nothing where it is cut off, has attributes, comments or another root. */
export const elementsOf = (root: string, document: string): PostedElements | undefined => {
  const [, content] = /^(?:<\?xml [^<>?]*\?>\s*)?<(.*)>$/su.exec(document.trim()) ?? []
  const isWhole = content?.startsWith(`${root}>`) === true && content.endsWith(`</${root}`)
  return isWhole ? elementsIn(content.slice(`${root}>`.length, -`</${root}`.length)) : undefined
}
