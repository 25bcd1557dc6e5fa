import type { RequestListener } from "node:http"
import { createServer } from "node:https"
import { type AddressInfo, connect } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { makePublicFetch } from "@sarraf/adapters/oauth/PublicFetch"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { valid } from "../webhooks/certificates.ts"

/** A network in which every name has these addresses, and nothing answers. */
const networkOf = (...addresses: ReadonlyArray<string>) => {
  const dialled: Array<string> = []
  return {
    dialled,
    network: {
      resolve: async () => addresses,
      dial: (address: string) => {
        dialled.push(address)
        // Port 0 is never open.
        return connect({ host: "127.0.0.1", port: 0 })
      }
    }
  }
}

const failure = async (fetching: Promise<unknown>) =>
  fetching.then(
    () => "fetched",
    () => "refused"
  )

describe("Documents of clients", () => {
  it("are fetched from no address that is not public, in TEST mode either", async () => {
    for (const address of [
      "127.0.0.1",
      "10.1.2.3",
      "172.16.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "::1",
      "fd00::1",
      "fe80::1",
      "::ffff:127.0.0.1"
    ]) {
      const { dialled, network } = networkOf(address)
      const outcome = await failure(makePublicFetch(network)("https://client.example/client.json"))
      assert.strictEqual(outcome, "refused", address)
      assert.deepStrictEqual(dialled, [], address)
    }
  })

  it("are fetched from none of several addresses where one is not public", async () => {
    const { dialled, network } = networkOf("203.0.114.1", "10.0.0.1")
    assert.strictEqual(await failure(makePublicFetch(network)("https://client.example/client.json")), "refused")
    assert.deepStrictEqual(dialled, [])
  })

  it("are fetched from an address in the URL by the same rule, and from localhost never", async () => {
    const { dialled, network } = networkOf("8.8.8.8")
    for (const host of ["127.0.0.1", "[::1]", "localhost", "2130706433", "0x7f.1"]) {
      assert.strictEqual(await failure(makePublicFetch(network)(`https://${host}/client.json`)), "refused", host)
    }
    assert.deepStrictEqual(dialled, [])
  })

  it("are asked for at the public address that the name has", async () => {
    const { dialled, network } = networkOf("8.8.8.8")
    await failure(makePublicFetch(network)("https://client.example/client.json"))
    assert.deepStrictEqual([...new Set(dialled)], ["8.8.8.8"])
  })

  it("are never fetched over http", async () => {
    const { dialled, network } = networkOf("8.8.8.8")
    assert.strictEqual(await failure(makePublicFetch(network)("http://client.example/client.json")), "refused")
    assert.deepStrictEqual(dialled, [])
  })
})

describe("A document over https", () => {
  const usual = getCACertificates("default")
  let answer: RequestListener = () => {}
  const server = createServer(valid, (...exchange) => answer(...exchange))
  const network = {
    resolve: async () => ["8.8.8.8"],
    dial: () => connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port })
  }
  beforeEach(async () => {
    setDefaultCACertificates([valid.cert])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  })
  afterEach(async () => {
    setDefaultCACertificates(usual)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it("is read to its end, with its status and headers", async () => {
    const text = JSON.stringify({ list: Array.from({ length: 500 }, (_, at) => `line ${at}`) })
    answer = (request, response) => {
      assert.strictEqual(request.headers.accept, "application/json")
      response.setHeader("cache-control", "max-age=60")
      response.write(text.slice(0, 100))
      setImmediate(() => response.end(text.slice(100)))
    }
    const init = { headers: { accept: "application/json" } }
    const fetched = await makePublicFetch(network)("https://hooks.example.com/client.json", init)
    assert.strictEqual(fetched.status, 200)
    assert.strictEqual(fetched.headers.get("cache-control"), "max-age=60")
    assert.strictEqual(await fetched.text(), text)
  })

  it("is not looked for where a redirect leads", async () => {
    const asked: Array<string> = []
    answer = (request, response) => {
      asked.push(request.url ?? "")
      response.writeHead(302, { location: "https://hooks.example.com/other" }).end()
    }
    assert.strictEqual((await makePublicFetch(network)("https://hooks.example.com/client.json")).status, 302)
    assert.deepStrictEqual(asked, ["/client.json"])
  })
})
