import { Effect } from "effect"

/** What the authorization server keeps: clients, grants, codes and tokens, and the connections of organizations. */
export default Effect.void
