import { Effect } from "effect"

/** Cards, their transactions, bills and vendors. */
export default Effect.void
