import type { ShownLink } from "@sarraf/domain/organizations/AcceptLink"
import { passwordLengthMax, passwordLengthMin } from "@sarraf/domain/organizations/Passwords"
import { escape, mark, page } from "../threeds/Page.ts"

const assurance = "Sarraf · this page can be used once"

/** A field and what is above and below it, in the look of the hosted pages. */
const style = `
label { display: block; margin: .85rem 0 .3rem; font-weight: 600 }
input { display: block; width: 100%; padding: .75rem .85rem; border: 1px solid var(--soft); border-radius: 10px; background: var(--ground); color: var(--ink); font: inherit }
input[readonly] { padding: 0; border: 0; border-radius: 4px; background: none; text-overflow: ellipsis }
input[aria-invalid] { border-color: var(--bad) }
form p { margin: .5rem 0 0; font-size: .9rem } form button { margin-top: 1.25rem }
.wrong { color: var(--bad); font-weight: 600 }
`

const headings = {
  invitation: (organization: string) => `Join ${organization}`,
  password_reset: () => "Choose a new password"
} satisfies Record<ShownLink["kind"], (organization: string) => string>

interface PasswordField {
  readonly label: string
  readonly rule: string
  readonly attributes: string
}

const passwordFields = {
  new: {
    label: "New password",
    rule: `${passwordLengthMin} to ${passwordLengthMax} characters. A few words are easier to remember than signs.`,
    attributes: `autocomplete="new-password" minlength="${passwordLengthMin}"`
  },
  present: {
    label: "Your present password",
    rule: "You have an account already: it stays one account, and gains this organization.",
    attributes: `autocomplete="current-password"`
  }
} satisfies Record<ShownLink["password"], PasswordField>

/** The field, what was wrong with what was in it, and what it takes; read out together, and begun with where it was wrong. */
const passwordField = ({ attributes, label, rule }: PasswordField, wrong: string | undefined): string => {
  const told = wrong === undefined ? "" : `<p class="wrong" id="wrong" role="alert">${escape(wrong)}</p>\n`
  const state =
    wrong === undefined ? `aria-describedby="rule"` : `aria-describedby="wrong rule" aria-invalid="true" autofocus`
  return `<label for="password">${label}</label>
<input id="password" name="password" type="password" required ${attributes} ${state}>
${told}<p class="soft" id="rule">${rule}</p>`
}

/** What a link asks for. `wrong`: what was not right about what was sent before. */
export const formPage = (link: ShownLink, wrong?: string, status = 200) => {
  const heading = headings[link.kind](link.organizationName)
  return page({
    title: heading,
    status,
    style,
    assurance,
    formAction: "'self'",
    content: `${mark("lock")}
<h1>${escape(heading)}</h1>
<form method="post"><label for="username">E-mail</label>
<input id="username" name="username" type="email" autocomplete="username" readonly value="${escape(link.email)}">
${passwordField(passwordFields[link.password], wrong)}
<button>${link.kind === "invitation" ? "Join" : "Set the password"}</button></form>`
  })
}

export const donePage = (link: ShownLink) =>
  page({
    title: "Done",
    assurance,
    content: `${mark("check", "good")}
<h1>${link.kind === "invitation" ? `You have joined ${escape(link.organizationName)}` : "Your password is changed"}</h1>
<p>You can sign in with ${escape(link.email)} now. This page is not needed any more.</p>`
  })

export const deadPage = () =>
  page({
    title: "This link does not work any more",
    status: 404,
    assurance,
    content: `${mark("cross", "bad")}
<h1>This link does not work any more</h1>
<p>It was used or replaced, or its time is over. If you have just used it yourself, all is well: you can sign in.</p>
<p>Otherwise ask whoever gave it to you for a new one.</p>`
  })

/** Nothing has happened, and the same can be done again. */
export const laterPage = (status: 429 | 503) =>
  page({
    title: "Please try again in a moment",
    status,
    assurance,
    content: `${mark("clock", "wait")}
<h1>Please try again in a moment</h1>
<p>${status === 429 ? "There were too many tries from here." : "This cannot be done just now."} Nothing is lost: the link still works.</p>
<a class="button" href="">Open the page again</a>`
  })
