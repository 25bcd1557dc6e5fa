/** Test cards of the sandbox. */
export const cards = {
  visa: "4111111111111111",
  mastercard: "5555555555554444",
  amex: "378282246310005",
  troy: "9792030000000000",
  insufficientFunds: "4000000000009995",
  declined: "4000000000000002",
  expired: "4000000000000069",
  providerError: "4000000000000119"
}

/** The currencies of the specification. */
export const currencies = ["USD", "EUR", "TRY", "AED", "GBP"] as const

/** One place for each kind of provider: captures in several parts, by redirect and JSON, and a bank's XML. */
export const places = [
  ["network-international", { currency: "AED" }],
  ["stripe", { currency: "EUR", billingAddress: { address: "Ring 1", city: "Berlin", country: "DE" } }],
  ["isbank", { currency: "TRY" }]
] as const

let orders = 0

/** A body for authorize with the specification's required fields only, under a reference that was not used before. */
export const order = <const Changes extends Readonly<Record<string, unknown>>>(changes?: Changes) => ({
  amount: 149.9,
  currency: "USD",
  merchantReference: `order-${++orders}`,
  cardNumber: cards.visa,
  cardExpMonth: "12",
  cardExpYear: String(new Date().getUTCFullYear() + 3),
  cardCvc: "123",
  buyer: { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse@example.com" },
  billingAddress: { address: "Kapalıçarşı 1", city: "İstanbul", country: "TR" },
  ...changes
})

/** The text of an order in which `amount` is written as given, since a JavaScript number cannot say every JSON number. */
export const orderText = (amount: string, changes: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify(order({ ...changes, amount: 1234567 })).replace("1234567", amount)
