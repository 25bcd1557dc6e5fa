/** A point in time as epoch milliseconds: what events hold, so that they are plain JSON. */
export type Instant = number
