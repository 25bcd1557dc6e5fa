/** Whether a condition holds. Unknown: it depends on a rate that nobody knows (Kleene's strong three-valued logic). */
export type Truth = "met" | "unmet" | "unknown"

export const truthOf = (isMet: boolean): Truth => (isMet ? "met" : "unmet")

const opposites = { met: "unmet", unmet: "met", unknown: "unknown" } as const satisfies Record<Truth, Truth>
/** What is unknown stays unknown: so a missing rate is not turned into a permission by `not`. */
export const negated = (truth: Truth): Truth => opposites[truth]

/** Met where there is nothing to meet. */
export const conjunction = (truths: ReadonlyArray<Truth>): Truth => {
  if (truths.includes("unmet")) return "unmet"
  return truths.includes("unknown") ? "unknown" : "met"
}

/** Unmet where there is nothing to choose from. */
export const disjunction = (truths: ReadonlyArray<Truth>): Truth => {
  if (truths.includes("met")) return "met"
  return truths.includes("unknown") ? "unknown" : "unmet"
}
