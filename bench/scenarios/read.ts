import { get, inTurn, type Scenario } from "./Scenario.ts"
import { signatureOf } from "./signing.ts"

/** One payment by its identifier, of a thousand in turn. */
export const read: Scenario = {
  stock: { steps: ["authorize"], payments: 1_000 },
  subject: ({ payments }) => inTurn(payments, (payment) => get(`/pf/v1/payments/${payment}`, signatureOf(""))),
  baseline: ({ payments }) => inTurn(payments, (payment) => get(`/payments/${payment}`, ""))
}
