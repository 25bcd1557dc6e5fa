import { assert, describe, it } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/network-international/Adapter"
import { NoAnswer, type ProviderRequest, type ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { DateTime, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inShort } from "../inShort.ts"
import { answer, authorization, authorizeCall, captureCall, captured, credentials, errorOf, order } from "./Sample.ts"

const tokenOf = (name: string) => answer(200, { access_token: name, expires_in: 300, token_type: "Bearer" })
const refused = answer(401, { message: "Unauthorized" })

/** A gateway that hands out `token-1`, `token-2`… and answers questions by their token. */
const gateway = (options: {
  readonly exchange?: (count: number) => Effect.Effect<ProviderResponse, NoAnswer>
  readonly accepts?: (token: string) => boolean
  readonly body?: unknown
  /** How long the answer to a question takes, by the questions so far. */
  readonly delay?: (count: number) => "0 seconds" | "1 second"
}) => {
  const exchanges: Array<ProviderRequest> = []
  const tokens: Array<string> = []
  const provider = make({
    credentials,
    transport: {
      send: (request) =>
        Effect.suspend(() => {
          if (request.url.endsWith("/access-token")) {
            exchanges.push(request)
            return options.exchange?.(exchanges.length) ?? Effect.succeed(tokenOf(`token-${exchanges.length}`))
          }
          const token = request.headers.authorization?.replace("Bearer ", "") ?? ""
          tokens.push(token)
          const isAccepted = options.accepts?.(token) ?? true
          const response = isAccepted ? answer(200, options.body ?? order()) : refused
          return Effect.delay(Effect.succeed(response), options.delay?.(tokens.length) ?? "0 seconds")
        })
    }
  })
  return { provider, exchanges, tokens, ask: Effect.suspend(() => provider.query(authorization())) }
}

const tagsOf = (findings: ReadonlyArray<{ readonly _tag: string }>) => findings.map(({ _tag }) => _tag)

describe("an access token", () => {
  it.effect("serves for 240 of its 300 seconds", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
      const { ask, exchanges, tokens } = gateway({})
      yield* ask
      yield* TestClock.adjust("239 seconds")
      yield* ask
      assert.lengthOf(exchanges, 1)
      yield* TestClock.adjust("1 second")
      yield* ask
      assert.lengthOf(exchanges, 2)
      assert.deepStrictEqual(tokens, ["token-1", "token-1", "token-2"])
    })
  )

  it.effect("is exchanged once for all calls that wait for it", () =>
    Effect.gen(function* () {
      const slow = () => Effect.delay(Effect.succeed(tokenOf("slow")), "1 second")
      const { ask, exchanges, tokens } = gateway({ exchange: slow })
      const fiber = yield* Effect.forkChild(Effect.all([ask, ask, ask], { concurrency: 3 }))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(tagsOf(yield* Fiber.join(fiber)), ["Found", "Found", "Found"])
      assert.lengthOf(exchanges, 1)
      assert.deepStrictEqual(tokens, ["slow", "slow", "slow"])
    })
  )

  it.effect("comes for the others when the call that asked for it is interrupted", () =>
    Effect.gen(function* () {
      const slow = () => Effect.delay(Effect.succeed(tokenOf("slow")), "1 second")
      const { ask, exchanges } = gateway({ exchange: slow })
      const first = yield* Effect.forkChild(ask, { startImmediately: true })
      const second = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(second))._tag, "Found")
      assert.lengthOf(exchanges, 1)
    })
  )

  it.effect("is exchanged once more when the gateway refuses it, by one of the calls that meet with that", () =>
    Effect.gen(function* () {
      const { ask, exchanges, tokens } = gateway({ accepts: (token) => token !== "token-1" })
      const found = yield* Effect.all([ask, ask], { concurrency: 2 })
      assert.deepStrictEqual(tagsOf(found), ["Found", "Found"])
      assert.lengthOf(exchanges, 2)
      assert.deepStrictEqual(tokens.toSorted(), ["token-1", "token-1", "token-2", "token-2"])
    })
  )

  it.effect("that another call came by meanwhile is taken over", () =>
    Effect.gen(function* () {
      const slowly = (count: number) => (count === 1 ? "1 second" : "0 seconds")
      const { ask, exchanges, tokens } = gateway({ accepts: (token) => token !== "token-1", delay: slowly })
      // Both go out under the first token, and the one that is answered first has the second when the other hears of it.
      const late = yield* Effect.forkChild(ask, { startImmediately: true })
      assert.strictEqual((yield* ask)._tag, "Found")
      assert.lengthOf(exchanges, 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(late))._tag, "Found")
      assert.lengthOf(exchanges, 2)
      assert.deepStrictEqual(tokens, ["token-1", "token-1", "token-2", "token-2"])
    })
  )

  it.effect("is not asked for a third time", () =>
    Effect.gen(function* () {
      const { exchanges, provider, tokens } = gateway({ accepts: () => false })
      assert.strictEqual(inShort(yield* provider.authorize(authorizeCall())), "PROVIDER_ERROR →")
      assert.strictEqual(inShort(yield* provider.capture(captureCall(1000n))), "PROVIDER_ERROR")
      assert.deepStrictEqual(tokens, ["token-1", "token-2", "token-2", "token-3"])
      assert.lengthOf(exchanges, 3)
    })
  )

  it.effect("that is not given is asked for again by the next call", () =>
    Effect.gen(function* () {
      const lost = Effect.fail(new NoAnswer({ reason: "reset" }))
      const { exchanges, provider } = gateway({
        exchange: (count) => (count === 1 ? lost : Effect.succeed(tokenOf("second"))),
        body: captured()
      })
      assert.strictEqual((yield* provider.capture(captureCall(1000n)))._tag, "NotSent")
      assert.strictEqual((yield* provider.capture(captureCall(1000n)))._tag, "Accepted")
      assert.lengthOf(exchanges, 2)
    })
  )

  const faults: ReadonlyArray<readonly [string, ProviderResponse, string]> = [
    ["the key is wrong", answer(401, errorOf("unauthorized")), "PROVIDER_ERROR →"],
    ["the realm is wrong", answer(400, errorOf("invalidRealm")), "PROVIDER_ERROR →"],
    ["it answers HTML", { status: 200, headers: {}, body: new TextEncoder().encode("<html></html>") }, "NotSent"],
    ["it answers nothing", { status: 200, headers: {}, body: new Uint8Array() }, "NotSent"],
    ["it has a failure", answer(503, errorOf("unavailable")), "NotSent"],
    ["it gives an empty token", answer(200, { access_token: "", expires_in: 300 }), "NotSent"],
    ["it gives a token without an end", answer(200, { access_token: "x" }), "NotSent"]
  ]
  for (const [name, response, expected] of faults) {
    it.effect(`is not had where ${name}, and nothing is sent`, () =>
      Effect.gen(function* () {
        const { provider, tokens } = gateway({ exchange: () => Effect.succeed(response) })
        assert.strictEqual(inShort(yield* provider.authorize(authorizeCall())), expected)
        assert.strictEqual((yield* provider.query(authorization()))._tag, "Unanswered")
        assert.isEmpty(tokens)
      })
    )
  }

  it.effect("is given up after ten seconds", () =>
    Effect.gen(function* () {
      const { provider } = gateway({ exchange: () => Effect.never })
      const fiber = yield* Effect.forkChild(provider.authorize(authorizeCall()))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "NotSent")
    })
  )
})
