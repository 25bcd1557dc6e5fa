import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { authenticated, open, pagesUrl } from "./SimulatedAdyen.ts"

const challengeCard = "4000000000003220"
type Adyen = Effect.Success<ReturnType<typeof open>>

const short = (adyen: Adyen) =>
  adyen.events().map(({ delayMillis, eventCode, success }) => `${eventCode} ${success} ${delayMillis}`)

const challenge = Effect.fnUntraced(function* (adyen: Adyen) {
  const made = yield* adyen.pay(challengeCard, authenticated, "key-1")
  assert.strictEqual(made.at("resultCode"), "RedirectShopper")
  return `${made.at("action", "url")}`
})
const resultOf = (location: string | undefined) => new URL(location ?? "").searchParams.get("redirectResult") ?? ""
const complete = (adyen: Adyen, redirectResult: string, key?: string) =>
  adyen.post("payments/details", { details: { redirectResult } }, { "idempotency-key": key })

describe("the simulated Adyen authenticates a buyer", () => {
  it.effect("on a page that sends the browser back with a result, which is worth one completion", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const url = yield* challenge(adyen)
      assert.isTrue(url.startsWith(`${pagesUrl}/`))
      assert.lengthOf(adyen.events(), 0)
      const page = yield* adyen.visit(url)
      assert.strictEqual(page.status, 200)
      assert.include(page.html, "20.00 EUR")
      assert.notInclude(page.html, challengeCard)
      const { headers, status } = yield* adyen.visit(url, { code: "123456" })
      assert.strictEqual(status, 303)
      assert.match(headers.location ?? "", /^https:\/\/shop\.example\/back\?order=1&redirectResult=/u)
      const result = resultOf(headers.location)
      const done = yield* complete(adyen, result, "key-2")
      assert.strictEqual(done.at("resultCode"), "Authorised")
      assert.strictEqual(done.at("merchantReference"), "A-1")
      assert.deepStrictEqual(short(adyen), ["AUTHORISATION true 200"])
      assert.deepStrictEqual((yield* complete(adyen, result, "key-2")).json, done.json)
      assert.strictEqual((yield* complete(adyen, result, "key-3")).at("errorCode"), "14_018")
      assert.lengthOf(adyen.events(), 1)
    })
  )

  const failures = [
    ["who cancels", [{ cancel: "1" }], "Cancelled", "16"],
    ["who is wrong three times", [{ code: "1" }, { code: "2" }, { code: "3" }], "Refused", "11"]
  ] as const
  for (const [name, forms, resultCode, refusalReasonCode] of failures) {
    it.effect(`${name}, and says so at the completion`, () =>
      Effect.gen(function* () {
        const adyen = yield* open()
        const url = yield* challenge(adyen)
        let location: string | undefined
        for (const form of forms) location = (yield* adyen.visit(url, form)).headers.location
        const done = yield* complete(adyen, resultOf(location))
        assert.strictEqual(done.at("resultCode"), resultCode)
        assert.strictEqual(done.at("refusalReasonCode"), refusalReasonCode)
        assert.deepStrictEqual(short(adyen), ["AUTHORISATION false 200"])
      })
    )
  }

  it.effect("once: the page is gone when it was answered, and for who guesses its address", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const url = yield* challenge(adyen)
      const guess = `${url.slice(0, -1)}${url.endsWith("A") ? "B" : "A"}`
      assert.strictEqual((yield* adyen.visit(guess)).status, 410)
      assert.strictEqual((yield* adyen.visit(guess, { code: "123456" })).status, 410)
      assert.strictEqual((yield* adyen.visit(url, { code: "123456" })).status, 303)
      for (const address of [url, `${pagesUrl}/`, `${pagesUrl}/checkoutshopper/threeDS/redirect/x`]) {
        assert.strictEqual((yield* adyen.visit(address)).status, 410)
        assert.strictEqual((yield* adyen.visit(address, { code: "123456" })).status, 410)
      }
    })
  )

  it.effect("and takes no result that it did not give out", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const url = yield* challenge(adyen)
      const [, psp = ""] = /redirect\/(\w{16})\./u.exec(url) ?? []
      const back = yield* adyen.visit(url, { code: "123456" })
      const right = resultOf(back.headers.location)
      for (const result of ["", "x", `${psp}!`, `${psp}!AAAA`, right.slice(0, -1), `${right}A`]) {
        const refused = yield* complete(adyen, result)
        assert.deepStrictEqual([refused.status, refused.at("errorCode")], [422, "14_018"])
      }
    })
  )

  it.effect("or not, where the issuer wants nothing or says no at once", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      assert.strictEqual((yield* adyen.pay("4000000000003063", authenticated)).at("resultCode"), "Authorised")
      const failed = yield* adyen.pay("4000008400001629", authenticated)
      assert.strictEqual(failed.at("refusalReasonCode"), "11")
      assert.strictEqual((yield* adyen.pay("4000008400001629")).at("resultCode"), "Authorised")
      assert.strictEqual((yield* adyen.pay(challengeCard)).at("resultCode"), "Authorised")
    })
  )
})
