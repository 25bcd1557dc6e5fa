import { STATUS_CODES } from "node:http"
import { type ErrorCode, errorCatalogue, errorCodes } from "../api/errorCatalogue.ts"
import type { CachedDocument } from "./CachedDocument.ts"
import { documentPage, escapeHtml } from "./documentPage.ts"
import { problemBody } from "./Problem.ts"

const row = (code: ErrorCode) => {
  const { status, title } = errorCatalogue[code]
  return `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(title)}</td></tr>`
}

/** All codes in a table. */
export const errorIndexPage = (): CachedDocument =>
  documentPage(
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
  return documentPage(
    `${code}: ${title}`,
    `<nav><a href="/docs">API reference</a> · <a href="/docs/errors">Error codes</a></nav>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="lead"><code>${code}</code> · HTTP ${status} ${escapeHtml(STATUS_CODES[status] ?? "")}</p>
<h2>What happened</h2>
<p>${escapeHtml(meaning)}</p>
<h2>What to do</h2>
<p>${escapeHtml(cure)}</p>
<h2>An answer with this code</h2>
<pre><code>${escapeHtml(example(code))}</code></pre>
</main>`
  )
}
