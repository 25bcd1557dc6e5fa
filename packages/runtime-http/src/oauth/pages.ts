import { escape, mark, page } from "../threeds/Page.ts"
import { style } from "./style.ts"

/** Who asks, and where the browser goes afterwards. */
export interface Asking {
  /** As the client calls itself, made plain. */
  readonly name: string
  /** Of its metadata document, which that host vouches for; undefined for a client that has registered itself. */
  readonly clientHost: string | undefined
  readonly redirectHost: string
  readonly redirectKind: "application" | "loopback" | "site"
  /** Where a form may lead, as a source of a content security policy: browsers hold the redirect after it against that too. */
  readonly redirectSource: string
}

interface Form {
  readonly asking: Asking
  /** Of the authorization server: `pay.example.com`. */
  readonly host: string
  /** Only a page of this sign-in holds it. */
  readonly csrf: string
  readonly wrong?: string | undefined
  readonly status?: number
}

/** An organization to choose from. */
export interface Choice {
  readonly organizationId: string
  readonly name: string
  readonly role: string
  /** Why it cannot be chosen. */
  readonly obstacle: string | undefined
}

const strokes = {
  brand: `<path d="M4 9.5 12 4l8 5.5"/><path d="M6 10v7m4-7v7m4-7v7m4-7v7"/><path d="M4 20h16"/>`,
  check: `<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  cross: `<path d="m6.5 6.5 11 11m0-11-11 11"/>`,
  warning: `<path d="M12 4 2.8 19.5h18.4z"/><path d="M12 10v4.5m0 2.6v.1"/>`
}
const icon = (stroke: keyof typeof strokes) => `<svg viewBox="0 0 24 24" aria-hidden="true">${strokes[stroke]}</svg>`

const brand = (host: string) => `<p class="brand">${icon("brand")}Sarraf<span class="host">${escape(host)}</span></p>`
/** In quotation marks, so that nobody takes it for words of ours. */
const name = (text: string) => `“<bdi class="name">${escape(text)}</bdi>”`
const assurance = "Sarraf · only sign in if you started this yourself"

const render = ({ asking, host, status = 200 }: Omit<Form, "csrf">, title: string, content: string) =>
  page({
    title: `${title} · Sarraf`,
    status,
    style,
    assurance,
    formAction: `'self' ${asking.redirectSource}`,
    content: brand(host) + content
  })

const hidden = (csrf: string, more: Readonly<Record<string, string>> = {}) =>
  Object.entries({ csrf, ...more })
    .map(([key, value]) => `<input type="hidden" name="${key}" value="${escape(value)}">`)
    .join("\n")

/** What was wrong, and how a field says so: read out together with it, and begun with. */
const told = (wrong: string | undefined) => ({
  line: wrong === undefined ? "" : `<p class="wrong" id="wrong" role="alert">${escape(wrong)}</p>`,
  state: wrong === undefined ? "" : `aria-describedby="wrong" aria-invalid="true"`
})

/** The Enter key in a field presses the first button of a form, wherever that is shown. */
const actions = (decision: string, label: string) => `<div class="actions main-first">
<button name="decision" value="${decision}">${label}</button>
<button class="quiet" name="decision" value="deny" formnovalidate>Cancel</button>
</div>`

/** The first step: who are you? */
export const signInPage = (form: Form & { readonly email: string }) => {
  const { line, state } = told(form.wrong)
  const isBlank = form.email === ""
  return render(
    form,
    "Sign in",
    `<h1>Sign in to connect ${name(form.asking.name)}</h1>
<p class="soft">It does not see your password. On the next page you choose what it may read.</p>
<form method="post">
${hidden(form.csrf)}
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" required value="${escape(form.email)}" ${state} ${isBlank ? "autofocus" : ""}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required ${state} ${isBlank ? "" : "autofocus"}>
${line}
${actions("sign-in", "Sign in")}
</form>`
  )
}

/** The second step, for who has a second factor. `proof` shows that the password was right. */
export const codePage = (form: Form & { readonly email: string; readonly proof: string }) => {
  const { line, state } = told(form.wrong)
  return render(
    form,
    "Enter your code",
    `<h1>Enter the code of your authenticator</h1>
<p class="soft">The six digits that it shows for ${escape(form.email)}.</p>
<form method="post">
${hidden(form.csrf, { proof: form.proof })}
<label for="code">Code</label>
<input id="code" name="code" type="text" class="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,7}" maxlength="7" required autofocus ${state}>
${line}
${actions("code", "Continue")}
</form>`
  )
}

const warnings = {
  site: undefined,
  loopback: (host: string) =>
    `The access goes to a program on <strong>this computer</strong> (${escape(host)}). Any program can claim to be this one. Allow it only if you have just started connecting it yourself.`,
  application: (host: string) =>
    `The access goes to an <strong>application on this device</strong> that opens ${escape(host)} links. Another application could do so too. Allow it only if you have just started connecting it yourself.`
} satisfies Record<Asking["redirectKind"], ((host: string) => string) | undefined>

const warningOf = ({ redirectHost, redirectKind }: Asking): string => {
  const text = warnings[redirectKind]?.(redirectHost)
  return text === undefined ? "" : `<div class="warning" role="note">${icon("warning")}<span>${text}</span></div>`
}

/** Where the access goes, in words: the scheme of an application reads like a host. */
const destination = ({ redirectHost, redirectKind }: Asking): string => {
  const shown = escape(redirectHost)
  if (redirectKind === "loopback") return `This computer (${shown})`
  return redirectKind === "application" ? `An application (${shown} links)` : shown
}

const whatItCan = `<h2>It will be able to</h2>
<ul class="can"><li>${icon("check")}read expenses, cards, bills, vendors, approvals, policies, reports and payments, as far as your role lets you</li></ul>
<h2>It will not be able to</h2>
<ul class="cannot"><li>${icon("cross")}change, approve or pay anything</li>
<li>${icon("cross")}see your password, or another organization</li></ul>`

const choiceOf = (isOnly: boolean) => (choice: Choice) =>
  `<label class="choice"><input type="radio" name="organization_id" value="${escape(choice.organizationId)}" required${
    choice.obstacle === undefined ? (isOnly ? " checked" : "") : " disabled"
  }><span><b>${escape(choice.name)}</b><small>${escape(choice.obstacle ?? `Your role: ${choice.role.toLowerCase()}`)}</small></span></label>`

/** May it read, and of which organization? */
export const consentPage = (
  form: Form & { readonly email: string; readonly choices: ReadonlyArray<Choice>; readonly days: number }
) => {
  const { asking, choices } = form
  const { line } = told(form.wrong)
  const canAllow = choices.some(({ obstacle }) => obstacle === undefined)
  const identity =
    asking.clientHost === undefined ? "Unconfirmed, named by itself" : `Published by ${escape(asking.clientHost)}`
  return render(
    form,
    "Allow access",
    `<h1>Allow ${name(asking.name)} to read your organization’s data?</h1>
<dl>
<div><dt>Identity</dt><dd>${identity}</dd></div>
<div><dt>Sends you back to</dt><dd>${destination(asking)}</dd></div>
<div><dt>Signed in as</dt><dd>${escape(form.email)}<br><button class="link" form="other" name="decision" value="other">Use another account</button></dd></div>
</dl>
${warningOf(asking)}
${whatItCan}
<form method="post">
${hidden(form.csrf)}
<fieldset${form.wrong === undefined ? "" : ` aria-describedby="wrong"`}><legend>Organization</legend>
${choices.map(choiceOf(choices.length === 1)).join("\n")}
</fieldset>
${line}
<p class="note">The access ends after ${form.days} days, or at any time when you revoke it in Sarraf.</p>
<div class="actions"><button class="quiet" name="decision" value="deny" formnovalidate>Deny</button>${
      canAllow ? `<button name="decision" value="allow">Allow</button>` : ""
    }</div>
</form>
<form method="post" id="other">${hidden(form.csrf)}</form>`
  )
}

/** The sign-in is over, or belongs to another browser. */
export const closedPage = () =>
  page({
    title: "This page is not open any more · Sarraf",
    status: 404,
    style,
    assurance,
    content: `${mark("clock", "wait")}
<h1>This page is not open any more</h1>
<p>It was answered already, its ten minutes are over, it was opened in another browser, or somebody else has signed in here since.</p>
<p>Go back to the assistant and connect again.</p>`
  })

/** A form that no page of ours has sent. */
export const foreignPage = () =>
  page({
    title: "Nothing was done · Sarraf",
    status: 403,
    style,
    assurance,
    content: `${mark("cross", "bad")}
<h1>Nothing was done</h1>
<p>This form did not come from the page that it belongs to. Go back to the assistant and connect again.</p>`
  })

/** Nothing has happened, and the same can be done again. */
export const laterPage = (status: 429 | 503) =>
  page({
    title: "Please try again in a moment · Sarraf",
    status,
    style,
    assurance,
    content: `${mark("clock", "wait")}
<h1>Please try again in a moment</h1>
<p>${status === 429 ? "There were too many tries from here." : "This cannot be done just now."} Nothing is lost.</p>
<a class="button" href="">Open the page again</a>`
  })

/** What a person can do about an error of the protocol; the rest is for who writes clients. */
const adviceFor: Readonly<Record<string, string>> = {
  invalid_client: "The assistant is not known here any more. Remove its connection there, and connect it again.",
  invalid_redirect_uri: "The assistant wants to send you to an address that it has not registered. Nothing was shared.",
  access_denied: "It was not allowed. Nothing was shared.",
  server_error: "Something went wrong here. Nothing was shared. Wait a minute, then connect again from the assistant.",
  rate_limited: "There were too many tries from here. Wait a minute, then connect again."
}

/**
 * An error that is sent back to a site when the person goes there themselves. `href`: where the answer is, an https
 * address; `host`: its host.
 */
export const returnPage = (
  { error, error_description }: { readonly error: string; readonly error_description: string | undefined },
  { host, href }: { readonly href: string; readonly host: string }
) =>
  page({
    title: "Not connected · Sarraf",
    status: 400,
    style,
    assurance,
    content: `${mark("cross", "bad")}
<h1>The assistant could not be connected</h1>
<p>Its request was not right, so nothing was shared. If you know <bdi class="name">${escape(host)}</bdi>, you can go back there. If you did not start this, close this page.</p>
<a class="button quiet" href="${escape(href)}" rel="noreferrer">Go back to ${escape(host)}</a>
<p class="note">${escape(error)}${error_description === undefined ? "" : `: ${escape(error_description)}`}</p>`
  })

/** An error that is not sent back to the client, since it is not certain who that is. */
export const errorPage = (
  { error, error_description }: { readonly error: string; readonly error_description?: string | undefined },
  status: number
) =>
  page({
    title: "Not connected · Sarraf",
    status,
    style,
    assurance,
    content: `${mark("cross", "bad")}
<h1>The assistant could not be connected</h1>
<p>${escape(adviceFor[error] ?? "Go back to the assistant and connect again. If it happens again, tell whoever makes it.")}</p>
<p class="note">${escape(error)}${error_description === undefined ? "" : `: ${escape(error_description)}`}</p>`
  })
