import { Agent, fetch as fetchWith } from "undici"
import { guardedConnector } from "../webhooks/GuardedConnector.ts"
import { type Network, systemNetwork } from "../webhooks/Network.ts"

/** Whoever fetches here was told where by somebody that nobody knows, so that TEST mode is no exception. */
const reach = { livemode: true, allowPrivate: false }
/** For all of it, in milliseconds. Nobody waits longer for a document that names a client. */
const millisMax = 2_500

/**
 * Fetches over https from public addresses and from nowhere else, without following redirects: the names are resolved
 * once, each address is judged, and one of these is connected to. For documents of clients and their keys.
 */
export const makePublicFetch =
  (network: Network = systemNetwork(reach)) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.protocol !== "https:") throw new TypeError("Documents are fetched over https")
    const signal = AbortSignal.timeout(millisMax)
    const dispatcher = new Agent({ connect: guardedConnector(network, reach, signal), pipelining: 0 })
    try {
      const answer = await fetchWith(url, {
        method: "GET",
        headers: [...new Headers(init.headers)],
        redirect: "manual",
        signal,
        dispatcher
      })
      // The body is read from a stream of its own, and the connection closes after it.
      return new Response(answer.body as ReadableStream | null, {
        status: answer.status,
        headers: [...answer.headers]
      })
    } finally {
      void dispatcher.close()
    }
  }
