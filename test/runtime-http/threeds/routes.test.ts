import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { Effect, Redacted } from "effect"
import { authorized, challenged, hosted, page, secret, token } from "./HostedPages.ts"

const form = { "content-type": "application/x-www-form-urlencoded" }

type Hosted = Effect.Success<ReturnType<typeof hosted>>

/** The one-time value of the page as it is shown now. */
const shown = Effect.fnUntraced(function* ({ send }: Hosted) {
  const { text } = yield* send("GET", page)
  const [, once = ""] = /name="once" value="([^"]+)"/u.exec(text) ?? []
  assert.notStrictEqual(once, "")
  return `once=${encodeURIComponent(once)}`
})

const location = (answer: { readonly headers: Readonly<Record<string, unknown>> }) =>
  String(answer.headers.location ?? "")

const assertSecret = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => {
  assert.strictEqual(headers["cache-control"], "no-store")
  assert.strictEqual(headers["referrer-policy"], "no-referrer")
  assert.strictEqual(headers["x-content-type-options"], "nosniff")
}

describe("the hosted page", () => {
  it.live("shows the payment without card data, as often as it is asked, and spends nothing", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted()
      for (const method of ["GET", "HEAD", "GET"]) {
        const answer = yield* send(method, page)
        assert.strictEqual(answer.status, 200)
        assertSecret(answer)
        if (method === "HEAD") continue
        for (const said of ["€100.00", "order-1", "Visa •••• 1111", "shop.example", "15 minutes", "Test mode"]) {
          assert.include(answer.text, said)
        }
        for (const hidden of ["411111", "org_", "sandbox_client"]) {
          assert.notInclude(answer.text.replaceAll(/#[\da-f]{3,8}/giu, ""), hidden)
        }
      }
      assert.deepStrictEqual([stage.proceeded, stage.returns, stage.stage], [0, [], "open"])
    })
  )

  it.live("lets nothing run, load or frame it, and its form lead to the bank alone", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted()
      const { headers, text } = yield* send("GET", page)
      const policy = String(headers["content-security-policy"])
      for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        assert.include(policy, part)
      assert.include(policy, "form-action 'self' https: http:;")
      assert.notInclude(policy, "script-src")
      assert.notInclude(policy, "unsafe")
      assert.notMatch(text, /<script|\son\w+=|style="/u)
      stage.payment = challenged({ livemode: true })
      const live = yield* send("GET", page)
      assert.match(String(live.headers["content-security-policy"]), /form-action 'self' https:;/u)
      assert.notInclude(live.text, "Test mode")
    })
  )

  it.live("writes what others chose as text", () =>
    Effect.gen(function* () {
      const { send } = yield* hosted({
        payment: challenged({ merchantReference: `"><script>alert('1')</script>&amp;` })
      })
      const { text } = yield* send("GET", page)
      assert.notInclude(text, "<script>")
      assert.include(text, "&#38;amp;")
    })
  )

  it.live("shows amounts with their currency's digits", () =>
    Effect.gen(function* () {
      for (const [currency, minor, text] of [
        ["TRY", 9_999_999_999n, "99,999,999.99"],
        ["USD", 14_990n, "$149.90"]
      ] as const) {
        const { send } = yield* hosted({ payment: challenged({ money: new Money({ currency, minor }) }) })
        assert.include((yield* send("GET", page)).text, text)
      }
    })
  )

  it.live("is not there for another token", () =>
    Effect.gen(function* () {
      const { send } = yield* hosted()
      const others = [`${page}x`, "/pf/v1/3ds/", "/pf/v1/3ds", `/pf/v1/3ds/${"x".repeat(3_000)}`, `${page}/other`]
      for (const path of [...others, `${page}x/return`, `${page}/return/more`]) {
        for (const method of ["GET", "POST"]) {
          const answer = yield* send(method, path)
          assert.strictEqual(answer.status, 404, `${method} ${path}`)
          assert.match(String(answer.headers["content-type"]), /^text\/html/u)
          assertSecret(answer)
        }
      }
      assert.strictEqual((yield* send("PUT", page)).status, 405)
    })
  )

  it.live("says when the buyer has gone on, or all is over, without card data and with a way back", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted({ stage: "begun" })
      const begun = yield* send("GET", page)
      assert.include(begun.text, "Finish the payment at your bank")
      assert.include(begun.text, "status=REQUIRES_ACTION")
      stage.stage = "over"
      const headings = {
        AUTHORIZED: "Payment approved",
        DECLINED: "Payment declined",
        FAILED: "did not go through",
        PENDING: "Not settled yet",
        VOIDED: "Payment cancelled",
        REQUIRES_ACTION: "The time is over"
      } as const
      for (const [authorization, heading] of Object.entries(headings)) {
        const state = authorization as keyof typeof headings
        stage.payment = { ...challenged(), ...(state === "AUTHORIZED" ? authorized : { authorization: state }) }
        const { text } = yield* send("GET", page)
        assert.include(text, heading)
        assert.include(text, `status=${authorization}`)
        assert.notInclude(text, "••••")
        assert.notInclude(text, "<form")
      }
      stage.payment = {
        ...challenged(),
        authorization: "DECLINED",
        error: { code: "3DS_FAILED", detail: "no" }
      }
      assert.include((yield* send("GET", page)).text, "not confirmed")
    })
  )

  it.live("says that it cannot be shown just now, and how to try again", () =>
    Effect.gen(function* () {
      const { send } = yield* hosted({ isAway: true })
      const shownNow = yield* send("GET", page)
      assert.deepStrictEqual([shownNow.status, shownNow.headers["retry-after"]], [503, "5"])
      const back = yield* send("POST", `${page}/return`, form, "PaRes=a%22b")
      assert.strictEqual(back.status, 503)
      assert.include(back.text, `name="PaRes" value="a&#34;b"`)
    })
  )
})

describe("going on to the bank", () => {
  it.live("works once, with the value of the page", () =>
    Effect.gen(function* () {
      const served = yield* hosted()
      const { send, stage } = served
      const once = yield* shown(served)
      const first = yield* send("POST", page, form, once)
      assert.deepStrictEqual([first.status, location(first)], [303, "https://acs.example/challenge?id=1"])
      assertSecret(first)
      const second = yield* send("POST", page, form, once)
      assert.deepStrictEqual([second.status, location(second)], [303, token])
      assert.strictEqual(stage.proceeded, 1)
    })
  )

  it.live("carries the provider's form, by a script or by a button", () =>
    Effect.gen(function* () {
      const fields = Redacted.make({ pan: "4000000000003220", cv2: "917", okUrl: `https://pay.example/a?b="c"&d` })
      const served = yield* hosted({ step: { type: "form", action: "https://acs.example/pay?x=1&y=2", fields } })
      const answer = yield* served.send("POST", page, form, yield* shown(served))
      assert.strictEqual(answer.status, 200)
      assertSecret(answer)
      assert.include(answer.text, `action="https://acs.example/pay?x=1&#38;y=2"`)
      assert.include(answer.text, `name="pan" value="4000000000003220"`)
      assert.include(answer.text, `value="https://pay.example/a?b=&#34;c&#34;&#38;d"`)
      assert.match(answer.text, /<button>[^<]+<\/button><\/form>/u)
      const [, script = ""] = /<script>([^<]*)<\/script>/u.exec(answer.text) ?? []
      assert.strictEqual(script, "document.forms[0].submit()")
      const hash = Effect.promise(() => crypto.subtle.digest("SHA-256", Buffer.from(script)))
      const policy = String(answer.headers["content-security-policy"])
      assert.include(policy, `script-src 'sha256-${Buffer.from(yield* hash).toString("base64")}'`)
      assert.notInclude((yield* served.send("GET", page)).text, "4000000000003220")
    })
  )

  it.live("is refused without the value, with another's or an old one, and from elsewhere", () =>
    Effect.gen(function* () {
      const served = yield* hosted()
      const { send, stage } = served
      const once = yield* shown(served)
      const [at = ""] = decodeURIComponent(once.slice(5)).split(".")
      const aged = (millis: number) => once.replace(at, (Number.parseInt(at, 36) + millis).toString(36))
      const values = ["", "once=", "once=.", `${once}0`, once.slice(0, -1), aged(-1), aged(-900_001), aged(900_000)]
      for (const value of values) {
        const answer = yield* send("POST", page, form, value)
        assert.deepStrictEqual([answer.status, stage.proceeded], [403, 0], value)
        assertSecret(answer)
      }
      const elsewhere = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
        { origin: "https://evil.example" },
        { origin: "http://pay.example" },
        { origin: "file://" },
        { origin: "null", "sec-fetch-site": "cross-site" }
      ]
      for (const headers of elsewhere) {
        const answer = yield* send("POST", page, { ...form, ...headers }, once)
        assert.deepStrictEqual([answer.status, stage.proceeded], [403, 0], JSON.stringify(headers))
      }
      const own = { origin: "https://pay.example", "sec-fetch-site": "same-origin" }
      assert.strictEqual((yield* send("POST", page, { ...form, ...own }, once)).status, 303)
    })
  )

  it.live("takes the origin that browsers send from a page without referrer", () =>
    Effect.gen(function* () {
      const served = yield* hosted()
      const once = yield* shown(served)
      const headers = { ...form, origin: "null", "sec-fetch-site": "same-origin" }
      assert.strictEqual((yield* served.send("POST", page, headers, once)).status, 303)
    })
  )

  it.live("takes a form of bearable size alone", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted()
      assert.strictEqual((yield* send("POST", page, form, `once=${"a".repeat(262_144)}`)).status, 413)
      assert.strictEqual((yield* send("POST", page, { "content-type": "application/json" }, "{}")).status, 415)
      assert.strictEqual(stage.proceeded, 0)
    })
  )
})

describe("the way back", () => {
  const signatureOf = (url: URL) => {
    const names = ["transactionId", "merchantReference", "status", "amount", "currency", "timestamp"]
    const text = names.map((name) => url.searchParams.get(name)).join("\n")
    return createHmac("sha256", secret).update(text).digest("hex")
  }

  it.live("brings query and form to the use case, and the browser to the shop with a signed word", () =>
    Effect.gen(function* () {
      const payment = challenged({ merchantReference: "sipariş 1&2" })
      const { send, stage } = yield* hosted({ stage: "begun", payment })
      const headers = { ...form, "x-request-id": "r1" }
      const answer = yield* send(
        "POST",
        `${page}/return?step=2&md=query`,
        headers,
        "md=a%2Bb+c&name=%C3%A7&empty=&bare"
      )
      assert.strictEqual(answer.status, 303)
      assertSecret(answer)
      assert.deepStrictEqual(stage.returns, [
        {
          returned: { step: "2", md: "a+b c", name: "ç", empty: "", bare: "" },
          requestId: "r1",
          buyerIp: "127.0.0.1"
        }
      ])
      const url = new URL(location(answer))
      assert.isTrue(location(answer).startsWith("https://shop.example/done?basket=1%20a&transactionId=txn_"))
      assert.strictEqual(url.hash, "#top")
      assert.strictEqual(url.searchParams.get("merchantReference"), "sipariş 1&2")
      assert.deepStrictEqual(
        ["status", "amount", "currency"].map((name) => url.searchParams.get(name)),
        ["AUTHORIZED", "100.00", "EUR"]
      )
      assert.closeTo(Number(url.searchParams.get("timestamp")), Date.now(), 5_000)
      assert.strictEqual(url.searchParams.get("signature"), signatureOf(url))
    })
  )

  it.live("takes a GET too, and what a Turkish bank posts in its own charset", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted({ stage: "begun" })
      yield* send("GET", `${page}/return?session=s1&redirect_status=succeeded`)
      yield* send("POST", `${page}/return`, form, "ErrMsg=Onayland%FD+%DE&mdStatus=1")
      assert.deepStrictEqual(
        stage.returns.map(({ returned }) => returned),
        [
          { session: "s1", redirect_status: "succeeded" },
          { ErrMsg: "Onaylandı Ş", mdStatus: "1" }
        ]
      )
    })
  )

  it.live("does nothing for who only looks at the link", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted({ stage: "begun" })
      assert.strictEqual((yield* send("HEAD", `${page}/return?session=s1`)).status, 200)
      assert.deepStrictEqual(stage.returns, [])
    })
  )

  it.live("takes no body that is no form, or too long", () =>
    Effect.gen(function* () {
      const { send, stage } = yield* hosted({ stage: "begun" })
      const path = `${page}/return`
      assert.strictEqual((yield* send("POST", path, { "content-type": "text/xml" }, "<a/>")).status, 415)
      assert.strictEqual((yield* send("POST", path, form, `a=${"b".repeat(262_144)}`)).status, 413)
      assert.deepStrictEqual(stage.returns, [])
      assert.strictEqual((yield* send("POST", path, {}, "a=1")).status, 303)
      assert.strictEqual((yield* send("POST", path)).status, 303)
    })
  )

  it.live("ends on our own page where there is no shop to go to", () =>
    Effect.gen(function* () {
      for (const returnUrl of [null, "javascript:alert(1)", "ftp://shop.example/", "shop.example"]) {
        const { send } = yield* hosted({ stage: "begun", payment: challenged({ returnUrl }) })
        const answer = yield* send("GET", `${page}/return`)
        assert.deepStrictEqual([answer.status, location(answer)], [303, `../${token}`])
        const { text } = yield* send("GET", page)
        assert.include(text, "Payment approved")
        assert.include(text, "You can close this window.")
        assert.notInclude(text, "javascript")
      }
    })
  )

  it.live("goes to an address without TLS in TEST mode alone", () =>
    Effect.gen(function* () {
      for (const livemode of [false, true]) {
        const payment = challenged({ livemode, returnUrl: "http://localhost:3000/done" })
        const { send } = yield* hosted({ stage: "begun", payment })
        const to = location(yield* send("GET", `${page}/return`))
        assert.strictEqual(to.startsWith("http://localhost:3000/done?transactionId="), !livemode)
      }
    })
  )

  it.live("signs nothing for a client without a secret", () =>
    Effect.gen(function* () {
      const { send } = yield* hosted({ stage: "begun", payment: challenged({ clientId: "retired" }) })
      assert.strictEqual(location(yield* send("GET", `${page}/return`)), `../${token}`)
    })
  )
})
