import type { Random } from "./Random.ts"
import type { Ids } from "./requests.ts"
import type { Operation } from "./Specification.ts"

/** A TypeID of this service. */
const anyId = /\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
/** Of each collection the last so many are remembered. */
const idsMax = 200
const nobody = "txn_01kd8z0000e008000000000000"

/** `/api/expenses/{id}/submit` → `/api/expenses`, `/pf/v1/payments/authorize` → `/pf/v1/payments`. */
const collectionOf = ({ path }: Operation) =>
  path
    .split("/")
    .slice(0, path.startsWith("/pf/") ? 4 : 3)
    .join("/")

const changesNothing = ({ method }: Operation) => method === "GET" || method === "HEAD"

/**
 * Identifiers by the collection in whose answers they stood. Those of before the run are read and named, and never the
 * address of a change: a run that revokes its own credential would end early.
 */
export const makeKnownIds = () => {
  const byCollection = new Map<string, Array<string>>()
  const protectedIds = new Set<string>()
  const protectedByCollection = new Map<string, Array<string>>()
  const remember = (ids: Map<string, Array<string>>, collection: string, id: string) => {
    const known = ids.get(collection) ?? []
    if (known.includes(id)) return
    known.push(id)
    ids.set(collection, known.slice(-idsMax))
  }
  const pickFrom = (random: Random, known: ReadonlyArray<string> | undefined) => {
    const [first, ...others] = known ?? []
    return first === undefined ? undefined : random.pick([first, ...others])
  }
  const all = () => [...byCollection.values(), ...protectedByCollection.values()].flat()
  const ids: Ids = {
    forPath: (operation, random) => {
      const collection = collectionOf(operation)
      const own = pickFrom(random, byCollection.get(collection))
      const others = changesNothing(operation) ? pickFrom(random, protectedByCollection.get(collection)) : undefined
      const fallback = pickFrom(random, [...byCollection.values()].flat()) ?? nobody
      return random.chance(0.2) ? (others ?? own ?? fallback) : (own ?? others ?? fallback)
    },
    any: (random) => pickFrom(random, all()) ?? nobody
  }
  return {
    ids,
    /** What was there before. */
    protect: (operation: Operation, text: string) => {
      for (const [id] of text.matchAll(anyId)) {
        protectedIds.add(id)
        remember(protectedByCollection, collectionOf(operation), id)
      }
    },
    learn: (operation: Operation, text: string) => {
      for (const [id] of text.matchAll(anyId)) {
        if (!protectedIds.has(id)) remember(byCollection, collectionOf(operation), id)
      }
    }
  }
}
