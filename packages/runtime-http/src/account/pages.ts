import type { ShownLink } from "@sarraf/domain/organizations/AcceptLink"
import { passwordLengthMax, passwordLengthMin } from "@sarraf/domain/organizations/Passwords"
import { escape, mark, page } from "../threeds/Page.ts"

const assurance = "This page can be used once"

/** A field and what is above and below it, in the look of the hosted pages. */
const style = `
label { display: block; margin: .85rem 0 .3rem; font-weight: 600 }
input { display: block; width: 100%; padding: .75rem .85rem; border: 1px solid var(--line); border-radius: 10px; background: var(--ground); color: var(--ink); font: inherit }
form p { margin: .35rem 0 0; font-size: .9rem } form button { margin-top: 1.25rem }
.wrong { color: var(--bad); font-weight: 600 }
`

const headings = {
  invitation: (organization: string) => `Join ${organization}`,
  password_reset: () => "Choose a new password"
} satisfies Record<ShownLink["kind"], (organization: string) => string>

const passwordField = {
  new: `<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required aria-describedby="rule">
<p class="soft" id="rule">${passwordLengthMin} to ${passwordLengthMax} characters. A few words are easier to remember than signs.</p>`,
  present: `<label for="password">Your present password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required aria-describedby="rule">
<p class="soft" id="rule">You have an account already: it stays one account, and gains this organization.</p>`
} satisfies Record<ShownLink["password"], string>

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
<p class="soft">For ${escape(link.email)}</p>
${wrong === undefined ? "" : `<p class="wrong" role="alert">${escape(wrong)}</p>`}
<form method="post"><input type="hidden" name="username" autocomplete="username" value="${escape(link.email)}">
${passwordField[link.password]}
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
<p>It was used or replaced, or its time is over. Ask whoever gave it to you for a new one.</p>`
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
