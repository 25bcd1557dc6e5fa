import { isIP } from "node:net"
import { addressRefusal, isLoopback, type Reach } from "./AddressGuard.ts"

/** 80, 443, and everything that takes no rights to listen on, where receivers in development are. */
const portUnprivilegedMin = 1_024

/**
 * Services that listen there would take a delivery for something of theirs, or should be reached by no stranger. Source:
 * the bad ports of the Fetch standard (2.9) from 1024 on, and the usual ports of databases, queues, and cluster managers.
 */
const portsRefused: ReadonlySet<number> = new Set([
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
  ],
  ...[1433, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5672, 5900, 5984, 5985, 5986, 6379, 6443, 8500],
  ...[9042, 9092, 9200, 9300, 10250, 10255, 11211, 15672, 27017]
])

/** The host as it is connected to: without the brackets of IPv6 and the dot that ends a complete name. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.$/u, "")

/** Names that mean this machine and are never looked up (RFC 6761, 6.3). */
export const isLocalhost = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

const schemeRefusal = ({ protocol }: URL, { livemode }: Reach): string | undefined => {
  if (protocol === "https:" || (protocol === "http:" && !livemode)) return undefined
  return livemode ? "The scheme is not https" : "The scheme is neither https nor http"
}

const hostRefusal = (host: string, reach: Reach): string | undefined => {
  if (isIP(host) !== 0) return addressRefusal(host, reach)
  return reach.livemode && isLocalhost(host) ? `The name ${host} is not public` : undefined
}

const portRefusal = ({ port }: URL, host: string): string | undefined => {
  // The parser leaves out the usual port of the scheme.
  if (port === "" || port === "80" || port === "443") return undefined
  const number = Number(port)
  const isOpen = number >= portUnprivilegedMin && (isLocalhost(host) || isLoopback(host) || !portsRefused.has(number))
  return isOpen ? undefined : `The port ${port} is not one that webhooks are sent to`
}

/**
 * Why a URL is never sent to, a sentence, as far as its text tells; undefined where it may be. Judged is what the
 * parser makes of the text (WHATWG URL), so that 0x7f.1, 2130706433 and 127。0。0。1 are all 127.0.0.1.
 *
 * - https; in TEST mode http as well.
 * - No user name or password: they would be stored and shown with the URL.
 * - Ports 80, 443, and 1024 to 65535 without those in `portsRefused`; on loopback in TEST mode every one from 1024 on.
 * - An address in place of a name is judged by `addressRefusal`. Names are judged when they are resolved.
 */
export const urlRefusal = (text: string, reach: Reach): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return "It is not a URL"
  const host = hostOf(url)
  return (
    schemeRefusal(url, reach) ??
    (url.username !== "" || url.password !== "" ? "It holds a user name or a password" : undefined) ??
    hostRefusal(host, reach) ??
    portRefusal(url, host)
  )
}
