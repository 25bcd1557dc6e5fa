/** For each candidate the places that it can take. */
export type Candidates = ReadonlyArray<ReadonlyArray<number>>

interface Assignment {
  /** By place: the candidate that takes it. */
  readonly takers: ReadonlyMap<number, number>
  /** By candidate: the place that it takes. */
  readonly taken: ReadonlyMap<number, number>
}

/**
 * Gives as many places as possible to a candidate each, one place to a candidate at most: a largest matching of a
 * bipartite graph, by augmenting paths (H. W. Kuhn, 1955). There are a few places and some thousands of candidates.
 */
const assign = (candidates: Candidates, places: number): Assignment => {
  const takers = new Map<number, number>()
  const taken = new Map<number, number>()
  const give = (place: number, tried: Set<number>): boolean => {
    for (const [candidate, possible] of candidates.entries()) {
      if (tried.has(candidate) || !possible.includes(place)) continue
      tried.add(candidate)
      const held = taken.get(candidate)
      if (held !== undefined && !give(held, tried)) continue
      takers.set(place, candidate)
      taken.set(candidate, place)
      return true
    }
    return false
  }
  for (let place = 0; place < places; place++) give(place, new Set())
  return { takers, taken }
}

/** How many of the places can be taken at the same time. */
export const placesTaken = (candidates: Candidates, places: number): number => assign(candidates, places).takers.size

/**
 * The places that go short: those that stay empty in one or another of the largest assignments. Empty where all can be
 * taken; else more candidates for just these places are what helps (the Gallai–Edmonds decomposition).
 */
export const placesShort = (candidates: Candidates, places: number): ReadonlySet<number> => {
  const { takers, taken } = assign(candidates, places)
  const all = Array.from({ length: places }, (_, place) => place)
  const short = new Set(all.filter((place) => !takers.has(place)))
  // A set that is added to while it is walked through is walked to its end.
  for (const place of short) {
    for (const [candidate, possible] of candidates.entries()) {
      const held = taken.get(candidate)
      if (held !== undefined && possible.includes(place)) short.add(held)
    }
  }
  return short
}
