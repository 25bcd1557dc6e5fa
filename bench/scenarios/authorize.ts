import { createHmac } from "node:crypto"
import { post, type Run, type Scenario } from "./Scenario.ts"

const client = { id: "sandbox_client", secret: "sandbox_secret" }

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

/** One new payment a request. The gateway's is signed, by the specification and not by the gateway's own code. */
export const authorize: Scenario = {
  subject: (run) => {
    const next = bodies(run)
    return () => {
      const body = next()
      const timestamp = String(Date.now())
      const signature = createHmac("sha256", client.secret)
        .update(timestamp + body)
        .digest("hex")
      const headers = `x-client-id: ${client.id}\r\nx-timestamp: ${timestamp}\r\nx-signature: ${signature}\r\n`
      return post("/pf/v1/payments/authorize", headers, body)
    }
  },
  baseline: (run) => {
    const next = bodies(run)
    return () => post("/payments", "", next())
  }
}
