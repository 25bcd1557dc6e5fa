import type { Settings } from "./Settings.ts"
import { type Run, simulate } from "./Simulation.ts"

/** Runs at most; what is found by then is short enough to be read. */
const runsMax = 200

/** Leaves out one half after the other, then smaller and smaller parts, for as long as the rest still breaks something. */
const fewest = <A>(all: ReadonlyArray<A>, isStillBroken: (some: ReadonlyArray<A>) => boolean): ReadonlyArray<A> => {
  let kept = all
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (isStillBroken(rest)) kept = rest
      else from += size
    }
  }
  return kept
}

/**
 * The shortest run found that breaks an invariant too, beginning from one that does: first the shortest prefix, then the
 * fewest orders, then the fewest disturbances. It may be another invariant than at first; a short trace tells more.
 */
export const shortest = (first: Run, run: (settings: Settings) => Run = simulate): Run => {
  let best = first
  let runs = 0
  const isBroken = (settings: Settings): boolean => {
    if (runs >= runsMax) return false
    runs += 1
    const tried = run(settings)
    if (tried.broken !== undefined) best = tried
    return tried.broken !== undefined
  }
  for (let least = 1, most = best.settings.minutes; least < most; ) {
    const middle = Math.floor((least + most) / 2)
    if (isBroken({ ...best.settings, minutes: middle })) most = middle
    else least = middle + 1
  }
  fewest(best.orders, (orders) => isBroken({ ...best.settings, orders }))
  fewest(best.disturbances, (only) => isBroken({ ...best.settings, only }))
  return best
}
