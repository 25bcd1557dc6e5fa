import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Redacted, Schema } from "effect"
import { findOrder, type OrderBook } from "../OrderBook.ts"
import { formOf } from "../PostedBody.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { authenticationOf, challengePage, postBackPage, redirectBack, verdictOf } from "../SimulatedIssuer.ts"
import { issuerCodeOf } from "../TestCards.ts"
import type { GarantiCredentials } from "./Credentials.ts"
import { amountOf, type Fields, faultOfAmount, faultOfCard, maskOf, securityData, sha512 } from "./SimulatedRequest.ts"

/** A buyer on the way to the issuer and back. `proven` is what a completion may use, once. */
const Challenge = Schema.Struct({
  state: Schema.Literals(["open", "proven", "used", "failed"]),
  tries: Schema.Number,
  /** The form as it came, without the card. */
  form: Schema.Record(Schema.String, Schema.String),
  maskedPan: Schema.String,
  /** What the issuer will say to the payment of this card: `00`, `51`. */
  issuerCode: Schema.String,
  cavv: Schema.String,
  eci: Schema.String,
  xid: Schema.String,
  md: Schema.String
})
type Challenge = typeof Challenge.Type
const challengeOf = Schema.decodeUnknownSync(Challenge)

const Pointer = Schema.Struct({ id: Schema.String })
const isPointer = Schema.is(Pointer)

const cardFields: ReadonlySet<string> = new Set(["cardnumber", "cardexpiredatemonth", "cardexpiredateyear", "cardcvv2"])

const notFound: ProviderResponse = {
  status: 404,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: new TextEncoder().encode("<!DOCTYPE html><title>404</title><h1>404</h1>")
}

/** What is wrong with a form that begins 3-D Secure, as the gate words it. */
const faultOfForm = (form: URLSearchParams, credentials: GarantiCredentials, now: number): string | undefined => {
  const get = (name: string) => form.get(name) ?? ""
  const { merchantId, password, provUserId, storeKey, terminalId } = credentials
  const expected = sha512(
    get("terminalid"),
    get("orderid"),
    get("txnamount"),
    get("txncurrencycode"),
    get("successurl"),
    get("errorurl"),
    get("txntype"),
    get("txninstallmentcount"),
    Redacted.value(storeKey),
    securityData(password, terminalId)
  )
  if (get("secure3dhash") !== expected) return "Guvenlik Kodu hatali"
  const isOurs =
    get("terminalid") === terminalId &&
    get("terminalmerchantid") === merchantId &&
    get("terminalprovuserid") === provUserId &&
    get("terminaluserid") === provUserId &&
    get("mode") === "TEST" &&
    get("apiversion") === "512" &&
    get("secure3dsecuritylevel") === "3D"
  const isPayment = get("txntype") === "preauth" || get("txntype") === "sales"
  const expiry = get("cardexpiredatemonth") + get("cardexpiredateyear")
  const card = { number: get("cardnumber"), expiry, cvv: get("cardcvv2") }
  const fault =
    faultOfAmount(get("txnamount"), get("txncurrencycode"), form.get("txninstallmentcount") ?? undefined) ??
    faultOfCard(card, now)
  const isWhole = isOurs && isPayment && /^\w{1,32}$/u.test(get("orderid")) && get("customeripaddress") !== ""
  return isWhole && fault === undefined ? undefined : "Sistem Hatasi"
}

const currencyNames: Readonly<Record<string, string>> = { "949": "TRY", "840": "USD", "978": "EUR", "826": "GBP" }

/** What the browser takes along. A gate that could not begin gives no hash. */
const postBack = (
  form: Readonly<Record<string, string>>,
  mdstatus: "0" | "1" | "7",
  more: Readonly<Record<string, string>>
): ProviderResponse => {
  const { errorurl = "", orderid = "", successurl = "", terminalid = "" } = form
  const common = { mdstatus, clientid: terminalid, oid: orderid, ...form }
  return postBackPage(mdstatus === "1" ? successurl : errorurl, { ...common, ...more })
}

const signedNames = [
  "clientid",
  "oid",
  "authcode",
  "procreturncode",
  "response",
  "mdstatus",
  "cavv",
  "eci",
  "md",
  "rnd"
]

/** The signed way back: section 4 of the provider sheet, with the fields that its recordings have. */
const signedBack = (challenge: Challenge, credentials: GarantiCredentials): ProviderResponse => {
  const { form, maskedPan, md, xid } = challenge
  const isProven = challenge.state === "proven"
  const fields: Record<string, string> = {
    mdstatus: isProven ? "1" : "0",
    mderrormessage: isProven ? "Y-status/Challenge authentication via ACS" : "N-status/Not authenticated",
    clientid: form.terminalid ?? "",
    oid: form.orderid ?? "",
    transid: form.orderid ?? "",
    authcode: "",
    procreturncode: "",
    response: "",
    hostrefnum: "",
    errmsg: "",
    txnstatus: "",
    cavv: isProven ? challenge.cavv : "",
    eci: isProven ? challenge.eci : "",
    xid,
    md,
    rnd: randomBytes(15).toString("base64"),
    MaskedPan: maskedPan
  }
  const values = signedNames.map((name) => fields[name] ?? "")
  fields.hashparams = `${signedNames.join(":")}:`
  fields.hashparamsval = values.join("")
  fields.hash = sha512(...values, Redacted.value(credentials.storeKey))
  return postBack(form, isProven ? "1" : "0", fields)
}

/** What a completion finds under its `Md`. */
type Proof = { readonly id: string; readonly challenge: Challenge }

/**
 * The bank's 3-D Secure gate and the issuer's page behind it. The gate takes the card and keeps of it the first six and
 * last four digits and what the issuer will say to it.
 */
export const make = (options: {
  readonly provider: string
  readonly orderBook: OrderBook
  readonly pagesUrl: string
  readonly credentials: GarantiCredentials
}) => {
  const { credentials, orderBook, pagesUrl, provider } = options

  const find = (id: string) => findOrder(orderBook, provider, `challenge:${id}`, challengeOf)
  const save = (id: string, challenge: Challenge) => orderBook.save(provider, `challenge:${id}`, challenge)

  const begin = Effect.fnUntraced(function* (posted: URLSearchParams, now: number) {
    const form = Object.fromEntries([...posted].filter(([name]) => !cardFields.has(name)))
    const fault = faultOfForm(posted, credentials, now)
    if (fault !== undefined) {
      const back = URL.canParse(form.errorurl ?? "")
        ? postBack(form, "7", { mderrormessage: fault, errmsg: fault })
        : notFound
      return back
    }
    const number = posted.get("cardnumber") ?? ""
    const id = randomUUID()
    const md = `index:02${randomBytes(60).toString("base64")}`
    const authentication = authenticationOf(number)
    const states = { challenge: "open", frictionless: "proven", fails: "failed" } as const
    const challenge: Challenge = {
      state: states[authentication],
      tries: 0,
      form,
      maskedPan: maskOf(number),
      issuerCode: issuerCodeOf(number),
      cavv: randomBytes(20).toString("base64"),
      eci: number.startsWith("5") ? "02" : "05",
      xid: randomUUID(),
      md: Buffer.from(md).toString("base64")
    }
    yield* save(id, challenge)
    yield* orderBook.save(provider, `md:${challenge.md}`, { id })
    return challenge.state === "open" ? redirectBack(`${pagesUrl}/issuer/${id}`) : signedBack(challenge, credentials)
  })

  const showPage = (id: string, { form, maskedPan, tries }: Challenge): ProviderResponse => {
    const minor = `${amountOf(form.txnamount) ?? 0}`.padStart(3, "0")
    const currency = currencyNames[form.txncurrencycode ?? ""] ?? ""
    return challengePage({
      action: `${pagesUrl}/issuer/${id}`,
      fields: {},
      amount: `${minor.slice(0, -2)}.${minor.slice(-2)} ${currency}`,
      last4: maskedPan.slice(-4),
      isAgain: tries > 0
    })
  }

  const answerIssuer = Effect.fnUntraced(function* (id: string, challenge: Challenge, posted: URLSearchParams) {
    const verdict = verdictOf(posted, challenge.tries)
    if (typeof verdict === "object") {
      const next = { ...challenge, tries: verdict.again }
      yield* save(id, next)
      return showPage(id, next)
    }
    const state = verdict === "authenticated" ? "proven" : "failed"
    const next = { ...challenge, state } as const
    yield* save(id, next)
    return signedBack(next, credentials)
  })

  return {
    /** A page of the buyer's browser, at an address below `pagesUrl`. */
    page: Effect.fnUntraced(function* ({ body = new Uint8Array(), method, url }: ProviderRequest, now: number) {
      const path = url.slice(pagesUrl.length).replace(/\?.*$/u, "")
      const posted = formOf(body)
      if (path === "/servlet/gt3dengine") return method === "POST" ? yield* begin(posted, now) : notFound
      const id = /^\/issuer\/([\w-]{36})$/u.exec(path)?.[1]
      const challenge = id === undefined ? undefined : yield* find(id)
      if (id === undefined || challenge?.state !== "open") return notFound
      return method === "POST" ? yield* answerIssuer(id, challenge, posted) : showPage(id, challenge)
    }),
    /** The proof that a completion brings, or the bank's number for what is wrong with it. */
    proofOf: Effect.fnUntraced(function* (fields: Fields) {
      const get = (name: string) => fields.get(name) ?? ""
      const md = get("Transaction/Secure3D/Md")
      if (md === "" || get("Transaction/Secure3D/SecurityLevel") === "") return "0763"
      const pointer = yield* orderBook.find(provider, `md:${md}`)
      const id = isPointer(pointer) ? pointer.id : ""
      const challenge = yield* find(id)
      if (challenge?.state !== "proven") return "0804"
      const { cavv, eci, form, xid } = challenge
      const isSame =
        get("Transaction/Secure3D/AuthenticationCode") === cavv &&
        get("Transaction/Secure3D/SecurityLevel") === eci &&
        get("Transaction/Secure3D/TxnID") === xid &&
        get("Order/OrderID") === form.orderid &&
        get("Transaction/Type") === form.txntype &&
        get("Transaction/Amount") === form.txnamount &&
        get("Transaction/CurrencyCode") === form.txncurrencycode &&
        get("Transaction/InstallmentCnt") === form.txninstallmentcount
      return isSame ? { id, challenge } : "0804"
    }),
    /** A proof serves once. */
    use: ({ challenge, id }: Proof) => save(id, { ...challenge, state: "used" })
  }
}
