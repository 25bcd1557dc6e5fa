import { connect } from "node:net"

/** Bytes to a server and back, without a client's opinion of what may be sent. */

/** Something to write, after a pause. */
export interface Piece {
  readonly bytes: Uint8Array
  readonly afterMillis?: number
}

export interface Received {
  readonly bytes: Buffer
  readonly millis: number
  /** How it ended: by the server's end or reset of the connection, or ours after `millisMax`. */
  readonly end: "closed" | "reset" | "given up"
}

export interface Options {
  /** Half of the connection is closed after the last piece. */
  readonly isHalfClosed?: boolean
  /** The connection is dropped so long after the last piece, whatever comes. */
  readonly hangUpAfterMillis?: number
  readonly millisMax: number
}

/** Writes the pieces, and reads until the server closes the connection. */
export const exchange = (url: string, pieces: ReadonlyArray<Piece>, options: Options) =>
  new Promise<Received>((resolve) => {
    const { hostname, port } = new URL(url)
    const begin = performance.now()
    const chunks: Array<Buffer> = []
    const timers: Array<NodeJS.Timeout> = []
    let end: Received["end"] = "closed"
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const after = (millis: number, what: () => void) => void timers.push(setTimeout(what, millis))
    const finished = () => {
      if (options.isHalfClosed) socket.end()
      if (options.hangUpAfterMillis !== undefined) after(options.hangUpAfterMillis, () => socket.destroy())
    }
    const write = (index: number) => {
      const piece = pieces[index]
      if (piece === undefined) return finished()
      const go = () => {
        if (!socket.writable) return
        socket.write(piece.bytes)
        write(index + 1)
      }
      if (piece.afterMillis === undefined) go()
      else after(piece.afterMillis, go)
    }
    socket.on("connect", () => write(0))
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("end", () => socket.destroy())
    socket.on("error", () => {
      end = "reset"
    })
    socket.on("close", () => {
      for (const timer of timers) clearTimeout(timer)
      resolve({ bytes: Buffer.concat(chunks), millis: performance.now() - begin, end })
    })
    after(options.millisMax, () => {
      end = "given up"
      socket.destroy()
    })
  })

export interface WireAnswer {
  readonly status: number
  /** Names in lower case; of a repeated one the last. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const unchunk = (bytes: Buffer) => {
  const parts: Array<Buffer> = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    if (!(size >= 0)) return undefined
    if (size === 0) return { body: Buffer.concat(parts), length: line + 4 }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}

/** The answers in what came back; undefined where it is not well-formed HTTP/1.1. `isHead`: none has a body. */
export const answersIn = (bytes: Buffer, isHead = false): ReadonlyArray<WireAnswer> | undefined => {
  const answers: Array<WireAnswer> = []
  let rest = bytes
  while (rest.length > 0) {
    const headEnd = rest.indexOf("\r\n\r\n")
    if (headEnd === -1) return undefined
    const [first = "", ...lines] = rest.toString("latin1", 0, headEnd).split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!(status >= 100)) return undefined
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
    )
    rest = rest.subarray(headEnd + 4)
    if (status < 200) continue
    const hasNone = isHead || status === 204 || status === 304
    const chunked = !hasNone && headers.get("transfer-encoding") === "chunked" ? unchunk(rest) : undefined
    if (!hasNone && headers.has("transfer-encoding") && chunked === undefined) return undefined
    const length = chunked?.length ?? (hasNone ? 0 : Number(headers.get("content-length") ?? rest.length))
    if (rest.length < length) return undefined
    answers.push({ status, headers, body: (chunked?.body ?? rest.subarray(0, length)).toString() })
    rest = rest.subarray(length)
  }
  return answers
}
