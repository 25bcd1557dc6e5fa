import { toDecimal } from "@sarraf/domain/money/Money"
import type { Challenge } from "@sarraf/domain/payments/Challenges"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { Redacted } from "effect"
import { escape, mark, page } from "./Page.ts"
import { countdownStyle } from "./style.ts"

/** The way back to the shop; its address tells the shop how the payment stands. */
export interface WayBack {
  readonly href: string
  /** `shop.example` */
  readonly host: string
}

const brands: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  troy: "Troy",
  diners: "Diners Club",
  discover: "Discover",
  jcb: "JCB",
  maestro: "Maestro",
  unionpay: "UnionPay"
}

const amountOf = ({ money: { currency, minor } }: Payment): string =>
  // Exact: a text is formatted digit by digit.
  new Intl.NumberFormat("en", { style: "currency", currency }).format(toDecimal(currency, minor) as `${number}`)

const row = (term: string, value: string) => `<div><dt>${term}</dt><dd>${escape(value)}</dd></div>`

const details = (payment: Payment, back: WayBack | undefined, isCardShown: boolean): string => {
  const { brand, last4 } = payment.card
  return `<p class="amount">${escape(amountOf(payment))}</p>
<dl>
${back === undefined ? "" : row("Shop", back.host)}
${row("Reference", payment.merchantReference)}
${isCardShown ? row("Card", `${brands[brand] ?? "Card"} •••• ${last4}`) : ""}
</dl>`
}

const testNotice = ({ livemode }: Payment, more = ""): string =>
  livemode ? "" : `<p class="test">Test mode: no money moves.${more}</p>`

const backButton = (back: WayBack | undefined): string =>
  back === undefined
    ? `<p class="soft">You can close this window.</p>`
    : `<a class="button" href="${escape(back.href)}">Back to ${escape(back.host)}</a>`

const hidden = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join("")

/** The sources that a form may lead to: the issuer's page too, to which our answer redirects (CSP 3, `form-action`). */
const formAction = ({ livemode }: Payment): string => (livemode ? "'self' https:" : "'self' https: http:")

const minutes = (seconds: number): string => {
  const whole = Math.floor(seconds / 60)
  return whole < 1 ? "less than a minute" : `${whole} minute${whole === 1 ? "" : "s"}`
}

const secondsLeft = ({ endsAt }: Challenge, now: number): number => Math.max(0, Math.ceil((endsAt - now) / 1_000))

/** What the buyer sees first: what is paid, and that the bank comes next. Its form goes on. */
export const openPage = (challenge: Challenge, back: WayBack | undefined, oneTimeValue: string, now: number) => {
  const { payment } = challenge
  const seconds = secondsLeft(challenge, now)
  const shop = back === undefined ? "this site" : escape(back.host)
  return page({
    title: `Confirm your payment of ${amountOf(payment)}`,
    style: countdownStyle(seconds),
    formAction: formAction(payment),
    content: `${mark("lock")}
<h1>Confirm your payment with your bank</h1>
<p class="soft">Your bank checks that it is you who pays.</p>
${details(payment, back, true)}
<ol>
<li>Go on to your bank’s page or app.</li>
<li>Confirm the payment there.</li>
<li>You come back to ${shop}.</li>
</ol>
<form method="post" autocomplete="off"><input type="hidden" name="once" value="${escape(oneTimeValue)}">
<button>Continue to your bank</button></form>
<p class="left"><span class="open"><span class="said">You have ${minutes(seconds)} to continue.</span><span class="clock" aria-hidden="true"></span></span><span class="over">The time is over: pay again in the shop.</span></p>
${back === undefined ? "" : `<p class="back"><a href="${escape(back.href)}">Go back without paying</a></p>`}`,
    footer: testNotice(payment, " The simulated bank’s code is 123456.")
  })
}

/** The buyer has gone on to the bank already, from here or from another window. */
export const begunPage = (challenge: Challenge, back: WayBack | undefined) =>
  page({
    title: "Finish at your bank",
    content: `${mark("clock", "wait")}
<h1>Finish the payment at your bank</h1>
<p>You went on to your bank from this page, which works once. If your bank’s page or app is still open, confirm there.</p>
<p class="soft">If you have closed it before confirming, nothing is charged: go back to the shop and pay again.</p>
${details(challenge.payment, back, false)}
${backButton(back)}
<p class="back"><a href="">Look again</a></p>`,
    footer: testNotice(challenge.payment)
  })

interface Result {
  readonly mark: string
  readonly heading: string
  readonly text: string
}

const results = {
  approved: {
    mark: mark("check", "good"),
    heading: "Payment approved",
    text: "Your bank has confirmed it. There is nothing more to do here."
  },
  declined: {
    mark: mark("cross", "bad"),
    heading: "Payment declined",
    text: "Your bank did not approve this payment, and you are not charged. Try another card, or ask your bank."
  },
  notAuthenticated: {
    mark: mark("cross", "bad"),
    heading: "Payment not confirmed",
    text: "It was not confirmed at your bank, and you are not charged. You can pay again in the shop."
  },
  failed: {
    mark: mark("cross", "bad"),
    heading: "The payment did not go through",
    text: "You are not charged. You can pay again in the shop."
  },
  settling: {
    mark: mark("clock", "wait"),
    heading: "Not settled yet",
    text: "Your bank has not given its final word yet. Please do not pay again: this settles by itself, and the shop is told."
  },
  timeOver: {
    mark: mark("clock", "wait"),
    heading: "The time is over",
    text: "This payment was not confirmed in time. You can pay again in the shop."
  },
  cancelled: {
    mark: mark("back", "wait"),
    heading: "Payment cancelled",
    text: "It was cancelled, and you are not charged."
  },
  paidBack: {
    mark: mark("back", "good"),
    heading: "Payment refunded",
    text: "This payment was approved, and money of it has been sent back to your card."
  }
} satisfies Record<string, Result>

const resultOf = (payment: Payment, status: string): keyof typeof results => {
  if (["AUTHORIZED", "CAPTURED", "PARTIALLY_CAPTURED"].includes(status)) return "approved"
  if (["REFUNDED", "PARTIALLY_REFUNDED"].includes(status)) return "paidBack"
  if (["VOIDED", "EXPIRED"].includes(status)) return "cancelled"
  if (status === "DECLINED") return payment.error?.code === "3DS_FAILED" ? "notAuthenticated" : "declined"
  if (status === "REQUIRES_ACTION") return "timeOver"
  return status === "FAILED" ? "failed" : "settling"
}

/** How the payment stands when nothing can be done here any more. */
export const overPage = (payment: Payment, status: string, back: WayBack | undefined) => {
  const result = resultOf(payment, status)
  const { heading, mark: sign, text } = results[result]
  return page({
    title: heading,
    content: `${sign}
<h1>${heading}</h1>
<p>${text}</p>
${details(payment, back, false)}
${backButton(back)}
${result === "settling" ? `<p class="back"><a href="">Look again</a></p>` : ""}`,
    footer: testNotice(payment)
  })
}

const submitScript = "document.forms[0].submit()"

/** Carries the provider's form on to the bank: by a script where there is one, else by its button. Served once. */
export const formPage = (payment: Payment, step: Extract<BuyerStep, { readonly type: "form" }>) => {
  return page({
    title: "On to your bank",
    formAction: formAction(payment),
    script: submitScript,
    content: `${mark("lock")}
<h1>On to your bank</h1>
<p class="soft">If your bank’s page does not open by itself, press the button.</p>
<form method="post" action="${escape(step.action)}" autocomplete="off">${hidden(Redacted.value(step.fields))}
<button>Continue to your bank</button></form>`,
    footer: testNotice(payment)
  })
}

export const notFoundPage = () =>
  page({
    title: "No such payment",
    status: 404,
    content: `${mark("cross", "bad")}
<h1>There is no such payment page</h1>
<p>The address is not complete, or was changed. Go back to the shop and start the payment again.</p>`
  })

/** The form came from elsewhere, or from a page that was shown too long ago. */
export const refusedPage = () =>
  page({
    title: "Please open the page again",
    status: 403,
    content: `${mark("clock", "wait")}
<h1>Please open the page again</h1>
<p>It was open for too long, or the request did not come from it. Nothing has happened.</p>
<a class="button" href="">Open the page again</a>`
  })

/** Trying again brings what this request brought: `fields` are those of a form, and a query stays in the address. */
export const unavailablePage = (fields: Readonly<Record<string, string>> | undefined) =>
  page({
    title: "Please try again in a moment",
    status: 503,
    ...(fields === undefined ? {} : { formAction: "'self'" }),
    content: `${mark("clock", "wait")}
<h1>Please try again in a moment</h1>
<p>The payment page cannot be shown just now. Nothing is lost.</p>
${
  fields === undefined
    ? `<a class="button" href="">Try again</a>`
    : `<form method="post" autocomplete="off">${hidden(fields)}<button>Try again</button></form>`
}`
  })

/** What the bank's page sent along cannot be read; `retry` shows how the payment stands. */
export const unreadablePage = (status: 413 | 415, retry: string) =>
  page({
    title: "Something went wrong on the way back",
    status,
    content: `${mark("cross", "bad")}
<h1>Something went wrong on the way back</h1>
<p>What your bank’s page sent along cannot be read. The payment itself settles by itself.</p>
<a class="button" href="${escape(retry)}">See how it stands</a>`
  })
