import type { ProviderResponse } from "./ProviderTransport.ts"
import { behaviourOf } from "./TestCards.ts"

/** The one-time code that the simulated issuer takes (contract section 5). */
const rightCode = "123456"
/** Wrong codes after which the simulated issuer ends the challenge. */
const triesMax = 3

/** What the issuer decides before the buyer is asked for anything. */
export const authenticationOf = (cardNumber: string): "challenge" | "frictionless" | "fails" => {
  const behaviour = behaviourOf(cardNumber)
  if (behaviour === "frictionless") return "frictionless"
  return behaviour === "authenticationFails" ? "fails" : "challenge"
}

/** The issuer's word after a buyer's answer. `again` shows the page once more; `tries` counts the wrong codes so far. */
export const verdictOf = (
  form: URLSearchParams,
  tries: number
): "authenticated" | "cancelled" | "failed" | { readonly again: number } => {
  if (form.has("cancel")) return "cancelled"
  if (form.get("code")?.replaceAll(/\s/gu, "") === rightCode) return "authenticated"
  return tries + 1 >= triesMax ? "failed" : { again: tries + 1 }
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/gu, (letter) => `&#${letter.codePointAt(0)};`)

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #eef1f5; color: #1a2330 }
  main { width: min(26rem, calc(100vw - 2rem)); box-sizing: border-box; padding: 2rem; background: #fff;
    border-radius: 12px; border-top: 6px solid #7a3ff2; box-shadow: 0 8px 30px #1a233022 }
  h1 { font-size: 1.25rem; margin: .25rem 0 1rem }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1.25rem }
  dt { color: #5b6675 } dd { margin: 0; text-align: right; font-weight: 600 }
  label { display: block; font-weight: 600; margin-bottom: .35rem }
  input[name=code] { width: 100%; box-sizing: border-box; font: 600 1.4rem/1 ui-monospace, monospace;
    letter-spacing: .4em; text-align: center; padding: .7rem; border: 1px solid #9aa5b4; border-radius: 8px }
  button { width: 100%; font: inherit; font-weight: 600; padding: .75rem; margin-top: .75rem; border-radius: 8px;
    border: 1px solid #7a3ff2; background: #7a3ff2; color: #fff; cursor: pointer }
  button[name=cancel] { background: none; color: inherit; border-color: #9aa5b4 }
  .wrong { color: #b3261e; font-weight: 600 } .note { color: #5b6675; font-size: .875rem; margin: 1rem 0 0 }
  @media (prefers-color-scheme: dark) {
    body { background: #10151c; color: #e6eaf0 } main { background: #1a212b; box-shadow: none }
    dt, .note { color: #9aa5b4 } input[name=code] { background: #10151c; color: inherit }
  }`

const hidden = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join("")

const page = (title: string, content: string, script = ""): ProviderResponse => ({
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer"
  },
  body: new TextEncoder().encode(
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escape(title)}</title><style>${style}</style></head><body><main>${content}</main>${script}</body></html>`
  )
})

/**
 * The page on which a buyer proves who they are. It posts `code`, or `cancel`, and the given fields to `action`, and
 * needs no script.
 */
export const challengePage = (options: {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** As text: `149.90 TRY`. */
  readonly amount: string
  readonly last4: string
  readonly isAgain: boolean
}): ProviderResponse =>
  page(
    "Confirm your payment",
    `<p class="note">Simulated issuer</p><h1>Confirm your payment</h1>
    <dl><dt>Amount</dt><dd>${escape(options.amount)}</dd><dt>Card</dt><dd>•••• ${escape(options.last4)}</dd></dl>
    ${options.isAgain ? `<p class="wrong" role="alert">That code is not right. Try again.</p>` : ""}
    <form method="post" action="${escape(options.action)}">${hidden(options.fields)}
    <label for="code">Code from your bank</label>
    <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" autofocus>
    <button>Confirm</button><button name="cancel" value="1" formnovalidate>Cancel</button></form>
    <p class="note">This is the sandbox: the code is ${rightCode}, and no money moves.</p>`
  )

/** Sends the browser back with a POST, by a script where it may and by a button where it may not. */
export const postBackPage = (action: string, fields: Readonly<Record<string, string>>): ProviderResponse =>
  page(
    "Back to the shop",
    `<h1>Back to the shop</h1><form method="post" action="${escape(action)}">${hidden(fields)}<button>Continue</button></form>`,
    "<script>document.forms[0].submit()</script>"
  )

/** Sends the browser back with a GET. */
export const redirectBack = (url: string): ProviderResponse => ({
  status: 303,
  headers: { location: url, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  body: new Uint8Array()
})
