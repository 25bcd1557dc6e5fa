import { type Draw, drawsOf } from "./Draw.ts"

/** Cards of the sandbox (contract section 5), and how often each is used. */
const cardNumbers = {
  visa: "4111111111111111",
  mastercard: "5555555555554444",
  amex: "378282246310005",
  troy: "9792030000000000",
  insufficientFunds: "4000000000009995",
  declined: "4000000000000002",
  challenge: "4000000000003220",
  frictionless: "4000000000003063",
  authenticationFails: "4000008400001629",
  providerError: "4000000000000119",
  firstIsDown: "4000000000000341",
  takenAndLost: "4000000000000259",
  neverArrives: "4000000000000267"
} as const
export type CardName = keyof typeof cardNumbers

const cardWeights: Readonly<Record<CardName, number>> = {
  visa: 40,
  mastercard: 15,
  amex: 4,
  troy: 6,
  insufficientFunds: 3,
  declined: 3,
  challenge: 8,
  frictionless: 4,
  authenticationFails: 2,
  providerError: 2,
  firstIsDown: 6,
  takenAndLost: 4,
  neverArrives: 3
}

/** How a request is sent. */
export interface Manner {
  /** Hangs up so many milliseconds after the first try went out, and asks again; null: waits for the answer. */
  readonly hangUpAfter: number | null
  /** Sends it twice at the same moment, under one key. */
  readonly isTwice: boolean
  /** Sends it again under the same key when it has been answered. */
  readonly isRepeated: boolean
}

export type Step =
  | { readonly type: "capture" | "refund"; readonly minor: number; readonly manner: Manner }
  | { readonly type: "void"; readonly manner: Manner }
  | { readonly type: "find" }

/** What one buyer and the shop do with one payment; drawn whole before the first request goes out. */
export interface Story {
  /** `c3-17`: the 17th of client 3, and the merchantReference. */
  readonly name: string
  readonly card: CardName
  readonly currency: "USD" | "EUR" | "TRY" | "AED" | "GBP"
  readonly minor: number
  readonly installment: number
  readonly is3DS: boolean
  readonly buyer: "right" | "wrong" | "cancel"
  readonly authorize: Manner
  /** Sends the authorization again under another key when it has been answered. */
  readonly isReferenceRepeated: boolean
  /** Voids a payment whose outcome is not known, instead of leaving it to the gateway. */
  readonly voidsWhatIsPending: boolean
  readonly steps: ReadonlyArray<Step>
}

/** The sandbox's simulators turn a refund that ends in 77 back later, and dispute a payment that ends in 13. */
const hasMeaning = (minor: number): boolean => minor % 100 === 77 || minor % 100 === 13

const plain = (minor: number): number => (hasMeaning(minor) ? minor + 1 : minor)

const mannerOf = (draw: Draw): Manner => ({
  hangUpAfter: draw.chance(12) ? draw.oneOf([0, 5, 30, 150]) : null,
  isTwice: draw.chance(10),
  isRepeated: draw.chance(15)
})

const stepsOf = (draw: Draw, minor: number): ReadonlyArray<Step> => {
  const end = draw.weighted({ leave: 15, void: 15, capture: 25, refund: 20, refundInParts: 25 })
  if (end === "leave") return [{ type: "find" }]
  if (end === "void") return [{ type: "void", manner: mannerOf(draw) }]
  // The parts differ, so that each request on the record has one operation of its own.
  const captured = draw.chance(60) ? minor : plain(draw.whole(Math.ceil(minor / 2), minor - 1))
  const capture: Step = { type: "capture", minor: captured, manner: mannerOf(draw) }
  if (end === "capture") return [capture, { type: "find" }]
  if (end === "refund") return [capture, { type: "refund", minor: captured, manner: mannerOf(draw) }]
  const first = plain(draw.whole(1, Math.floor(captured / 3)))
  const second = plain(first + draw.whole(1, Math.floor(captured / 3)))
  return [
    capture,
    { type: "refund", minor: first, manner: mannerOf(draw) },
    { type: "refund", minor: second, manner: mannerOf(draw) },
    { type: "find" }
  ]
}

/** The story `number` of a client. */
export const storyOf = (seed: number, client: number, number: number): Story => {
  const name = `c${client}-${number}`
  const draw = drawsOf(seed, name)
  const card = draw.weighted(cardWeights)
  const isAuthenticating = card === "challenge" || card === "frictionless" || card === "authenticationFails"
  const is3DS = isAuthenticating || draw.chance(20)
  const drawn = draw.weighted({ USD: 2, EUR: 2, TRY: 4, AED: 2, GBP: 2 })
  const currency = card === "troy" ? "TRY" : drawn
  const minor = plain(draw.whole(1_000, 90_000))
  const authorize = mannerOf(draw)
  return {
    name,
    card,
    currency,
    minor,
    installment: currency === "TRY" && draw.chance(10) ? draw.oneOf([2, 3, 6]) : 1,
    is3DS,
    buyer: draw.weighted({ right: 80, wrong: 10, cancel: 10 }),
    authorize,
    isReferenceRepeated: draw.chance(15),
    voidsWhatIsPending: draw.chance(20),
    steps: stepsOf(draw, minor)
  }
}

const major = (minor: number): number => minor / 100

/** The body of the story's authorization: the same at each repetition. */
export const authorizationBody = (story: Story, expiryYear: number) => ({
  amount: major(story.minor),
  currency: story.currency,
  merchantReference: story.name,
  cardNumber: cardNumbers[story.card],
  cardExpMonth: "12",
  cardExpYear: String(expiryYear),
  cardCvc: story.card === "amex" ? "1234" : "123",
  is3DS: story.is3DS,
  ...(story.is3DS ? { returnUrl: "https://shop.example/back" } : {}),
  ...(story.installment > 1 ? { installment: story.installment } : {}),
  buyer: {
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    ip: "203.0.113.7",
    phone: "+905550000000"
  },
  billingAddress: { address: "Istiklal 1", city: "Istanbul", country: "TR", postalCode: "34430" }
})

/** The body of a capture, refund or void. */
export const operationBody = (step: Exclude<Step, { type: "find" }>) =>
  step.type === "void" ? {} : { amount: major(step.minor) }
