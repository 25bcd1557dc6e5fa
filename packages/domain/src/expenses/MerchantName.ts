/** Forms of companies and words that every shop of a kind has; they tell nobody apart. Folded, without dots. */
const commonWords = new Set(
  (
    "inc incorporated corp corporation co company ltd limited llc llp lp plc gmbh mbh ag kg sa sas sarl srl spa bv nv " +
    "ab oy as tas sti san tic ticaret sanayi anonim sirketi ve fze fzco fzllc wll pty pvt www com tr net the"
  ).split(" ")
)

/** Letters that Unicode does not take apart, or that lose their dot on the way. */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[ıİ]/gu, "i")
    .toLowerCase()
    .replace(/ß/gu, "ss")
    .replace(/ø/gu, "o")
    .replace(/æ/gu, "ae")
    .replace(/ł/gu, "l")

/**
 * The words by which a merchant is known: without case, accents, punctuation, forms of companies and numbers of stores.
 * "MİGROS T.A.Ş. #0123" → ["migros"]. Where nothing would be left, all of its words.
 */
export const merchantWords = (name: string): ReadonlyArray<string> => {
  const words = folded(name)
    // "a.ş." is one word, "amazon.com" is two.
    .replace(/(?<![\p{L}\p{N}])((?:\p{L}\.)+\p{L}?)(?![\p{L}\p{N}])/gu, (letters) => letters.replaceAll(".", ""))
    .replace(/['’`]/gu, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
  const telling = words.filter((word) => !commonWords.has(word) && !/^\d+$/u.test(word))
  return [...new Set(telling.length === 0 ? words : telling)].sort()
}

/** How many letters must be put in, taken out or replaced to make one of the other (Levenshtein). */
const editDistance = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of one.entries()) {
    const line = [row + 1]
    for (const [column, against] of other.entries()) {
      const replaced = (above[column] ?? 0) + (letter === against ? 0 : 1)
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1))
    }
    above = line
  }
  return above.at(-1) ?? 0
}

/** Share of the words that both have (Sørensen and Dice): 1 where they have the same ones. */
const sharedWords = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number =>
  (2 * one.filter((word) => other.includes(word)).length) / (one.length + other.length)

/** Longer names are compared by this many letters. */
const lettersMax = 64

/** 0 for nothing in common to 1 for the same name: by words or by letters, whichever says more. */
export const merchantSimilarity = (one: string, other: string): number => {
  const [words, others] = [merchantWords(one), merchantWords(other)]
  if (words.length === 0 || others.length === 0) return one === other ? 1 : 0
  const letters = [...words.join("")].slice(0, lettersMax)
  const otherLetters = [...others.join("")].slice(0, lettersMax)
  const longest = Math.max(letters.length, otherLetters.length)
  return Math.max(sharedWords(words, others), 1 - editDistance(letters, otherLetters) / longest)
}
