import { connect } from "node:net"
import {
  createServer,
  getCACertificates,
  type SecureContextOptions,
  setDefaultCACertificates,
  type TLSSocket
} from "node:tls"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { layerOn } from "@sarraf/adapters/webhooks/HttpWebhookSender"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Effect } from "effect"
import { selfSigned } from "../providers/selfSigned.ts"
import { expired, valid } from "./certificates.ts"
import { listening, messageTo, saying } from "./receivers.ts"

const live = { livemode: true, allowPrivate: false }
const usual = getCACertificates("default")

/** A server under every name; `seen` tells what each connection asked for, `requests` what came over it. */
const securing = Effect.fnUntraced(function* (certificate: SecureContextOptions) {
  const seen: Array<{ servername: TLSSocket["servername"]; protocol: TLSSocket["alpnProtocol"] }> = []
  const requests: Array<string> = []
  const server = createServer({ ...certificate, ALPNProtocols: ["h2", "http/1.1"] }, (socket) => {
    seen.push({ servername: socket.servername, protocol: socket.alpnProtocol })
    socket.on("error", () => {})
    socket.on("data", (bytes) => {
      requests.push(bytes.toString("latin1"))
      socket.write("HTTP/1.1 204 No Content\r\n\r\n")
    })
  })
  const port = yield* listening(server)
  const network = {
    resolve: () => Promise.resolve(["93.184.215.14"]),
    dial: () => connect({ host: "127.0.0.1", port })
  }
  return { network, requests, seen }
})

const posting = (url: string, certificate: SecureContextOptions) =>
  Effect.gen(function* () {
    const { network, requests, seen } = yield* securing(certificate)
    const { error, status } = yield* Effect.flatMap(WebhookSender, ({ send }) => send(messageTo(url))).pipe(
      Effect.provide(layerOn(network, live))
    )
    return { outcome: error ?? status, requests, seen }
  })

describe("with the certificate trusted", () => {
  beforeEach(() => setDefaultCACertificates([valid.cert, expired.cert, selfSigned.cert]))
  afterEach(() => setDefaultCACertificates(usual))

  it.effect("a message arrives encrypted, at the name that was asked for, over HTTP/1.1", () =>
    Effect.gen(function* () {
      for (const url of [
        "https://hooks.example.com/a",
        "https://hooks.example.com./a",
        "https://HOOKS.example.com:8443/a"
      ]) {
        const { outcome, requests, seen } = yield* posting(url, valid)
        assert.strictEqual(outcome, 204, url)
        assert.deepStrictEqual(seen, [{ servername: "hooks.example.com", protocol: "http/1.1" }])
        assert.match(requests[0] ?? "", /^POST \/a HTTP\/1\.1\r\n/u)
      }
    })
  )

  it.effect("none arrives at another name, nor by an address that is not in the certificate", () =>
    Effect.gen(function* () {
      for (const url of ["https://other.example.com/", "https://a.hooks.example.com/", "https://93.184.215.14/"]) {
        const { outcome, requests } = yield* posting(url, valid)
        assert.deepStrictEqual([outcome, requests], ["The certificate is for another name", []], url)
      }
    })
  )

  it.effect("none arrives where it has expired", () =>
    Effect.gen(function* () {
      const { outcome, requests } = yield* posting("https://hooks.example.com/", expired)
      assert.deepStrictEqual([outcome, requests], ["The certificate has expired", []])
    })
  )
})

describe("with the certificate not trusted", () => {
  it.effect("nothing arrives", () =>
    Effect.gen(function* () {
      const { outcome, requests } = yield* posting("https://hooks.example.com/", valid)
      assert.deepStrictEqual([outcome, requests], ["The certificate is signed by itself", []])
    })
  )

  it.effect("nothing arrives either where the environment says that certificates do not matter", () =>
    Effect.gen(function* () {
      const name = "NODE_TLS_REJECT_UNAUTHORIZED"
      const before = process.env[name]
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env[name] = "0"
        }),
        () =>
          Effect.sync(() => {
            if (before === undefined) delete process.env[name]
            else process.env[name] = before
          })
      )
      const { outcome, requests } = yield* posting("https://hooks.example.com/", valid)
      assert.deepStrictEqual([outcome, requests], ["The certificate is signed by itself", []])
    })
  )
})

it.effect("nothing arrives at a server that does not encrypt, or that breaks off", () =>
  Effect.gen(function* () {
    const sentences = {
      "HTTP/1.1 200 OK\r\n\r\n": "No encrypted connection came about",
      "": "The connection was closed before it was ready"
    }
    for (const [bytes, sentence] of Object.entries(sentences)) {
      const port = Number(new URL(yield* saying(bytes)).port)
      const network = {
        resolve: () => Promise.resolve(["93.184.215.14"]),
        dial: () => connect({ host: "127.0.0.1", port })
      }
      const sender = layerOn(network, live)
      const sent = Effect.flatMap(WebhookSender, ({ send }) => send(messageTo("https://hooks.example.com/")))
      assert.strictEqual((yield* Effect.provide(sent, sender)).error, sentence)
    }
  })
)
