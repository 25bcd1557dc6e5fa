import { assert, describe, it } from "@effect/vitest"
import { stepOfAddress, stepOfContent, stepOfPage } from "@sarraf/adapters/providers/iyzico/ThreeDSPage"
import { Redacted } from "effect"

const form = (html: string) => {
  const step = stepOfPage(html)
  assert(step?.type === "form", html)
  return { action: step.action, fields: Redacted.value(step.fields) }
}

const page = `<!doctype html>
<html lang="en"><head><title>iyzico Mock 3D-Secure Processing Page</title></head>
<body>
<form id="iyzico-3ds-form" action="https://bank.example/acs" method="post">
    <input type="hidden" name="orderId" value="mock12-95iyziord">
    <input type="hidden" name="PaReq" value="0b6d9ec1">
</form>
<script type="text/javascript">
    document.getElementById("iyzico-3ds-form").submit();
</script>
</body></html>`

describe("the page of an issuer", () => {
  it("is reduced to its form", () => {
    assert.deepStrictEqual(form(page), {
      action: "https://bank.example/acs",
      fields: { orderId: "mock12-95iyziord", PaReq: "0b6d9ec1" }
    })
  })

  it("is read however its tags are spelled", () => {
    const html = `<FORM METHOD = 'POST' action='https://bank.example/acs?a=1&amp;b=2'><INPUT name=MD value=a1/b2==
      type=hidden><input value="&lt;&quot;&#39;&#x15F;&unknown;&gt;" NAME="x y"/><input name="empty"></FORM>`
    assert.deepStrictEqual(form(html), {
      action: "https://bank.example/acs?a=1&b=2",
      fields: { MD: "a1/b2==", "x y": `<"'ş&unknown;>`, empty: "" }
    })
  })

  it("gives no fields that a script would not send, and none of another form", () => {
    const html = `<input name="before" value="1"><form action="" method="post"><input name="first" value="1"></form>
      <form action="https://bank.example/acs" method="post"><input name="kept" value="1"><input type="submit" name="go">
      <input type="checkbox" name="off"><input type="checkbox" name="on" value="1" checked><input name="no" disabled>
      <input value="nameless"></form><form action="https://other.example/" method="post"><input name="last"></form>`
    assert.deepStrictEqual(form(html), { action: "https://bank.example/acs", fields: { kept: "1", on: "1" } })
  })

  it("is not misled by scripts and comments, nor by a sign within a value", () => {
    const evil = `<form action="https://evil.example/" method="post"></form>`
    const html = `<!-- ${evil} --><script>var x = '${evil}'</script>${page.replace("0b6d9ec1", "a>b<c")}`
    assert.deepStrictEqual(form(html).fields.PaReq, "a>b<c")
    assert.strictEqual(form(html).action, "https://bank.example/acs")
  })

  it("is an address where its form is sent by GET", () => {
    assert.deepStrictEqual(stepOfPage(`<form action="https://bank.example/acs"><input name="a" value="1 2"></form>`), {
      type: "redirect",
      url: "https://bank.example/acs?a=1+2"
    })
  })

  it("leads nowhere but to the web", () => {
    for (const action of ["javascript:alert(1)", "/acs", "", "data:text/html,x", "ftp://bank.example/", "https://"]) {
      assert.isUndefined(stepOfPage(`<form action="${action}" method="post"></form>`), action)
      assert.isUndefined(stepOfAddress(action), action)
    }
    assert.deepStrictEqual(stepOfAddress("https://bank.example/acs"), {
      type: "redirect",
      url: "https://bank.example/acs"
    })
  })

  it("is none without a form, and none beyond a length that no such page has", () => {
    for (const html of ["", "<html></html>", "form", "<form", "<form>", "<input name='a'>"])
      assert.isUndefined(stepOfPage(html))
    assert.isUndefined(stepOfPage(page + " ".repeat(200_000)))
  })

  it("comes as Base64 of UTF-8", () => {
    assert.strictEqual(stepOfContent(btoa(page))?.type, "form")
    for (const content of ["", "no Base64", Buffer.from([0xff, 0xfe, 0x3c]).toString("base64")]) {
      assert.isUndefined(stepOfContent(content))
    }
  })
})
