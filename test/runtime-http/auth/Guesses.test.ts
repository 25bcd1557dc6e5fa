import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { GatewayRateLimit } from "@sarraf/runtime-http/auth/GatewayRateLimit"
import { Guesses } from "@sarraf/runtime-http/auth/Guesses"
import { networkOf } from "@sarraf/runtime-http/auth/network"
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"

const limits = GatewayRateLimit.layer({ perSecond: 100, burst: 100 })
const services = Layer.provideMerge(Guesses.layer, limits)

const from = (address: string) =>
  Effect.provideService(
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request("http://localhost/")).modify({ remoteAddress: Option.some(address) })
  )

/** What becomes of a wrong guess: "wrong", or "RATE_LIMITED" where it is not even looked at. */
const guess = (address: string) =>
  Effect.flatMap(Guesses, ({ count }) => count(Effect.fail("wrong" as const), () => true)).pipe(
    Effect.flip,
    Effect.map((error) => (error === "wrong" ? error : error.code)),
    from(address)
  )

const wrongOf = (addresses: ReadonlyArray<string>) =>
  Effect.map(Effect.forEach(addresses, guess), (all) => all.filter((one) => one === "wrong").length)

const times = (count: number, address: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => address(at))

describe("Guesses", () => {
  it.effect("of one IPv6 customer count together, whichever of the addresses they come from", () =>
    Effect.gen(function* () {
      const attackers = [
        (at: number) => `2001:db8:1:2::${at.toString(16)}`,
        (at: number) => `2001:db8::${at.toString(16)}`,
        (at: number) => `2001:db8:7:0:1:2:3:${at.toString(16)}`
      ]
      for (const addresses of attackers) assert.isAtMost(yield* wrongOf(times(120, addresses)), 62)
      assert.strictEqual(yield* guess("2001:db8:1:3::1"), "wrong", "the neighbour is another customer")
    }).pipe(Effect.provide(services))
  )

  it.effect("of an IPv4 address count together with those that arrive on an IPv6 socket", () =>
    Effect.gen(function* () {
      yield* wrongOf(times(60, () => "192.0.2.1"))
      assert.strictEqual(yield* guess("::ffff:192.0.2.1"), "RATE_LIMITED")
      assert.strictEqual(yield* guess("::ffff:192.0.2.2"), "wrong")
    }).pipe(Effect.provide(services))
  )

  it.effect("cannot be made from an address that was chosen to close another one", () =>
    Effect.gen(function* () {
      const plainBucket = (address: string) =>
        createHash("sha256").update(`guesses ${address}`).digest().readUInt32BE() % 65_536
      const victim = "192.0.2.1"
      const chosen: Array<string> = []
      for (let at = 0; chosen.length < 3; at++) {
        const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`
        if (plainBucket(address) === plainBucket(victim)) chosen.push(address)
      }
      for (const address of chosen) yield* wrongOf(times(70, () => address))
      assert.strictEqual(yield* guess(victim), "wrong")
    }).pipe(Effect.provide(services))
  )
})

describe("The network of an address", () => {
  it("is the address of IPv4, and the first four groups of IPv6 in one spelling", () => {
    const known = [
      ["192.0.2.1", "192.0.2.1"],
      ["::ffff:192.0.2.1", "192.0.2.1"],
      ["2001:db8:0:0:1::1", "2001:db8:0:0"],
      ["2001:db8::1", "2001:db8:0:0"],
      ["2001:0DB8::1", "2001:db8:0:0"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
      ["1::2:3:4:5:6:7", "1:0:2:3"],
      ["2001:db8:1:2::", "2001:db8:1:2"],
      ["::1", "0:0:0:0"],
      ["fe80::1%eth0", "fe80:0:0:0"],
      ["unknown", "unknown"]
    ] as const
    for (const [address, network] of known) assert.strictEqual(networkOf(address), network, address)
  })
})
