import { assert } from "vitest"

/** What the buyer does on the issuer's page. */
export type BuyerAnswer = "right" | "wrong" | "cancel"

const codes = { right: "123456", wrong: "000000", cancel: "" } as const

const decode = (text: string) =>
  text
    .replaceAll(/&#x([0-9a-f]+);/giu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const attribute = (tag: string, name: string) => {
  const [, quoted, plain] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|([^\\s>]+))`, "iu").exec(tag) ?? []
  const value = quoted ?? plain
  return value === undefined ? undefined : decode(value)
}

interface Page {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly fields: URLSearchParams
}

/** The first form of a page, filled in as the buyer would; undefined where there is none. */
const formOf = (html: string, base: string, answer: BuyerAnswer): Page | undefined => {
  const [whole] = /<form\b[\s\S]*?<\/form>/iu.exec(html) ?? []
  const [form] = /<form\b[^>]*>/iu.exec(whole ?? "") ?? []
  if (whole === undefined || form === undefined) return undefined
  const fields = new URLSearchParams()
  for (const [input] of whole.matchAll(/<input\b[^>]*>/giu)) {
    const name = attribute(input, "name")
    if (name !== undefined) fields.append(name, attribute(input, "value") ?? "")
  }
  if (fields.has("code")) {
    fields.set("code", codes[answer])
    if (answer === "cancel") fields.set("cancel", "1")
  }
  const method = attribute(form, "method")?.toUpperCase() === "POST" ? "POST" : "GET"
  return { url: new URL(attribute(form, "action") ?? base, base).href, method, fields }
}

/**
 * A buyer's browser without scripts: follows redirects and submits the one form of each page, until it is sent to an
 * address that begins with `shop`, which is not fetched, or to a page without a form.
 */
export const visit = async (from: string, answer: BuyerAnswer, shop = "https://shop.example/") => {
  let page: Page = { url: from, method: "GET", fields: new URLSearchParams() }
  const seen: Array<string> = []
  for (let pages = 0; pages < 20; pages++) {
    if (page.url.startsWith(shop)) return { url: new URL(page.url), seen, html: undefined }
    const response = await fetch(page.url, {
      method: page.method,
      redirect: "manual",
      ...(page.method === "POST" ? { body: page.fields } : {})
    })
    const html = await response.text()
    seen.push(`${page.method} ${page.url}`)
    const location = response.headers.get("location")
    if (location !== null) {
      page = { url: new URL(location, page.url).href, method: "GET", fields: new URLSearchParams() }
      continue
    }
    const form = formOf(html, page.url, answer)
    if (form === undefined) return { url: new URL(page.url), seen, html }
    assert.strictEqual(response.status, 200, html.slice(0, 400))
    page = form
  }
  throw new Error(`The buyer never came back: ${seen.join(" → ")}`)
}
