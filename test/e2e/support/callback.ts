import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll } from "vitest"

/** Where an assistant on the person's machine waits for its code, on a free port. */
export const useCallback = () => {
  const told: Array<URL> = []
  let waiting: ((url: URL) => void) | undefined
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Done</title><h1>You may close this</h1>")
    if (url.pathname !== "/callback") return
    if (waiting === undefined) told.push(url)
    else waiting(url)
  })
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening")
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  })
  return {
    address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    /** What the next browser that comes brings. */
    next: () =>
      new Promise<URL>((resolve) => {
        const first = told.shift()
        if (first !== undefined) return resolve(first)
        waiting = (url) => {
          waiting = undefined
          resolve(url)
        }
      })
  }
}
