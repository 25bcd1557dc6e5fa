/** Which part of a list: newest first, after the row `after` (a keyset: rows that are added meanwhile move nothing). */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number
  /** The id of the last row of the page before; undefined for the first page. */
  readonly after: string | undefined
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** A page of rows that were read with one more than its limit. */
export const pageOf = <A>(rows: ReadonlyArray<A>, { limit }: PageRequest): Page<A> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit
})
