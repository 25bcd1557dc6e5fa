/** A signature is accepted while its timestamp is up to five minutes behind our clock or ahead of it: so long at most. */
const generationMillis = 10 * 60_000

/** Clients that read several things at once sign them alike when it happens within a millisecond. */
const sharedMillis = 1_000

interface Read {
  readonly target: string
  readonly at: number
}

/**
 * The bodiless signatures that were used, of this process and of the last ten to twenty minutes: two generations, of which the
 * older is dropped whole, so that nothing has to be searched for what has expired.
 */
export const makeRecentReads = () => {
  let present = new Map<string, Read>()
  let former = new Map<string, Read>()
  let since = 0
  const find = (digest: string) => present.get(digest) ?? former.get(digest)
  /** Anything within a second of the first use, later the same thing only. */
  const allows = (digest: string, target: string, now: number): boolean => {
    const first = find(digest)
    return first === undefined || first.target === target || now - first.at <= sharedMillis
  }
  return {
    has: (digest: string): boolean => find(digest) !== undefined,
    allows,
    /** Whether a signature may be used for this now; its first use is remembered. */
    admit: (digest: string, target: string, now: number): boolean => {
      if (now - since > generationMillis) {
        former = present
        present = new Map()
        since = now
      }
      if (find(digest) === undefined) present.set(digest, { target, at: now })
      return allows(digest, target, now)
    }
  }
}
