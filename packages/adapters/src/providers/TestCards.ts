/** How the simulated issuer, and the network before it, behave for a card (contract section 5). */
export type TestCardBehaviour =
  | "approve"
  | "insufficientFunds"
  | "decline"
  | "expired"
  | "challenge"
  | "frictionless"
  | "authenticationFails"
  | "providerFails"
  | "firstIsDown"
  | "takenAndLost"
  | "neverArrives"

const behaviours: ReadonlyMap<string, TestCardBehaviour> = new Map([
  ["4000000000009995", "insufficientFunds"],
  ["4000000000000002", "decline"],
  ["4000000000000069", "expired"],
  ["4000000000003220", "challenge"],
  ["4000000000003063", "frictionless"],
  ["4000008400001629", "authenticationFails"],
  ["4000000000000119", "providerFails"],
  ["4000000000000341", "firstIsDown"],
  ["4000000000000259", "takenAndLost"],
  ["4000000000000267", "neverArrives"]
])

/** The simulators' word on a card number; every number that is not listed is approved. */
export const behaviourOf = (cardNumber: string): TestCardBehaviour => behaviours.get(cardNumber) ?? "approve"

const issuerCodes: Readonly<Partial<Record<TestCardBehaviour, string>>> = {
  insufficientFunds: "51",
  decline: "05",
  expired: "54",
  providerFails: "96"
}

/** The simulated issuer's ISO 8583 code; cards for 3-D Secure and for the network are plain ones to the issuer. */
export const issuerCodeOf = (cardNumber: string): string => issuerCodes[behaviourOf(cardNumber)] ?? "00"
