import { type CachedDocument, contentHash, makeDocument } from "./CachedDocument.ts"

const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0; --ground: #fff; --raised: #f6f8fa; --accent: #0550ae }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117; --raised: #151b23; --accent: #79c0ff } }
body { margin: 0 auto; max-width: 44rem; padding: 2.5rem 1.25rem 4rem; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
a { color: var(--accent) }
nav { color: var(--soft); font-size: .9rem }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0 .25rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .25rem }
section { border-top: 1px solid var(--line); margin-top: 2rem }
summary { cursor: pointer }
td { overflow-wrap: break-word }
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

/** A text as it may stand in a page. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

/** A page of the documentation: `body` is HTML as it stands. */
export const documentPage = (title: string, body: string): CachedDocument =>
  makeDocument(
    "text/html; charset=utf-8",
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`,
    securityHeaders
  )
