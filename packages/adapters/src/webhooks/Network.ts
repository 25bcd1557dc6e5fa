import { promises as dns } from "node:dns"
import { connect, type Socket } from "node:net"
import type { Reach } from "./AddressGuard.ts"
import { isAbsence } from "./SendFailure.ts"

/** What lies between a URL and a connection. */
export interface Network {
  /** Every address that a name has, as text; fails with a code of Node's where there is none. */
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
  /** Begins a connection to an address, which is never a name. */
  readonly dial: (address: string, port: number) => Socket
}

/** Two tries, the second one waiting twice as long, leave half of an attempt's time for the connection. */
const lookup = { timeout: 1_500, tries: 2 }

/**
 * Asks the name servers directly. The operating system's look-up takes a thread of this process for as long as a name
 * server is silent, so that two names that nobody answers for would hold up the deliveries of everyone else.
 */
export const askNameServers =
  (resolver = new dns.Resolver(lookup)): Network["resolve"] =>
  async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    if (found.length > 0) return found
    const [failed] = answers.flatMap((answer) =>
      answer.status === "rejected" && !isAbsence(answer.reason) ? [answer.reason] : []
    )
    if (failed !== undefined) throw failed
    return []
  }

/** Names of private networks are often in the machine's hosts file alone, which the operating system knows. */
const askSystem = async (name: string): Promise<ReadonlyArray<string>> =>
  (await dns.lookup(name, { all: true })).map(({ address }) => address)

/** The network of this machine. */
export const systemNetwork = ({ allowPrivate }: Reach): Network => ({
  resolve: allowPrivate ? askSystem : askNameServers(),
  dial: (address, port) => connect({ host: address, port, noDelay: true })
})
