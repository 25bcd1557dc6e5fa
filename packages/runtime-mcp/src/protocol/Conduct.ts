import type { Exchange } from "../catalogue/Catalogue.ts"

/** What of an exchange the transport knows. */
export type Reply = Omit<Exchange, "principal">

/** `refused`: a result with `isError`; `not_found`: no such resource, or a prompt whose arguments do not fit. */
export type Judgement = "answered" | "refused" | "not_found"

/** A request that reads something of an organization. */
export interface Call<A> {
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete"
  /** Of the tool, resource or prompt, as the catalogue names it; never a text of the client's own. */
  readonly name: (answer: A | undefined) => string
  readonly run: (exchange: Exchange) => Promise<A>
  /** `rows`: how many the answer holds; null where it holds something else. */
  readonly judge: (answer: A) => { readonly judgement: Judgement; readonly rows: number | null }
}

/** Runs a call in the name of whoever the conversation is with. Rejects with a `ProtocolFault` and nothing else. */
export type Conduct = <A>(call: Call<A>, reply: Reply) => Promise<A>
