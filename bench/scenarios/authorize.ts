import { post, type Run, type Scenario } from "./Scenario.ts"
import { signatureOf } from "./signing.ts"

/** Payments that succeed at the first provider: what is measured is the way there and back. */
const bodies = ({ currency, token }: Run) => {
  const rest = JSON.stringify({
    amount: 149.9,
    currency,
    cardNumber: "4111111111111111",
    cardExpMonth: "12",
    cardExpYear: "2034",
    cardCvc: "123",
    buyer: { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" },
    billingAddress: { address: "Buyukdere Cad. 1", city: "Istanbul", country: "TR" }
  }).slice(1)
  let count = 0
  return () => `{"merchantReference":"${token}-${++count}",${rest}`
}

/** One new payment a request. The gateway's is signed. */
export const authorize: Scenario = {
  stock: undefined,
  subject: (run) => {
    const next = bodies(run)
    return () => {
      const body = next()
      return { text: post("/pf/v1/payments/authorize", signatureOf(body), body) }
    }
  },
  baseline: (run) => {
    const next = bodies(run)
    return () => ({ text: post("/payments", "", next()) })
  }
}
