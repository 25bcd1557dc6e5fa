import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { authorization, reference, shopAnswering } from "./Sample.ts"

export const returnUrl = `https://gateway.example/pf/v1/3ds/${"t".repeat(150)}/return`
export const notes = { rnd: "0123456789abcdef01234567", lang: "tr" }

export const md = `435508:${"4328956B2D668C55".repeat(4)}:3827:##700655000999`
export const proof = { md, xid: "XWOb78QRZ1Re8f7i8b2ZW85cLr8=", eci: "05", cavv: "ABABCSQDGQAAAABllJMDdUQAEJI=" }

/** What the bank sends back of an authenticated buyer, as recorded, for the payment of the sample. */
export const back: Readonly<Record<string, string>> = {
  TRANID: "",
  PAResSyntaxOK: "true",
  islemtipi: "PreAuth",
  lang: "tr",
  merchantID: "700655000999",
  maskedCreditCard: "4355 08** **** 4358",
  amount: "10.01",
  sID: "1",
  ACQBIN: "454672",
  Ecom_Payment_Card_ExpDate_Year: "30",
  Ecom_Payment_Card_ExpDate_Month: "01",
  MaskedPan: "435508***4358",
  merchantName: "Çiçek | Böcek \\ Ltd. Şti.",
  clientIp: "203.0.113.7",
  okUrl: returnUrl,
  failUrl: returnUrl,
  taksit: "",
  storetype: "3d",
  hashAlgorithm: "ver3",
  mdErrorMsg: "Y-status/Challenge authentication via ACS: https://acs.example/creq?token=1",
  encoding: "ISO-8859-9",
  currency: "949",
  oid: reference,
  mdStatus: "1",
  dsId: "1",
  clientid: "700655000999",
  txstatus: "Y",
  rnd: notes.rnd,
  ...proof
}

export const returnOf = (
  returned: Readonly<Record<string, string>>,
  changes: Partial<ThreeDSReturn> = {}
): ThreeDSReturn => ({
  authorization: authorization({ notes }),
  installment: 1,
  returned,
  buyerIp: "203.0.113.7",
  requestId: "req_3",
  note: () => Effect.void,
  ...changes
})

export type Shop = ReturnType<typeof shopAnswering>["shop"]
export const complete = (shop: Shop, call: ThreeDSReturn): Effect.Effect<Outcome> =>
  shop.threeDS?.complete(call) ?? Effect.die(new Error("no 3-D Secure"))
export const isGenuine = (call: ThreeDSReturn): boolean | undefined => shopAnswering().shop.threeDS?.isGenuine(call)

export const without = (fields: Readonly<Record<string, string>>, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
