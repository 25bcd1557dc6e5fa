import { assert, describe, it } from "@effect/vitest"
import { fileNameOf } from "@sarraf/domain/receipts/FileName"
import { receiptIdIn, receiptUrl } from "@sarraf/domain/receipts/Receipt"
import { Schema } from "effect"

describe("fileNameOf", () => {
  it.each([
    ["lunch.pdf", "lunch.pdf"],
    ["  öğle yemeği.pdf ", "öğle yemeği.pdf"],
    ["C:\\Users\\ayse\\lunch.pdf", "lunch.pdf"],
    ["../../etc/passwd", "passwd"],
    ["a\u0000b\r\nc\u007f.pdf", "abc.pdf"],
    ["fdp.\u202Eexe", "fdp.exe"],
    ["", "receipt.pdf"],
    ["..", "receipt.pdf"],
    ["folder/", "receipt.pdf"],
    ["\ud800.pdf", "\ufffd.pdf"]
  ])("makes %j %j", (given, name) => {
    assert.strictEqual(fileNameOf(given, "application/pdf"), name)
  })

  it("cuts a long name between characters", () => {
    const name = fileNameOf(`${"🧾".repeat(300)}.png`, "image/png")
    assert.strictEqual(name, "🧾".repeat(200))
  })

  it.prop("is never empty, never a path and never more than 200 characters", [Schema.String], ([given]) => {
    const name = fileNameOf(given, "image/webp")
    assert.isAbove(name.length, 0)
    assert.isAtMost(Array.from(name).length, 200)
    assert.notMatch(name, /[/\\\p{Cc}]|^\.+$/u)
    assert.isTrue(name.isWellFormed())
  })
})

describe("receiptIdIn", () => {
  const id = "rcp_01kd8z0000e0080000000000r1"

  it("finds the receipt in an address of ours, whatever the host", () => {
    assert.strictEqual(receiptIdIn(receiptUrl("http://127.0.0.1:8080", id)), id)
    assert.strictEqual(receiptIdIn(`https://old.example.com/sarraf/api/receipts/${id}`), id)
  })

  it.each([
    "https://files.example.com/receipt.pdf",
    `https://pay.example.com/api/receipts/${id}/link`,
    `https://pay.example.com/api/receipts/${id}?a=b`,
    "https://pay.example.com/api/receipts/rcp_1",
    `https://pay.example.com/api/receipts/exp${id.slice(3)}`
  ])("finds none in %s", (url) => {
    assert.isUndefined(receiptIdIn(url))
  })
})
