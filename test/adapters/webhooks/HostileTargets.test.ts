import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import type { Reach } from "@sarraf/adapters/webhooks/AddressGuard"
import { layerOn } from "@sarraf/adapters/webhooks/HttpWebhookSender"
import type { Network } from "@sarraf/adapters/webhooks/Network"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Effect, Schema } from "effect"
import { connected, messageTo, receiving } from "./receivers.ts"

const live = { livemode: true, allowPrivate: false }
const test = { livemode: false, allowPrivate: false }
const testPrivate = { livemode: false, allowPrivate: true }

const publicAddress = "93.184.215.14"

/** What the names of these tests lead to. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  "public.example": [publicAddress],
  "loopback.example": ["127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "six.example": ["::1"],
  "local.example": ["fe80::1"],
  "unique.example": ["fd12::5"],
  "private.example": ["10.0.0.5"],
  "carrier.example": ["100.64.3.4"],
  "metadata.example": ["169.254.169.254"],
  "zero.example": ["0.0.0.0"],
  "both.example": [publicAddress, "10.0.0.5"],
  "later.example": [publicAddress, "2606:4700::1111", "::1"],
  "tunnel.example": ["2002:7f00:1::1"],
  "nat.example": ["64:ff9b::7f00:1"],
  "odd.example": ["127.1"],
  "nobody.example": []
}

/**
 * A network in which every address, whatever it is, leads to one server: what is dialled at all arrives there. `dialled`
 * and `resolved` tell what was asked for.
 */
const treacherous = (origin: string, resolve = (name: string) => names[name.replace(/\.$/u, "")] ?? []) => {
  const dialled: Array<string> = []
  const resolved: Array<string> = []
  const network: Network = {
    resolve: async (name) => {
      resolved.push(name)
      return resolve(name)
    },
    dial: (address): Socket => {
      dialled.push(address)
      return connect({ host: "127.0.0.1", port: Number(new URL(origin).port) })
    }
  }
  return { dialled, network, resolved }
}

const sending = (network: Network, reach: Reach, url: string) =>
  Effect.flatMap(WebhookSender, ({ send }) => send(messageTo(url))).pipe(Effect.provide(layerOn(network, reach)))

/** A server that counts connections, so that not even one without a request goes unseen. */
const internal = Effect.gen(function* () {
  const arrived = { connections: 0 }
  const origin = yield* connected((socket) => {
    arrived.connections++
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"))
  })
  return { arrived, origin }
})

const spellings = [
  "https://127.0.0.1/",
  "https://127.0.0.1./",
  "https://127.1/",
  "https://127.0.1/",
  "https://0x7f.0.0.1/",
  "https://0x7f000001/",
  "https://0177.0.0.1/",
  "https://017700000001/",
  "https://2130706433/",
  "https://00000000000177.0.0.1/",
  "https://%31%32%37.0.0.1/",
  "https://127%2E0%2E0%2E1/",
  "https://１２７.0.0.1/",
  "https://127。0。0。1/",
  "https://①②⑦.0.0.1/",
  "https://𝟏𝟐𝟕.0.0.1/",
  "https://127.0.0.1:8443/",
  "https:127.0.0.1/",
  "https:\\\\127.0.0.1\\hook",
  "https://\t127.0.0.1/",
  "https://127.0.\n0.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://[::]/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::127.0.0.1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::FFFF:7F00:0001]/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[64:ff9b:1::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001:0:7f00:1::]/",
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://hook.localhost/",
  "https://ｌｏｃａｌｈｏｓｔ/"
]

const ranges = [
  "https://10.0.0.5/",
  "https://0xa000005/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/latest/meta-data/",
  "https://[::ffff:a9fe:a9fe]/latest/meta-data/",
  "https://[fd00:ec2::254]/latest/meta-data/",
  "https://168.63.129.16/",
  "https://100.100.100.200/",
  "https://192.0.0.192/",
  "https://198.18.0.1/",
  "https://203.0.113.9/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://240.0.0.1/",
  "https://[fc00::1]/",
  "https://[fd12:3456::1]/",
  "https://[fe80::1]/",
  "https://[fec0::1]/",
  "https://[ff02::1]/",
  "https://[100::1]/",
  "https://[2001:db8::1]/"
]

const others = [
  "https://[fe80::1%25eth0]/",
  "https://[::1%lo]/",
  "https://public.example@127.0.0.1/",
  "https://user:password@public.example/",
  "https://public.example:22/",
  "https://public.example:25/",
  "https://public.example:6379/",
  "https://public.example:6667/",
  "https://public.example:0/",
  "http://public.example/",
  "http://public.example:443/",
  "ftp://public.example/",
  "file:///etc/passwd",
  "gopher://public.example/",
  "ws://public.example/",
  "data:text/plain,x",
  "javascript:0",
  "//public.example/",
  "public.example",
  "https://",
  "https://public.example:99999/",
  "https://256.0.0.1/",
  ""
]

const hostileNames = Object.keys(names)
  .filter((name) => name !== "public.example")
  .flatMap((name) => [`https://${name}/`, `https://${name.toUpperCase()}./`])

describe("in live mode nothing arrives at", () => {
  for (const url of [...spellings, ...ranges, ...others, ...hostileNames]) {
    it.effect(JSON.stringify(url), () =>
      Effect.gen(function* () {
        const { arrived, origin } = yield* internal
        const { dialled, network } = treacherous(origin)
        const { answer, error, status } = yield* sending(network, live, url)
        assert.deepStrictEqual([status, answer, dialled, arrived.connections], [null, null, [], 0])
        assert.match(error ?? "", /^(?:The|It) [^<>{}]+$/u)
      })
    )
  }

  it.effect("any of these although the same network carries what is public", () =>
    Effect.gen(function* () {
      const { arrived, origin } = yield* internal
      const { dialled, network } = treacherous(origin)
      yield* sending(network, live, "https://public.example/")
      assert.deepStrictEqual([dialled, arrived.connections], [[publicAddress], 1])
      assert.strictEqual((yield* sending(network, test, "http://public.example/")).status, 200)
    })
  )
})

describe("in TEST mode", () => {
  const refusedThere = ["private", "carrier", "unique", "metadata", "local", "zero", "both", "tunnel", "nat", "odd"]
  for (const name of refusedThere) {
    it.effect(`nothing arrives at http://${name}.example`, () =>
      Effect.gen(function* () {
        const { arrived, origin } = yield* internal
        const { dialled, network } = treacherous(origin)
        const { status } = yield* sending(network, test, `http://${name}.example/`)
        assert.deepStrictEqual([status, dialled, arrived.connections], [null, [], 0])
      })
    )
  }

  it.effect("private networks are reached where that is set, and what is never a receiver is not", () =>
    Effect.gen(function* () {
      const { origin } = yield* internal
      const { dialled, network } = treacherous(origin)
      for (const name of refusedThere) yield* sending(network, testPrivate, `http://${name}.example/`)
      assert.deepStrictEqual(dialled, ["10.0.0.5", "100.64.3.4", "fd12::5", publicAddress])
    })
  )

  it.effect("loopback is reached at every port that needs no rights, under its name without asking anybody", () =>
    Effect.gen(function* () {
      const { origin } = yield* internal
      const { dialled, network, resolved } = treacherous(origin)
      for (const target of ["127.0.0.1:6379", "localhost:6000", "hook.localhost:3000", "[::1]:1024", "127.1:80"]) {
        assert.strictEqual((yield* sending(network, test, `http://${target}/`)).status, 200, target)
      }
      assert.deepStrictEqual(dialled, ["127.0.0.1", "127.0.0.1", "127.0.0.1", "::1", "127.0.0.1"])
      for (const target of ["127.0.0.1:22", "localhost:1023", "[::1]:25"]) {
        assert.match((yield* sending(network, test, `http://${target}/`)).error ?? "", /^The port \d+ is not one/u)
      }
      assert.deepStrictEqual(resolved, [])
    })
  )
})

describe("a name that changes its address", () => {
  it.effect("is judged by the address that is connected to, however often it is asked for", () =>
    Effect.gen(function* () {
      const { arrived, origin } = yield* internal
      let asked = 0
      const { dialled, network } = treacherous(origin, () => (asked++ === 0 ? [publicAddress] : ["127.0.0.1"]))
      const first = yield* sending(network, { ...test, livemode: true }, "https://rebinding.example/")
      assert.strictEqual(first.status, null)
      assert.deepStrictEqual([asked, dialled, arrived.connections], [1, [publicAddress], 1])
      const second = yield* sending(network, live, "https://rebinding.example/")
      assert.strictEqual(second.error, "The address 127.0.0.1 is not public")
      assert.deepStrictEqual([asked, dialled, arrived.connections], [2, [publicAddress], 1])
    })
  )

  it.effect("is judged anew for each connection of one sender", () =>
    Effect.gen(function* () {
      const { origin } = yield* internal
      let asked = 0
      const { dialled, network } = treacherous(origin, () => (asked++ === 0 ? [publicAddress] : ["10.0.0.5"]))
      const outcomes = yield* Effect.flatMap(WebhookSender, ({ send }) =>
        Effect.forEach([1, 2, 3], () => send(messageTo("http://rebinding.example/")))
      ).pipe(Effect.provide(layerOn(network, test)))
      assert.deepStrictEqual(
        outcomes.map(({ error, status }) => error ?? status),
        [200, "The address 10.0.0.5 is not public", "The address 10.0.0.5 is not public"]
      )
      assert.deepStrictEqual([asked, dialled], [3, [publicAddress]])
    })
  )
})

describe("a redirect", () => {
  const Redirect = Schema.Literals([301, 302, 303, 307, 308])
  it.effect.prop("is an answer like another, and nobody goes where it leads", [Redirect], ([status]) =>
    Effect.gen(function* () {
      const { arrived, origin: target } = yield* internal
      const origin = yield* receiving((_, outgoing) => outgoing.writeHead(status, { location: target }).end())
      const { dialled, network } = treacherous(origin)
      const outcome = yield* sending(network, test, "http://public.example/")
      assert.deepStrictEqual([outcome.status, outcome.error], [status, null])
      assert.deepStrictEqual([dialled, arrived.connections], [[publicAddress], 0])
    })
  )
})

describe("what the text of a URL tells", () => {
  const refusalOf = (reach: Reach, url: string) =>
    Effect.map(WebhookSender, (sender) => sender.refusalOf(url)).pipe(
      Effect.provide(layerOn(treacherous("http://127.0.0.1:1").network, reach))
    )

  it.effect("is told without any network", () =>
    Effect.gen(function* () {
      for (const url of [...spellings, ...ranges, ...others]) assert.isDefined(yield* refusalOf(live, url), url)
      for (const url of hostileNames) assert.isUndefined(yield* refusalOf(live, url), url)
      for (const url of ["https://hooks.example.com/a?b=c", "https://hooks.example.com:8443", "https://8.8.8.8"]) {
        assert.isUndefined(yield* refusalOf(live, url), url)
      }
    })
  )

  it.effect("is one sentence", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusalOf(live, "http://public.example"), "The scheme is not https")
      assert.strictEqual(yield* refusalOf(test, "ftp://public.example"), "The scheme is neither https nor http")
      assert.strictEqual(yield* refusalOf(live, "https://0xa.5"), "The address 10.0.0.5 is not public")
      assert.strictEqual(yield* refusalOf(live, "https://a:b@c.example"), "It holds a user name or a password")
      assert.strictEqual(yield* refusalOf(live, "nowhere"), "It is not a URL")
    })
  )
})
