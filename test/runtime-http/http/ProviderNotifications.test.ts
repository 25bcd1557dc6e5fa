import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import type { InboundMessage } from "@sarraf/domain/payments/Notification"
import { NotificationForged, Notifications, NotificationsUnknown } from "@sarraf/domain/payments/Notifications"
import { GatewayRateLimit } from "@sarraf/runtime-http/auth/GatewayRateLimit"
import * as ProviderNotifications from "@sarraf/runtime-http/http/ProviderNotifications"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { HttpApi } from "effect/http-api"
import { serving } from "../support/serving.ts"

const path = "/pf/v1/providers/adyen/notifications"
const acknowledgement = { contentType: "text/plain", body: "[accepted]" }

const start = Effect.gen(function* () {
  const seen: Array<InboundMessage> = []
  const notifications = Layer.succeed(Notifications, {
    receive: (provider, message) =>
      Effect.suspend((): ReturnType<Notifications["Service"]["receive"]> => {
        if (provider !== "adyen") return Effect.fail(new NotificationsUnknown({ provider }))
        if (message.headers["x-signature"] === "away") return Effect.fail(new Unavailable())
        if (message.headers["x-signature"] !== "right")
          return Effect.fail(new NotificationForged({ reason: "no HMAC" }))
        seen.push(message)
        return Effect.succeed(acknowledgement)
      })
  })
  const routes = Layer.merge(
    Responses.layer(HttpApi.make("none"), { alsoServed: ProviderNotifications.routes }),
    Layer.provide(ProviderNotifications.layer, [notifications, GatewayRateLimit.layer({ burst: 10, perSecond: 10 })])
  )
  const send = yield* serving(routes).pipe(
    Effect.provide([
      NodeHttpServer.layerHttpServices,
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(256))
    ])
  )
  return { seen, send }
})

const signed = { "x-signature": "right", "content-type": "application/json" }

describe("the providers' notification addresses", () => {
  it.live("hand on the exact bytes with headers and query, and answer in the provider's own words", () =>
    Effect.gen(function* () {
      const { seen, send } = yield* start
      const body = '{ "pspReference" :\t"ş" }\r\n'
      const answer = yield* send("POST", `${path}?account=1&x=a%20b`, { ...signed, "X-Other": "Yes" }, body)
      assert.deepStrictEqual([answer.status, answer.text], [200, "[accepted]"])
      assert.match(String(answer.headers["content-type"]), /^text\/plain/u)
      const [message] = seen
      assert.strictEqual(Buffer.from(message?.body ?? []).toString(), body)
      assert.deepStrictEqual(message?.query, { account: "1", x: "a b" })
      assert.deepStrictEqual([message?.headers["x-signature"], message?.headers["x-other"]], ["right", "Yes"])
    })
  )

  it.live("refuse what is forged, and soon whoever goes on with it, but never what is genuine", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const first = yield* send("POST", path, {}, "{}")
      assert.deepStrictEqual([first.status, JSON.parse(first.text).code], [401, "INVALID_SIGNATURE"])
      assert.notInclude(first.text, "HMAC-SHA256 of")
      const more = yield* Effect.forEach(Array.from({ length: 70 }), () => send("POST", path, {}, "{}"), {
        concurrency: 10
      })
      assert.isAtLeast(more.filter(({ status }) => status === 429).length, 5)
      const limited = more.find(({ status }) => status === 429)
      assert.match(String(limited?.headers["retry-after"]), /^\d+$/u)
      assert.strictEqual((yield* send("POST", path, signed, "{}")).status, 200)
    })
  )

  it.live("say which provider there is none of, which body is too long, and when to post again", () =>
    Effect.gen(function* () {
      const { seen, send } = yield* start
      assert.strictEqual((yield* send("POST", path.replace("adyen", "nobody"), signed, "{}")).status, 404)
      assert.strictEqual((yield* send("POST", path, signed, " ".repeat(262_145))).status, 413)
      assert.strictEqual((yield* send("GET", path, signed)).status, 405)
      const away = yield* send("POST", path, { "x-signature": "away" }, "{}")
      assert.deepStrictEqual([away.status, away.headers["retry-after"]], [503, "5"])
      assert.deepStrictEqual(seen, [])
      assert.strictEqual((yield* send("POST", path, signed, " ".repeat(262_144))).status, 200)
    })
  )
})
