import { assert, describe, it } from "@effect/vitest"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { usualRetry } from "@sarraf/domain/webhooks/RetrySettings"
import {
  type AddressTerms,
  checkedSettings,
  type EndpointFields,
  type EndpointSettings
} from "@sarraf/domain/webhooks/WebhookEndpointFields"
import { Redacted, Result, Schema } from "effect"
import { sampleEndpoint } from "./support/SampleEndpoint.ts"

const valid = { url: "https://shop.example/hooks", events: ["*"] }
/** As the sender does, which reads the address. */
const refusalOf = (url: string) => (URL.canParse(url) ? undefined : "is no address")
const test: AddressTerms = { livemode: false, refusalOf }
const live = { ...test, livemode: true }

const redacted = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.make(value)]))
const shown = (headers: EndpointSettings["headers"]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))

/** The paths of what is wrong with a new endpoint. */
const faults = (fields: Partial<EndpointFields>, terms = test): ReadonlyArray<string> => {
  const checked = checkedSettings({ ...valid, ...fields }, undefined, terms)
  return Result.isFailure(checked) ? checked.failure.faults.map(({ path }) => path) : []
}
const headerFaults = (headers: Readonly<Record<string, string>>) => faults({ headers: redacted(headers) })

describe("A new endpoint", () => {
  it("has the usual settings where nothing is said", () => {
    assert.deepStrictEqual(Result.getOrThrow(checkedSettings(valid, undefined, live)), {
      url: valid.url,
      events: ["*"],
      description: null,
      metadata: {},
      headers: {},
      retry: usualRetry,
      concurrency: 10
    })
  })

  it("is refused with few faults, whatever number of them it has, and with no card number", () => {
    const named = (count: number, name: string, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`${name}${number}`, value]))
    assert.deepStrictEqual(faults({ events: Array.from({ length: 50_000 }, () => "expense.paid") }), ["events"])
    assert.deepStrictEqual(faults({ metadata: named(5_000, "key", "x".repeat(501)) }), ["metadata"])
    assert.deepStrictEqual(faults({ headers: redacted(named(5_000, "a b", "x")) }), ["headers"])
    assert.deepStrictEqual(faults({ metadata: { 4111111111111111: "x".repeat(501) } }), ["metadata.…"])
    assert.deepStrictEqual(faults({ headers: redacted({ [`${"x".repeat(100_000)}`]: "x" }) }), [
      `headers.${"x".repeat(64)}`
    ])
  })

  it("is refused with every fault at once", () => {
    const wrong = {
      url: "ftp://shop.example",
      events: ["expense.approved", "expense.paid", "expense.approved", "*"],
      description: "x".repeat(501),
      metadata: { "": "x", long: "x".repeat(501) },
      headers: redacted({ Host: "elsewhere", "x-key": "ä" }),
      retry: { maxAttempts: 0, baseSeconds: 3_601, factor: 0.9, maxSeconds: 604_801, jitter: 1.1 },
      concurrency: 51
    }
    assert.deepStrictEqual(faults(wrong), [
      "url",
      "events[1]",
      "events[2]",
      "events[3]",
      "description",
      "metadata.",
      "metadata.long",
      "headers.Host",
      "headers.x-key",
      "retry.max_attempts",
      "retry.base_seconds",
      "retry.factor",
      "retry.max_seconds",
      "retry.jitter",
      "concurrency"
    ])
  })
})

describe("The address of an endpoint", () => {
  it("is https, and http in TEST mode alone", () => {
    for (const url of [
      valid.url,
      "HTTPS://shop.example",
      "https://shop.example:8443/a%20b?c=%C3%A7",
      "https://[2001:db8::1]/"
    ]) {
      assert.deepStrictEqual([faults({ url }), faults({ url }, live)], [[], []], url)
    }
    assert.deepStrictEqual(faults({ url: "http://localhost:3000/hook" }), [])
    assert.deepStrictEqual(faults({ url: "http://localhost:3000/hook" }, live), ["url"])
  })

  it("is absolute, ASCII, and without user, password and fragment", () => {
    const wrong = [
      "",
      "/hooks",
      "shop.example/hooks",
      "https:/shop.example",
      "https://",
      "https:///hooks",
      "https:\\\\shop.example",
      "https://shop.example\\@evil.example/",
      "https://user@shop.example/",
      "https://user:password@shop.example/",
      "https://shop.example/#part",
      "https://shop.example/a b",
      " https://shop.example/",
      "https://shop.example/\n",
      "https://mağaza.example/",
      "https://shop.example/ı",
      "javascript:alert(1)",
      "file:///etc/passwd",
      `https://shop.example/${"a".repeat(2_048)}`
    ]
    for (const url of wrong) assert.deepStrictEqual(faults({ url }), ["url"], url)
    assert.deepStrictEqual(faults({ url: `https://shop.example/${"a".repeat(2_048 - 21)}` }), [])
  })

  it("is refused for its characters wherever they are, and not for its scheme", () => {
    const messageOf = (url: string) => {
      const checked = checkedSettings({ ...valid, url }, undefined, live)
      return Result.isFailure(checked) ? checked.failure.faults[0]?.message : undefined
    }
    for (const url of ["https://mağaza.example/", "https://shop.example/ı", "https://shop.example/a b"]) {
      assert.match(messageOf(url) ?? "", /^must be written in ASCII/u, url)
    }
    assert.match(messageOf("ftp://shop.example/") ?? "", /^must be an https address/u)
  })

  it("is what the sender may send to, and the sender is asked about nothing else", () => {
    const asked: Array<string> = []
    const refuse = (url: string) => {
      asked.push(url)
      return url.includes("10.0.0.1") ? "leads into a private network" : undefined
    }
    assert.deepStrictEqual(faults({ url: "https://10.0.0.1/" }, { livemode: true, refusalOf: refuse }), ["url"])
    assert.deepStrictEqual(faults({ url: "https://user@10.0.0.1/" }, { livemode: true, refusalOf: refuse }), ["url"])
    assert.deepStrictEqual(asked, ["https://10.0.0.1/"])
  })

  it.prop("never has a user name, a fragment or a space, whatever text it is", [Schema.String], ([text]) => {
    for (const url of [text, `https://${text}`, `https://shop.example/${text}`]) {
      const checked = checkedSettings({ ...valid, url }, undefined, test)
      if (Result.isFailure(checked)) continue
      const { hash, hostname, password, username } = new URL(url)
      assert.deepStrictEqual({ hash, password, username }, { hash: "", password: "", username: "" })
      assert.notStrictEqual(hostname, "")
    }
  })
})

describe("The events of an endpoint", () => {
  it("are known types, or all of them", () => {
    assert.deepStrictEqual(faults({ events: [...eventTypes] }), [])
    assert.deepStrictEqual(faults({ events: ["*"] }), [])
    assert.deepStrictEqual(faults({ events: [] }), ["events"])
    assert.deepStrictEqual(faults({ events: ["*", "*"] }), ["events[0]", "events[1]"])
    assert.deepStrictEqual(faults({ events: ["Expense.Approved"] }), ["events[0]"])
  })

  it.prop(
    "are kept as they are where each is known and there once",
    [Schema.Array(Schema.Literals(eventTypes))],
    ([events]) => {
      const checked = checkedSettings({ ...valid, events }, undefined, test)
      if (events.length > 0 && new Set(events).size === events.length) {
        assert.deepStrictEqual(Result.getOrThrow(checked).events, events)
      } else assert.isTrue(Result.isFailure(checked))
    }
  )
})

describe("The headers of an endpoint", () => {
  it("never say where a message goes, how it is framed or who signed it", () => {
    const reserved = [
      "Host",
      "content-type",
      "Content-Length",
      "CONNECTION",
      "keep-alive",
      "Proxy-Authorization",
      "te",
      "trailer",
      "Transfer-Encoding",
      "upgrade",
      "expect",
      "x-service-signature",
      "webhook-id",
      "Webhook-Signature"
    ]
    for (const name of reserved) assert.deepStrictEqual(headerFaults({ [name]: "x" }), [`headers.${name}`], name)
  })

  it("have names that are tokens and values of visible ASCII", () => {
    assert.deepStrictEqual(headerFaults({ "X-Api_Key.1": "a b", [`x-${"a".repeat(98)}`]: "x".repeat(1_000) }), [])
    for (const name of ["", "a b", "a:b", "ä", "x\n", `x-${"a".repeat(99)}`]) {
      assert.lengthOf(headerFaults({ [name]: "x" }), 1, name)
    }
    for (const value of ["", " x", "x ", "a\r\nb", "ä", "\u0000", "x".repeat(1_001), "••••••••"]) {
      assert.deepStrictEqual(headerFaults({ "x-key": value }), ["headers.x-key"], value)
    }
  })

  it("are there once, whatever their case, and at most 20", () => {
    assert.deepStrictEqual(headerFaults({ "x-key": "a", "X-Key": "b" }), ["headers.X-Key"])
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "x"]))
    assert.deepStrictEqual(headerFaults(many(20)), [])
    assert.deepStrictEqual(headerFaults(many(21)), ["headers"])
  })

  it("authorize with the receiver's credentials, and never with ours", () => {
    assert.deepStrictEqual(headerFaults({ authorization: "Bearer abc" }), [])
    assert.deepStrictEqual(headerFaults({ "x-token": "key_of_theirs" }), [])
    for (const credential of ["sess_1", "key_test_1", "key_live_1", "mcp_1"]) {
      for (const value of [credential, `Bearer ${credential}`, `bearer  ${credential}`]) {
        assert.deepStrictEqual(headerFaults({ Authorization: value }), ["headers.Authorization"], value)
      }
    }
  })

  it.prop("tell no value in a message", [Schema.String], ([text]) => {
    const value = `${text}secret`
    const checked = checkedSettings(
      { ...valid, headers: redacted({ host: value, "x-key": `${value}ä` }) },
      undefined,
      test
    )
    assert.isTrue(Result.isFailure(checked))
    if (Result.isFailure(checked)) assert.notInclude(JSON.stringify(checked.failure), "secret")
  })
})

describe("The retry settings of an endpoint", () => {
  const Settings = Schema.Struct({
    maxAttempts: Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 22 })),
    baseSeconds: Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 3_700 })),
    factor: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 11 })),
    maxSeconds: Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 610_000 })),
    jitter: Schema.Finite.check(Schema.isBetween({ minimum: -0.1, maximum: 1.1 }))
  })

  it.prop("are kept exactly where they are within their bounds", [Settings], ([retry]) => {
    const isFit =
      retry.maxAttempts >= 1 &&
      retry.maxAttempts <= 20 &&
      retry.baseSeconds >= 1 &&
      retry.baseSeconds <= 3_600 &&
      retry.factor >= 1 &&
      retry.factor <= 10 &&
      retry.maxSeconds >= retry.baseSeconds &&
      retry.maxSeconds <= 604_800 &&
      retry.jitter >= 0 &&
      retry.jitter <= 1
    const checked = checkedSettings({ ...valid, retry }, undefined, test)
    if (isFit) assert.deepStrictEqual(Result.getOrThrow(checked).retry, retry)
    else assert.isTrue(Result.isFailure(checked))
  })

  it("fit what is there already", () => {
    const present = sampleEndpoint({ retry: { ...usualRetry, baseSeconds: 100 } })
    const changed = checkedSettings({ retry: { maxSeconds: 50 } }, present, test)
    assert.isTrue(Result.isFailure(changed))
    const both = checkedSettings({ retry: { baseSeconds: 50, maxSeconds: 50 } }, present, test)
    assert.deepInclude(Result.getOrThrow(both).retry, { baseSeconds: 50, maxSeconds: 50, maxAttempts: 8 })
  })

  it("are numbers: whole ones where they count", () => {
    for (const [member, value] of [
      ["maxAttempts", 1.5],
      ["baseSeconds", 1.5],
      ["maxSeconds", 60.5],
      ["factor", Number.NaN],
      ["jitter", Number.NaN]
    ] as const) {
      assert.lengthOf(faults({ retry: { [member]: value } }), 1, member)
    }
  })
})

describe("A change of an endpoint", () => {
  const present = sampleEndpoint({
    description: "Ours",
    metadata: { team: "tr", owner: "ali" },
    headers: redacted({ "x-key": "one", "x-other": "two" })
  })

  it("leaves what is not said as it is", () => {
    const { url, events, description, metadata, headers, retry, concurrency } = present
    assert.deepStrictEqual(Result.getOrThrow(checkedSettings({}, present, test)), {
      url,
      events,
      description,
      metadata,
      headers,
      retry,
      concurrency
    })
  })

  it("merges metadata and headers by name, and an empty text takes one away", () => {
    const change = {
      description: "",
      metadata: { owner: "", stage: "live" },
      headers: redacted({ "X-Key": "three", "x-other": "", "x-absent": "" })
    }
    const changed = Result.getOrThrow(checkedSettings(change, present, test))
    assert.isNull(changed.description)
    assert.deepStrictEqual(changed.metadata, { team: "tr", stage: "live" })
    assert.deepStrictEqual(shown(changed.headers), { "x-key": "three" })
  })

  it("counts what stays with what is new", () => {
    const more = Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`n${index}`, "x"]))
    const changed = checkedSettings({ metadata: more, headers: redacted(more) }, present, test)
    assert.isTrue(Result.isFailure(changed))
    if (Result.isFailure(changed)) {
      assert.deepStrictEqual(
        changed.failure.faults.map(({ path }) => path),
        ["metadata", "headers"]
      )
    }
  })

  it("is not judged by an address that stays", () => {
    const http = { ...present, url: "http://localhost:3000/hook" }
    assert.strictEqual(Result.getOrThrow(checkedSettings({ concurrency: 5 }, http, live)).concurrency, 5)
  })
})
