/** How the simulated issuer behaves for a card (contract section 5). */
export type TestCardBehaviour =
  | "approve"
  | "insufficientFunds"
  | "decline"
  | "expired"
  | "challenge"
  | "frictionless"
  | "authenticationFails"
  | "providerFails"

const behaviours: Readonly<Record<string, TestCardBehaviour>> = {
  "4000000000009995": "insufficientFunds",
  "4000000000000002": "decline",
  "4000000000000069": "expired",
  "4000000000003220": "challenge",
  "4000000000003063": "frictionless",
  "4000008400001629": "authenticationFails",
  "4000000000000119": "providerFails"
}

/** The simulators' word on a card number; every number that is not listed is approved. */
export const behaviourOf = (cardNumber: string): TestCardBehaviour => behaviours[cardNumber] ?? "approve"
