import { Server } from "@modelcontextprotocol/server"
import { Schema } from "effect"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Conduct } from "./Conduct.ts"
import { announced, makeMethods } from "./methods.ts"

/** What is offered changes with a release and with a person's role: a client may keep it for five minutes, for itself. */
const kept = { ttlMs: 300_000, cacheScope: "private" } as const

/** Contents are read anew each time. */
const cacheHints = {
  "server/discover": kept,
  "tools/list": kept,
  "prompts/list": kept,
  "resources/list": kept,
  "resources/templates/list": kept,
  "resources/read": { ttlMs: 0, cacheScope: "private" }
} as const

/** The methods check their parameters themselves. */
const anything = Schema.toStandardSchemaV1(Schema.Unknown)

/** A conversation in revision 2026-07-28; over stdio in any. */
export const makeCurrentServer = (catalogue: Catalogue, conduct: Conduct): Server => {
  const { implementation, options } = announced(catalogue)
  const server = new Server(implementation, { ...options, cacheHints })
  for (const [method, answer] of makeMethods(catalogue, conduct)) {
    server.setRequestHandler(method, { params: anything }, (params, { mcpReq: { notify, signal } }) =>
      answer(params, { signal, notify: (name, content) => notify({ method: name, params: { ...content } }) })
    )
  }
  return server
}
