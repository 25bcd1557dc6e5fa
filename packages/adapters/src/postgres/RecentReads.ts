/** A signature is accepted while its timestamp is up to five minutes behind our clock or ahead of it: so long at most. */
const generationMillis = 10 * 60_000

/** Clients that read several things at once sign them alike when it happens within a millisecond. */
const sharedMillis = 1_000

interface Read {
  readonly target: string
  readonly at: number
}

/**
 * The signatures that read something, of this process and of the last ten to twenty minutes: two generations, of which the
 * older is dropped whole, so that nothing has to be searched for what has expired.
 */
export const makeRecentReads = () => {
  let present = new Map<string, Read>()
  let former = new Map<string, Read>()
  let since = 0
  const find = (digest: string) => present.get(digest) ?? former.get(digest)
  return {
    has: (digest: string): boolean => find(digest) !== undefined,
    /** Whether a signature may read this now: anything at first and within a second of it, later the same thing only. */
    admit: (digest: string, target: string, now: number): boolean => {
      if (now - since > generationMillis) {
        former = present
        present = new Map()
        since = now
      }
      const first = find(digest)
      if (first === undefined) present.set(digest, { target, at: now })
      return first === undefined || first.target === target || now - first.at <= sharedMillis
    }
  }
}
