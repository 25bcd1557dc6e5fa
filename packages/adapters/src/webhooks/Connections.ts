import { Client } from "undici"
import type { Reach } from "./AddressGuard.ts"
import { guardedConnector } from "./GuardedConnector.ts"
import type { Network } from "./Network.ts"

/** One connection, which carries one request at a time. It comes about with its first request. */
export interface Connection {
  readonly client: Client
  /** Whether an answer has come over it before: then the other side may have closed it since. */
  wasUsed: boolean
  /** Ends it, also while it comes about, and whatever is on it. */
  close(): void
}

/** Unused connections that are kept for an origin: as many as an endpoint may have deliveries under way. */
const keptPerOriginMax = 50
/** Unused connections that are kept in all, far below the files that a process may have open. */
const keptMax = 512
/** Unused connections close after this, in milliseconds, or sooner where the receiver says so in `Keep-Alive`. */
const keptMillis = 4_000
const headerBytesMax = 16_384

/**
 * The connections to receivers. Each delivery has one of its own for as long as it takes, so that none ever waits for
 * another, however many endpoints share an origin: how many there are at a time is up to the caller. Unused ones are
 * kept for a while, within the bounds above.
 */
export const makeConnections = (network: Network, reach: Reach) => {
  const kept = new Map<string, Array<Connection>>()
  const all = new Set<Connection>()
  let keptCount = 0

  const forget = (origin: string, connection: Connection) => {
    const list = kept.get(origin)
    const index = list?.indexOf(connection) ?? -1
    if (list === undefined || index < 0) return
    list.splice(index, 1)
    keptCount--
    if (list.length === 0) kept.delete(origin)
  }

  const open = (origin: string): Connection => {
    const ending = new AbortController()
    const client = new Client(origin, {
      connect: guardedConnector(network, reach, ending.signal),
      // The deadline of the attempt is above both.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keptMillis,
      keepAliveMaxTimeout: keptMillis,
      maxHeaderSize: headerBytesMax
    })
    const connection: Connection = {
      client,
      wasUsed: false,
      close: () => {
        forget(origin, connection)
        if (!all.delete(connection)) return
        ending.abort()
        client.destroy(() => {})
      }
    }
    all.add(connection)
    client.on("disconnect", connection.close)
    return connection
  }

  /** The connection that was used last, or a new one. */
  const take = (origin: string): Connection => {
    const connection = kept.get(origin)?.at(-1)
    if (connection === undefined) return open(origin)
    forget(origin, connection)
    return connection
  }

  /** Takes a connection back once its answer has been read to the end. */
  const keep = (origin: string, connection: Connection) => {
    if (!all.has(connection)) return
    const list = kept.get(origin) ?? []
    if (list.length >= keptPerOriginMax || keptCount >= keptMax) return connection.close()
    connection.wasUsed = true
    list.push(connection)
    kept.set(origin, list)
    keptCount++
  }

  const closeAll = () => {
    for (const connection of all) connection.close()
  }

  return { closeAll, keep, open, take }
}
export type Connections = ReturnType<typeof makeConnections>
