import { once } from "node:events"
import { isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import type { buildConnector } from "undici"
import { addressRefusal, type Reach } from "./AddressGuard.ts"
import type { Network } from "./Network.ts"
import { connectFailure, lookupFailure, noAddress, SendFailure } from "./SendFailure.ts"
import { isLocalhost } from "./UrlGuard.ts"

/** An address that is silent for so long is passed over for the next, in milliseconds. The last one has all the time. */
const addressMillisMax = 2_000
/** Of a name with many addresses so many are tried; all of them are judged. */
const addressesTriedMax = 4

const resolved = async (host: string, network: Network): Promise<ReadonlyArray<string>> => {
  if (isIP(host) !== 0) return [host]
  if (isLocalhost(host)) return ["127.0.0.1", "::1"]
  try {
    return await network.resolve(host)
  } catch (error) {
    throw lookupFailure(error)
  }
}

/** The addresses of a host, each of which may be connected to. One that may not spoils them all. */
const addressesOf = async (host: string, network: Network, reach: Reach): Promise<ReadonlyArray<string>> => {
  const addresses = await resolved(host, network)
  if (addresses.length === 0) throw new SendFailure(noAddress)
  const [refusal] = addresses.flatMap((address) => addressRefusal(address, reach) ?? [])
  if (refusal !== undefined) throw new SendFailure(refusal)
  return addresses
}

/** Waits for a connection that has begun; closes it where it fails, is given up, or takes longer than it may. */
const settled = async (socket: Socket, event: string, signal: AbortSignal, millisMax?: number): Promise<void> => {
  // It may fail when nobody waits for it any more.
  socket.on("error", () => {})
  const late = new AbortController()
  const timer = millisMax === undefined ? undefined : setTimeout(() => late.abort(new SendFailure()), millisMax)
  try {
    await once(socket, event, { signal: AbortSignal.any([signal, late.signal]) })
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const dialFirst = async (
  addresses: ReadonlyArray<string>,
  port: number,
  network: Network,
  signal: AbortSignal
): Promise<Socket> => {
  const tried = addresses.slice(0, addressesTriedMax)
  let failure: unknown
  for (const [index, address] of tried.entries()) {
    const socket = network.dial(address, port)
    try {
      await settled(socket, "connect", signal, index === tried.length - 1 ? undefined : addressMillisMax)
      return socket
    } catch (error) {
      if (signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

/** Verified by the authorities that Node trusts, whatever the environment says; HTTP/1.1 alone is offered. */
const encrypted = async (socket: Socket, host: string, signal: AbortSignal): Promise<Socket> => {
  const secured = connectTls({
    socket,
    host,
    // RFC 6066 (3) has no addresses there.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true
  })
  await settled(secured, "secureConnect", signal)
  return secured
}

/**
 * Connects undici to what may be reached and to nothing else. A name is resolved once, here, each of its addresses is
 * judged, and one of exactly these is dialled: no second look-up is left that could say something else (DNS rebinding).
 * Ends when `signal` does.
 */
export const guardedConnector =
  (network: Network, reach: Reach, signal: AbortSignal): buildConnector.connector =>
  ({ hostname, port, protocol }, callback) => {
    const host = hostname.replace(/\.$/u, "")
    const isTls = protocol === "https:"
    const open = async (): Promise<Socket> => {
      const addresses = await addressesOf(host, network, reach)
      const socket = await dialFirst(addresses, Number(port) || (isTls ? 443 : 80), network, signal)
      return isTls ? encrypted(socket, host, signal) : socket
    }
    open().then(
      (socket) => callback(null, socket),
      (error) => callback(connectFailure(error), null)
    )
  }
