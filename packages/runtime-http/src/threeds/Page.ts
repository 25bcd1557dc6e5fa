import { HttpServerResponse } from "effect/http"
import { contentHash } from "../http/CachedDocument.ts"
import { style } from "./style.ts"

export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`)

/** Lets nobody keep the page or learn its address, which holds the token. */
export const secretHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

interface PageOptions {
  readonly title: string
  /** HTML. */
  readonly content: string
  /** HTML, below the content. */
  readonly footer?: string
  readonly status?: number
  /** Styles of this page alone. */
  readonly style?: string
  /** The one script of this page. */
  readonly script?: string
  /** The line at the bottom. Default: what a payment page says of itself. */
  readonly assurance?: string
  /** Where its form may lead, as CSP sources; browsers hold redirects after it against this too. Default: nowhere. */
  readonly formAction?: string
}

const lock = `<svg viewBox="0 0 24 24" aria-hidden="true"><rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/></svg>`

/** A hosted page: nothing from elsewhere, nothing but its own styles and script, in no frame, and kept by nobody. */
export const page = (options: PageOptions): HttpServerResponse.HttpServerResponse => {
  const styles = options.style === undefined ? [style] : [style, options.style]
  const policy = [
    "default-src 'none'",
    `style-src ${styles.map(contentHash).join(" ")}`,
    ...(options.script === undefined ? [] : [`script-src ${contentHash(options.script)}`]),
    `form-action ${options.formAction ?? "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ]
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(options.title)}</title>
${styles.map((text) => `<style>${text}</style>`).join("\n")}
</head>
<body>
<main>
${options.content}
</main>
${options.footer ?? ""}
<footer>${lock}${escape(options.assurance ?? "Card payment secured with 3-D Secure")}</footer>
${options.script === undefined ? "" : `<script>${options.script}</script>`}
</body>
</html>
`
  return HttpServerResponse.text(html, {
    status: options.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: { ...secretHeaders, "content-security-policy": policy.join("; ") }
  })
}

const strokes = {
  lock: `<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>`,
  check: `<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  cross: `<path d="m6.5 6.5 11 11m0-11-11 11"/>`,
  clock: `<path d="M12 6.5V12l3.5 2"/><circle cx="12" cy="12" r="9"/>`,
  back: `<path d="M9 7 4.5 11.5 9 16"/><path d="M4.5 11.5H15a4.5 4.5 0 0 1 0 9"/>`
}

/** The sign at a page's top; it says nothing that the heading does not. */
export const mark = (stroke: keyof typeof strokes, tone = ""): string =>
  `<span class="mark ${tone}" aria-hidden="true"><svg viewBox="0 0 24 24">${strokes[stroke]}</svg></span>`
