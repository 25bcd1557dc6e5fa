import { STATUS_CODES } from "node:http"
import { type ErrorCode, errorCatalogue, errorCodes } from "../api/errorCatalogue.ts"
import { type CachedDocument, contentHash, makeDocument } from "./CachedDocument.ts"
import { problemBody } from "./Problem.ts"

const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0; --ground: #fff; --raised: #f6f8fa; --accent: #0550ae }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117; --raised: #151b23; --accent: #79c0ff } }
body { margin: 0 auto; max-width: 44rem; padding: 2.5rem 1.25rem 4rem; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
a { color: var(--accent) }
nav { color: var(--soft); font-size: .9rem }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0 .25rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .25rem }
p { margin: .25rem 0 }
.lead { color: var(--soft) }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; padding: 1rem }
table { border-collapse: collapse; margin-top: 1.5rem; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top }
th { border-top: 0; color: var(--soft); font-size: .85rem; font-weight: 600 }
`

/** No script, nothing from elsewhere, no frame around it, and of styles only the one above. */
const securityHeaders = {
  "content-security-policy": `default-src 'none'; style-src ${contentHash(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer"
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escape = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

const page = (title: string, body: string): CachedDocument =>
  makeDocument(
    "text/html; charset=utf-8",
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`,
    securityHeaders
  )

const row = (code: ErrorCode) => {
  const { status, title } = errorCatalogue[code]
  return `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escape(title)}</td></tr>`
}

/** All codes in a table. */
export const errorIndexPage = (): CachedDocument =>
  page(
    "Error codes",
    `<nav><a href="/docs">API reference</a></nav>
<main>
<h1>Error codes</h1>
<p class="lead">Every failure is answered with <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is one of these; its <code>requestId</code> finds it in the logs.</p>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Title</th></tr></thead>
<tbody>
${errorCodes.map(row).join("\n")}
</tbody>
</table>
</main>`
  )

const example = (code: ErrorCode) =>
  JSON.stringify(
    { ...problemBody(code), instance: "/pf/v1/payments", requestId: "9f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60" },
    undefined,
    2
  )

/** What one code means and what to do about it: the page that a problem's `type` points at. */
export const errorPage = (code: ErrorCode): CachedDocument => {
  const { cure, meaning, status, title } = errorCatalogue[code]
  return page(
    `${code}: ${title}`,
    `<nav><a href="/docs">API reference</a> · <a href="/docs/errors">Error codes</a></nav>
<main>
<h1>${escape(title)}</h1>
<p class="lead"><code>${code}</code> · HTTP ${status} ${escape(STATUS_CODES[status] ?? "")}</p>
<h2>What happened</h2>
<p>${escape(meaning)}</p>
<h2>What to do</h2>
<p>${escape(cure)}</p>
<h2>An answer with this code</h2>
<pre><code>${escape(example(code))}</code></pre>
</main>`
  )
}
