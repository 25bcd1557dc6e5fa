import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import { Redacted } from "effect"

/** Longer pages are not read; a recorded one has a few hundred letters. */
const lettersMax = 200_000

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** Character references as attributes have them; what is none stays as it is. */
const unescape = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,6}));/gu, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return named[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const tag = /<(\/?)(form|input)\b((?:"[^"]*"|'[^']*'|[^'">])*)>/giu
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gu

const attributesOf = (text: string): ReadonlyMap<string, string> => {
  const attributes = new Map<string, string>()
  for (const [, name = "", double, single, bare] of text.matchAll(attribute)) {
    const key = name.toLowerCase()
    // The first of two stands, as in a browser.
    if (!attributes.has(key)) attributes.set(key, unescape(double ?? single ?? bare ?? ""))
  }
  return attributes
}

/** A script that submits a form sends none of these. */
const notSent: ReadonlySet<string> = new Set(["submit", "button", "image", "reset", "file"])

const isSent = (input: ReadonlyMap<string, string>): boolean => {
  const type = (input.get("type") ?? "text").toLowerCase()
  if (notSent.has(type) || input.has("disabled")) return false
  return (type !== "checkbox" && type !== "radio") || input.has("checked")
}

/** Nothing where it is no address that a browser could be sent to. */
const addressOf = (text: string | undefined): URL | undefined => {
  const address = (text ?? "").trim()
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined
}

const stepOf = (form: ReadonlyMap<string, string>, fields: Readonly<Record<string, string>>): BuyerStep | undefined => {
  const url = addressOf(form.get("action"))
  if (url === undefined) return undefined
  if (form.get("method")?.toLowerCase() === "post") {
    return { type: "form", action: url.href, fields: Redacted.make(fields) }
  }
  url.search = new URLSearchParams(fields).toString()
  return { type: "redirect", url: url.href }
}

/**
 * The page that iyzico wants to be shown, reduced to what its script does: post its first form with an address. Source:
 * provider sheet, section 4, `threeDSHtmlContent`. Nothing where the page has no such form.
 */
export const stepOfPage = (html: string): BuyerStep | undefined => {
  if (html.length > lettersMax) return undefined
  const markup = html.replace(/<!--[\s\S]*?-->|<script\b[\s\S]*?<\/script\s*>/giu, "")
  let form: ReadonlyMap<string, string> | undefined
  let fields: Record<string, string> = {}
  for (const [, slash, name = "", text = ""] of markup.matchAll(tag)) {
    const isForm = name.toLowerCase() === "form"
    if (isForm && form !== undefined) {
      // A form ends where the next one begins, or where it is closed.
      const step = stepOf(form, fields)
      if (step !== undefined) return step
    }
    if (isForm) {
      form = slash === "" ? attributesOf(text) : undefined
      fields = {}
      continue
    }
    const input = attributesOf(text)
    const field = input.get("name")
    if (form !== undefined && field && isSent(input)) fields[field] = input.get("value") ?? ""
  }
  return form === undefined ? undefined : stepOf(form, fields)
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The same of its Base64; nothing where that is none, or is no text. */
export const stepOfContent = (base64: string): BuyerStep | undefined => {
  try {
    return stepOfPage(utf8.decode(Buffer.from(base64, "base64")))
  } catch {
    return undefined
  }
}

/** Newer answers may name an address beside the page. */
export const stepOfAddress = (text: string): BuyerStep | undefined => {
  const url = addressOf(text)
  return url === undefined ? undefined : { type: "redirect", url: url.href }
}
