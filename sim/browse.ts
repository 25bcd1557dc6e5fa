import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import type { Simulator } from "@sarraf/adapters/providers/Simulator"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import { Effect, Redacted } from "effect"

/** What the buyer does on the issuer's page. */
export type BuyerAnswer = "right" | "wrong" | "cancel"

const codes = { right: "123456", wrong: "000000", cancel: "" } as const

const decode = (text: string): string =>
  text
    .replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&#x([0-9a-f]+);/giu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const attribute = (tag: string, name: string): string | undefined => {
  const [, value] = new RegExp(`\\s${name}\\s*=\\s*"([^"]*)"`, "iu").exec(tag) ?? []
  return value === undefined ? undefined : decode(value)
}

interface Page {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly fields: URLSearchParams
}

/** The page's only form, filled in as the buyer would. */
const formOf = (html: string, base: string, answer: BuyerAnswer): Page & { readonly asksForCode: boolean } => {
  const [form, ...others] = [...html.matchAll(/<form\b[^>]*>/giu)].map(([tag]) => tag)
  if (form === undefined || others.length > 0) throw new Error(`not one form in ${html.slice(0, 500)}`)
  const fields = new URLSearchParams()
  const inputs = [...html.matchAll(/<input\b[^>]*>/giu)].map(([tag]) => tag)
  for (const input of inputs) {
    const name = attribute(input, "name")
    if (name !== undefined) fields.append(name, attribute(input, "value") ?? "")
  }
  const asksForCode = fields.has("code")
  if (asksForCode && answer === "cancel") fields.set("cancel", "1")
  if (asksForCode) fields.set("code", codes[answer])
  const method = attribute(form, "method")?.toUpperCase() === "POST" ? "POST" : "GET"
  return { method, url: new URL(attribute(form, "action") ?? base, base).href, fields, asksForCode }
}

const requestOf = (provider: string, { fields, method, url }: Page): ProviderRequest =>
  method === "GET"
    ? { provider, method, url, headers: {} }
    : {
        provider,
        method,
        url,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new TextEncoder().encode(fields.toString())
      }

const firstPage = (step: BuyerStep): Page =>
  step.type === "redirect"
    ? { method: "GET", url: step.url, fields: new URLSearchParams() }
    : { method: "POST", url: step.action, fields: new URLSearchParams(Redacted.value(step.fields)) }

const withFields = ({ fields, method, url }: Page): Page => {
  if (method === "POST" || fields.size === 0) return { method, url, fields }
  const target = new URL(url)
  target.search = fields.toString()
  return { method, url: target.href, fields }
}

/** A buyer's browser on the simulator's pages, without scripts, until it is sent back to `returnUrl`. */
export const browse = Effect.fnUntraced(function* (
  simulator: Simulator,
  step: BuyerStep,
  answer: BuyerAnswer,
  { pagesUrl, returnUrl }: { readonly pagesUrl: string; readonly returnUrl: string }
) {
  let page = firstPage(step)
  let pagesWithCode = 0
  for (let pages = 0; pages < 15; pages++) {
    page = withFields(page)
    if (page.url.startsWith(returnUrl)) {
      const query = new URL(page.url).searchParams
      const returned = {
        ...Object.fromEntries(query),
        ...(page.method === "POST" ? Object.fromEntries(page.fields) : {})
      }
      return { returned, pagesWithCode }
    }
    if (!page.url.startsWith(pagesUrl)) throw new Error(`the browser was sent to ${page.url}`)
    const response = yield* simulator.handle(requestOf(simulator.provider, page))
    const { location } = response.headers
    if (response.status >= 300 && response.status < 400) {
      if (location === undefined) throw new Error("a redirect without a location")
      const url = new URL(location, page.url).href
      const keeps = response.status === 307 || response.status === 308
      page = keeps ? { ...page, url } : { method: "GET", url, fields: new URLSearchParams() }
      continue
    }
    const html = new TextDecoder().decode(response.body)
    const isPage = response.status === 200 && /^text\/html/u.test(response.headers["content-type"] ?? "")
    if (!isPage) throw new Error(`no page but ${response.status}: ${html.slice(0, 300)}`)
    const { asksForCode, ...next } = formOf(html, page.url, answer)
    if (asksForCode) pagesWithCode += 1
    page = next
  }
  return yield* Effect.die(new Error("the browser was never sent back"))
})
