import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import type { OperationType } from "@sarraf/domain/payments/Operation"
import { type Draw, drawsOf } from "../crash/Draw.ts"
import type { Settings } from "./Settings.ts"

/** Cards of the sandbox, by what comes of them (`docs/sandbox.md`). */
export const cards = {
  approved: "4111 1111 1111 1111",
  insufficientFunds: "4000 0000 0000 9995",
  declined: "4000 0000 0000 0002",
  challenged: "4000 0000 0000 3220",
  frictionless: "4000 0000 0000 3063",
  failsAuthentication: "4000 0084 0000 1629",
  takenAndLost: "4000 0000 0000 0259",
  neverArrives: "4000 0000 0000 0267"
} as const

export type CardKind = keyof typeof cards

/** What the buyer does at the issuer: types a code, cancels, leaves for good, or comes back to the shop twice. */
export type BuyerKind = "right" | "wrong" | "cancel" | "leaves" | "twice"

export interface TaleStep {
  readonly type: OperationType | "AUTHORIZE"
  /** Of what was asked for, in percent; 100: the operation names no amount. */
  readonly share: number
  /** After the step before it, in milliseconds. */
  readonly afterMillis: number
  /** It is asked for twice at once: under one key, or under two; or once. */
  readonly times: "once" | "twice under one key" | "twice under two keys"
}

/** What becomes of one order, as the shop and its buyer mean it. */
export interface Tale {
  readonly number: number
  readonly merchantReference: string
  /** Since the beginning of the run, in milliseconds. */
  readonly startsAt: number
  readonly minor: bigint
  readonly card: CardKind
  readonly is3DS: boolean
  readonly buyer: BuyerKind
  /** How long the buyer takes, in milliseconds. */
  readonly buyerMillis: number
  readonly isRepeatedAtOnce: boolean
  readonly steps: ReadonlyArray<TaleStep>
}

const second = 1_000
/** Between two orders, in milliseconds. */
const betweenMillis = 40 * second

const stepOf = (draw: Draw): TaleStep => ({
  type: draw.weighted({ CAPTURE: 5, REFUND: 4, VOID: 2, AUTHORIZE: 1 }),
  share: draw.chance(50) ? 100 : draw.whole(1, 99),
  afterMillis: draw.whole(0, 60 * second),
  times: draw.weighted({ once: 7, "twice under one key": 2, "twice under two keys": 1 })
})

const cardOf = (draw: Draw, is3DS: boolean): CardKind =>
  is3DS
    ? draw.weighted({ challenged: 8, frictionless: 2, failsAuthentication: 1 })
    : draw.weighted({ approved: 12, insufficientFunds: 1, declined: 1, takenAndLost: 1, neverArrives: 1 })

const taleOf = (seed: number, number: number, startsAt: number): Tale => {
  const draw = drawsOf(seed, `order ${number}`)
  const is3DS = draw.chance(30)
  return {
    number,
    merchantReference: `order-${number}`,
    startsAt,
    minor: BigInt(draw.whole(100, 50_000)),
    is3DS,
    card: cardOf(draw, is3DS),
    buyer: draw.weighted({ right: 7, wrong: 1, cancel: 1, leaves: 1, twice: 2 }),
    buyerMillis: draw.whole(second, 180 * second),
    isRepeatedAtOnce: draw.chance(15),
    steps: Array.from({ length: draw.whole(0, 4) }, () => stepOf(draw))
  }
}

/** The orders of a run. They come one after the other, so that a shorter run has the first of them. */
export const talesOf = ({ minutes, orders, seed }: Settings): ReadonlyArray<Tale> => {
  const arrivals = drawsOf(seed, "arrivals")
  const tales: Array<Tale> = []
  let startsAt = arrivals.whole(0, betweenMillis)
  for (let number = 1; startsAt < minutes * 60 * second; number++) {
    if (orders?.includes(number) !== false) tales.push(taleOf(seed, number, startsAt))
    startsAt += arrivals.whole(0, 2 * betweenMillis)
  }
  return tales
}

/** What the run as a whole has: a currency, and the providers that are there of those that take it. */
export const settingOf = (
  seed: number,
  able: (currency: PaymentCurrency) => ReadonlyArray<string>
): { readonly currency: PaymentCurrency; readonly providers: ReadonlyArray<string> } => {
  const draw = drawsOf(seed, "setting")
  const currency = draw.oneOf(["AED", "EUR", "TRY", "USD"] as const)
  const left = [...able(currency)]
  const count = Math.min(draw.whole(1, 3), left.length)
  const providers = Array.from({ length: count }, () => left.splice(draw.whole(0, left.length - 1), 1)).flat()
  return { currency, providers }
}
