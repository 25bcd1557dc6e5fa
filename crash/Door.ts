import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/**
 * One address for all processes of a kind, as a load balancer gives: a process that is started again has another port.
 * Bytes are passed on as they come; a connection breaks with its server, and is refused while there is none.
 */
export const openDoor = async () => {
  const ports = new Map<number, number>()
  const sockets = new Set<Socket>()
  let turn = 0
  const remember = (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  }
  const nextPort = (): number | undefined => {
    const open = [...ports.values()]
    turn += 1
    return open[turn % Math.max(open.length, 1)]
  }
  const door = createServer((caller) => {
    const port = nextPort()
    remember(caller)
    caller.on("error", () => undefined)
    if (port === undefined) return void caller.resetAndDestroy()
    const server = connect(port, "127.0.0.1")
    remember(server)
    server.on("error", () => undefined)
    caller.pipe(server).pipe(caller)
    // A half-closed connection is no use to anybody here.
    server.once("close", () => caller.destroy())
    caller.once("close", () => server.destroy())
  })
  door.listen(0, "127.0.0.1")
  await once(door, "listening")
  const address = door.address()
  if (address === null || typeof address === "string") throw new Error("The door has no port.")
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    /** Requests go to this server from now on, too. */
    open: (server: number, port: number) => void ports.set(server, port),
    shut: (server: number) => void ports.delete(server),
    /** Breaks every connection that goes through it; the next ones are let in again. */
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      const closed = once(door, "close")
      door.close()
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}
export type Door = Awaited<ReturnType<typeof openDoor>>
