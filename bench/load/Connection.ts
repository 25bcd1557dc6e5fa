import { connect, type Socket } from "node:net"

/** What came back: a status, or why there is none. */
export interface Answer {
  /** 0 when the connection broke. */
  readonly status: number
  readonly text: string
}

/**
 * One keep-alive connection with one request under way at a time. It knows as much of HTTP/1.1 as both servers use, a
 * body with a content-length: the load generator shares the machine with what it measures, and a real client costs as
 * much as the server.
 */
export class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  /** Length of the whole answer, once its head is there. */
  #expected = 0
  #answered: ((answer: Answer) => void) | undefined
  #withText = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk) => this.#receive(chunk))
    socket.on("error", (error) => this.#finish({ status: 0, text: error.message }))
    socket.on("close", () => this.#finish({ status: 0, text: "the server closed the connection" }))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port })
      socket.once("error", reject)
      socket.once("connect", () => {
        socket.off("error", reject)
        resolve(new Connection(socket))
      })
    })
  }

  get isOpen() {
    return !this.#socket.destroyed && this.#socket.writable
  }

  /**
   * `answered` is a plain function: a promise for each request is load that has nothing to do with the servers. The text
   * of a success is read only `withText`, for the same reason.
   */
  send(request: string, answered: (answer: Answer) => void, withText = false) {
    this.#answered = answered
    this.#withText = withText
    this.#socket.write(request, "latin1")
  }

  close() {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (this.#expected === 0) {
      const end = this.#received.indexOf("\r\n\r\n")
      if (end === -1) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.#received.toString("latin1", 0, end))
      if (length === null) return this.#break("the answer has no content-length")
      this.#expected = end + 4 + Number(length[1])
    }
    if (this.#received.length < this.#expected) return
    if (this.#received.length > this.#expected) return this.#break("the answer is longer than its content-length")
    const received = this.#received
    this.#received = Buffer.alloc(0)
    this.#expected = 0
    const status = Number(received.toString("latin1", 9, 12))
    this.#finish({ status, text: status >= 200 && status < 300 && !this.#withText ? "" : received.toString() })
  }

  #break(text: string) {
    this.#socket.destroy()
    this.#finish({ status: 0, text })
  }

  #finish(answer: Answer) {
    const answered = this.#answered
    this.#answered = undefined
    answered?.(answer)
  }
}
