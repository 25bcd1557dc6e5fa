import { connect, Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { layerOn } from "@sarraf/adapters/webhooks/HttpWebhookSender"
import type { Network } from "@sarraf/adapters/webhooks/Network"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Effect, Fiber } from "effect"
import { vi } from "vitest"
import { messageTo, receiving } from "./receivers.ts"
import { reach } from "./sending.ts"

const [first, second, third] = ["93.184.215.14", "2606:4700::1111", "93.184.215.15"]
const all = Array.from({ length: 9 }, (_, index) => `93.184.215.${index + 20}`)

const sending = (network: Network, url: string) =>
  Effect.flatMap(WebhookSender, ({ send }) => send(messageTo(url))).pipe(Effect.provide(layerOn(network, reach)))

/** A port where nobody listens, and one where a receiver does. */
const ports = Effect.gen(function* () {
  const portOf = (origin: string) => Number(new URL(origin).port)
  const closed = portOf(yield* Effect.scoped(receiving(() => {})))
  const open = portOf(yield* receiving((_, outgoing) => outgoing.end("ok")))
  return { closed, open }
})

/** Lets everything happen that is ready to. */
const turn = Effect.promise(() => setImmediate())

describe("of a name with several addresses", () => {
  it.effect("the next one is tried where one refuses", () =>
    Effect.gen(function* () {
      const { closed, open } = yield* ports
      const dialled: Array<string> = []
      const network: Network = {
        resolve: () => Promise.resolve([first, second, third]),
        dial: (address) => {
          dialled.push(address)
          return connect({ host: "127.0.0.1", port: address === second ? open : closed })
        }
      }
      assert.strictEqual((yield* sending(network, "http://hooks.example.com")).status, 200)
      assert.deepStrictEqual(dialled, [first, second])
    })
  )

  it.effect("the next one is tried where one is silent", () =>
    Effect.gen(function* () {
      const { open } = yield* ports
      const silent = new Socket()
      const network: Network = {
        resolve: () => Promise.resolve([first, second]),
        dial: (address) => (address === second ? connect({ host: "127.0.0.1", port: open }) : silent)
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers())
      )
      const fiber = yield* Effect.forkChild(sending(network, "http://hooks.example.com"))
      while (!silent.destroyed) {
        vi.advanceTimersByTime(2_000)
        yield* turn
      }
      assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
    })
  )

  it.effect("four are tried, and the last one tells why there is no connection", () =>
    Effect.gen(function* () {
      const { closed } = yield* ports
      const dialled: Array<string> = []
      const network: Network = {
        resolve: () => Promise.resolve(all),
        dial: (address) => {
          dialled.push(address)
          return connect({ host: "127.0.0.1", port: closed })
        }
      }
      assert.strictEqual((yield* sending(network, "http://hooks.example.com")).error, "The connection was refused")
      assert.deepStrictEqual(dialled, all.slice(0, 4))
    })
  )

  it.effect("that is this machine's both kinds are tried", () =>
    Effect.gen(function* () {
      const { closed, open } = yield* ports
      const network: Network = {
        resolve: () => assert.fail("nobody is asked"),
        dial: (address) => connect({ host: "127.0.0.1", port: address === "::1" ? open : closed })
      }
      assert.strictEqual((yield* sending(network, "http://localhost:3000")).status, 200)
    })
  )
})
