import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Conduct } from "./Conduct.ts"
import { announced, makeMethods } from "./methods.ts"
import { faultCodes, ProtocolFault } from "./ProtocolFault.ts"

/** A conversation in revision 2025-11-25 or an older one, where the client begins with `initialize`. */
export const makeLegacyServer = (catalogue: Catalogue, conduct: Conduct): Server => {
  const { implementation, options } = announced(catalogue)
  const methods = makeMethods(catalogue, conduct)
  const server = new Server(implementation, options)
  server.fallbackRequestHandler = async ({ method, params }, { sendNotification, signal }) => {
    const answer = methods.get(method)
    if (answer === undefined) {
      throw new ProtocolFault({ code: faultCodes.methodNotFound, message: "Method not found" })
    }
    // The types of the SDK list the notifications of the specification; it sends any.
    const notify = (name: string, content: Readonly<Record<string, unknown>>) =>
      sendNotification({ method: name, params: content } as Parameters<typeof sendNotification>[0])
    return answer(params, { signal, notify })
  }
  return server
}
