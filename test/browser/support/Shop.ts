import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll } from "vitest"

/** A merchant's site, to which buyers come back: for one test file. */
export const useShop = () => {
  let server: Server | undefined
  let url = ""
  beforeAll(async () => {
    server = createServer((_, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!doctype html><title>Shop</title><h1>The shop</h1>")
    )
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server?.close().closeAllConnections()
  })
  return () => `${url}/done?basket=7`
}

const signed = ["transactionId", "merchantReference", "status", "amount", "currency", "timestamp"]

/** What the shop is told by the address that a buyer comes back to; its signature is checked as a shop would. */
export const toldBy = (address: string, secret: string): Readonly<Record<string, string>> => {
  const query = new URL(address).searchParams
  const text = signed.map((name) => query.get(name)).join("\n")
  assert.strictEqual(query.get("signature"), createHmac("sha256", secret).update(text).digest("hex"))
  assert.strictEqual(query.get("basket"), "7")
  return Object.fromEntries(query)
}
