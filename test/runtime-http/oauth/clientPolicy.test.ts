import { assert, describe, it } from "@effect/vitest"
import {
  clientHostOf,
  isHostOf,
  isNative,
  policyBreach,
  redirectHostOf,
  redirectKindOf,
  shownName
} from "@sarraf/runtime-http/oauth/clientPolicy"
import { Schema } from "effect"

const breachOf = (metadata: object) => policyBreach({ redirect_uris: ["https://a.example/cb"], ...metadata }, [])?.error

describe("policyBreach", () => {
  it("finds nothing wrong with the clients that there are", () => {
    for (const redirect_uris of [
      ["https://claude.ai/api/mcp/auth_callback"],
      ["http://localhost/callback", "http://127.0.0.1/callback"],
      ["http://[::1]:8080/callback"],
      ["https://vscode.dev/redirect", "http://127.0.0.1:33418"],
      ["cursor://anysphere.cursor-retrieval/oauth/callback"],
      ["com.example.app:/callback"]
    ]) {
      assert.isUndefined(policyBreach({ redirect_uris, grant_types: ["authorization_code"] }, ["evil.example"]))
    }
  })

  it.prop("refuses http to anything but this machine", [Schema.String], ([text]) => {
    const host = text.replaceAll(/[^a-z0-9.-]/gu, "")
    const uri = `http://${host}.example/callback`
    if (URL.canParse(uri)) assert.strictEqual(breachOf({ redirect_uris: [uri] }), "invalid_redirect_uri")
  })

  it("is not deceived by what only looks like this machine", () => {
    for (const uri of [
      "http://localhost.evil.example/cb",
      "http://127.0.0.1.evil.example/cb",
      "http://localhost@evil.example/cb",
      "http://127.0.0.2/cb",
      "http://10.0.0.1/cb",
      "http://0.0.0.0/cb"
    ]) {
      assert.strictEqual(breachOf({ redirect_uris: [uri] }), "invalid_redirect_uri", uri)
    }
  })

  it("takes no spelling that browsers would have to mend, and no host that is none", () => {
    for (const uri of [
      "https://claude.ai\\@evil.example/cb",
      "https://claude.ai\t.evil.example/cb",
      " https://a.example/cb",
      "https:a.example/cb",
      "https:///a.example/cb",
      "https://a.example/c b",
      "https://\u0435xample.com/cb",
      "https://a;sandbox/cb",
      "https://*/cb",
      "https://*.a.example/cb",
      "https://a.example,b.example/cb",
      "https://a.example./cb",
      "https://%61.example/cb",
      "cursor://a b/cb",
      "cursor://a/\u0435"
    ]) {
      assert.strictEqual(breachOf({ redirect_uris: [uri] }), "invalid_redirect_uri", uri)
    }
    for (const uri of ["https://A.example:8443/cb?x=1&y=%20", "https://a.example", "https://[2001:db8::1]/cb"]) {
      assert.isUndefined(breachOf({ redirect_uris: [uri] }), uri)
    }
  })

  it("takes no scheme that a browser or an operating system answers itself", () => {
    const schemes = ["javascript", "data", "view-source", "ftp", "ws", "wss", "mailto", "tel", "ms-msdt", "search-ms"]
    for (const scheme of [...schemes, "chrome", "file", "intent", "urn", "JavaScript"]) {
      assert.strictEqual(breachOf({ redirect_uris: [`${scheme}:/callback`] }), "invalid_redirect_uri", scheme)
    }
    for (const scheme of ["cursor", "vscode", "vscode-insiders", "com.example.app", "fileviewer"]) {
      assert.isUndefined(breachOf({ redirect_uris: [`${scheme}:/callback`] }), scheme)
    }
  })

  it("takes no redirect that already says what the answer says", () => {
    for (const name of ["code", "state", "iss", "error"]) {
      assert.strictEqual(breachOf({ redirect_uris: [`https://a.example/cb?x=1&${name}=2`] }), "invalid_redirect_uri")
    }
  })

  it("is not brought down by what is nested without end", () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], [])
    assert.strictEqual(breachOf({ jwks: deep }), "invalid_client_metadata")
  })

  it("counts and measures", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at}`)
    assert.isUndefined(breachOf({ redirect_uris: many(10) }))
    assert.strictEqual(breachOf({ redirect_uris: many(11) }), "invalid_redirect_uri")
    assert.strictEqual(breachOf({ redirect_uris: [] }), "invalid_redirect_uri")
    assert.strictEqual(breachOf({ redirect_uris: "https://a.example" }), "invalid_redirect_uri")
    assert.strictEqual(breachOf({ redirect_uris: [7] }), "invalid_redirect_uri")
    assert.strictEqual(breachOf({ redirect_uris: [`https://a.example/${"x".repeat(2_000)}`] }), "invalid_redirect_uri")
    assert.isUndefined(breachOf({ client_name: "x".repeat(120) }))
    assert.strictEqual(breachOf({ client_name: "x".repeat(121) }), "invalid_client_metadata")
    assert.strictEqual(breachOf({ grant_types: ["client_credentials"] }), "invalid_client_metadata")
    assert.strictEqual(breachOf({ grant_types: "authorization_code" }), "invalid_client_metadata")
    assert.strictEqual(breachOf({ response_types: ["code", "token"] }), "invalid_client_metadata")
    assert.strictEqual(breachOf({ sector_identifier_uri: "https://a.example" }), "invalid_client_metadata")
  })
})

it("isHostOf means a host and what is below it, and nothing that only ends alike", () => {
  assert.isTrue(isHostOf(["evil.example"], "evil.example"))
  assert.isTrue(isHostOf(["evil.example"], "a.b.evil.example"))
  assert.isTrue(isHostOf(["evil.example"], "evil.example."))
  assert.isFalse(isHostOf(["evil.example"], "notevil.example"))
  assert.isFalse(isHostOf([], "evil.example"))
})

it("isNative makes the port of loopback redirects free, also beside one of a site", () => {
  assert.isTrue(isNative({ redirect_uris: ["http://localhost/callback"] }))
  assert.isTrue(isNative({ redirect_uris: ["https://vscode.dev/redirect", "http://127.0.0.1:33418"] }))
  assert.isTrue(isNative({ redirect_uris: ["cursor://x/y"] }))
  assert.isFalse(isNative({ redirect_uris: ["https://claude.ai/x"] }))
  assert.isFalse(isNative({}))
})

it("redirectHostOf and redirectKindOf say where a browser goes", () => {
  const told = (uri: string) => [redirectHostOf(uri), redirectKindOf(uri)]
  assert.deepStrictEqual(told("https://claude.ai/api"), ["claude.ai", "site"])
  assert.deepStrictEqual(told("https://xn--80ak6aa92e.com/"), ["xn--80ak6aa92e.com", "site"])
  assert.deepStrictEqual(told("http://127.0.0.1:8085/cb"), ["127.0.0.1:8085", "loopback"])
  assert.deepStrictEqual(told("http://[::1]:1/cb"), ["[::1]:1", "loopback"])
  assert.deepStrictEqual(told("https://localhost/cb"), ["localhost", "loopback"])
  assert.deepStrictEqual(told("cursor://anysphere/cb"), ["cursor:", "application"])
})

it("clientHostOf is of metadata documents alone", () => {
  assert.strictEqual(clientHostOf("https://claude.ai/oauth/client.json"), "claude.ai")
  assert.isUndefined(clientHostOf("25vgCMmrN6Z4kVNkMPlMA9JSTy-z72iTtL2xlwxffU6"))
  assert.strictEqual(clientHostOf("HTTPS://Claude.ai/client.json"), "claude.ai")
  assert.isUndefined(clientHostOf("http://claude.ai/client.json"))
})

describe("shownName", () => {
  it.prop("is short, on one line, and has nothing that turns text around", [Schema.String], ([name]) => {
    const shown = shownName(name, "nobody")
    assert.isNotEmpty(shown)
    assert.isAtMost([...shown].length, 61)
    assert.notMatch(shown, /[\p{Cc}\p{Cf}\n\r]/u)
    assert.strictEqual(shown, shown.trim())
  })

  it("keeps what is a name", () => {
    assert.strictEqual(shownName("Çağrı’s Claude (测试)", "x"), "Çağrı’s Claude (测试)")
    assert.strictEqual(shownName("a\u202egpj.exe\u2066\n  b", "x"), "a gpj.exe b")
    assert.strictEqual(shownName("\u200b", "x"), "x")
    for (const blank of ["\u3164", "\u115f\u2800", "\u{e0041}"]) assert.strictEqual(shownName(blank, "x"), "x")
    assert.strictEqual(shownName(`a${"\u0336".repeat(40)}b`, "x"), `a${"\u0336".repeat(3)}b`)
    assert.strictEqual(shownName(undefined, "x"), "x")
  })
})
