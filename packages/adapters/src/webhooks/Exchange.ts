import type { IncomingHttpHeaders } from "undici/types/header.js"
import type { Connection, Connections } from "./Connections.ts"
import { exchangeFailure, isClosing } from "./SendFailure.ts"

/** What is sent. */
export interface Posted {
  readonly origin: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came back. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first 2 KiB, exactly as they came: compressed where the receiver compresses unasked. */
  readonly head: Uint8Array
  /** Whether there was more than that. */
  readonly isCut: boolean
  /** Whether all of it has come. */
  readonly isWhole: boolean
}

/** So much of an answer is kept and read (contract section 7). */
const headBytesMax = 2_048

/** The connection ended before a byte of an answer; on one that had been idle the request was most likely not read. */
class ClosedIdle extends Error {}

const exchange = ({ client, wasUsed }: Connection, { body, headers, path }: Posted): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    let received = 0
    let begun: Pick<Answer, "status" | "headers"> | undefined
    const finish = (isWhole: boolean) => {
      if (begun !== undefined)
        resolve({ ...begun, head: Buffer.concat(chunks), isCut: !isWhole || received > headBytesMax, isWhole })
    }
    client.dispatch(
      { method: "POST", path, headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: (_, status, answered) => {
          // 1xx says that the answer is still to come.
          if (status >= 200) begun = { status, headers: answered }
        },
        onResponseData: (_, chunk) => {
          const room = headBytesMax - received
          received += chunk.byteLength
          if (room <= 0) return
          // The chunk is part of a buffer that is used again.
          chunks.push(Uint8Array.prototype.slice.call(chunk, 0, room))
          // An answer that ends in what was just received is whole: its connection can be kept.
          if (received >= headBytesMax) queueMicrotask(() => finish(false))
        },
        onResponseEnd: () => finish(true),
        onResponseError: (_, error) => {
          const isIdleClosing = wasUsed && begun === undefined && isClosing(error)
          reject(isIdleClosing ? new ClosedIdle() : exchangeFailure(error, begun !== undefined))
        }
      }
    )
  })

/** Whether the receiver goes on listening (RFC 9112, 9.3). */
const isLasting = ({ headers, isWhole }: Answer): boolean =>
  isWhole && !/\bclose\b/iu.test([headers.connection ?? ""].flat().join())

const exchangeOn = async (
  connection: Connection,
  connections: Connections,
  posted: Posted,
  signal: AbortSignal
): Promise<Answer> => {
  signal.throwIfAborted()
  signal.addEventListener("abort", connection.close, { once: true })
  try {
    const answer = await exchange(connection, posted)
    if (isLasting(answer)) connections.keep(posted.origin, connection)
    else connection.close()
    return answer
  } catch (error) {
    connection.close()
    throw error
  } finally {
    signal.removeEventListener("abort", connection.close)
  }
}

/**
 * Posts once and reads the head of the answer; fails with `SendFailure`. What lies beyond the head is never read: its
 * connection is closed. A kept connection that the receiver has closed meanwhile is not the receiver's failure, so that
 * the request goes out again on a new one.
 */
export const post = async (connections: Connections, posted: Posted, signal: AbortSignal): Promise<Answer> => {
  try {
    return await exchangeOn(connections.take(posted.origin), connections, posted, signal)
  } catch (error) {
    if (!(error instanceof ClosedIdle)) throw error
    return exchangeOn(connections.open(posted.origin), connections, posted, signal)
  }
}
