import { eachOnce, post, type Scenario } from "./Scenario.ts"
import { signatureOf } from "./signing.ts"

/** The payment is named in the body too, so that no two requests of one millisecond have the same signature. */
const bodyOf = (payment: string) => `{"transactionId":"${payment}","amount":149.9}`

/** The whole of a payment that was authorized and captured just before, once each. */
export const refund: Scenario = {
  stock: { steps: ["authorize", "capture"], payments: undefined },
  subject: ({ payments }) =>
    eachOnce(payments, (payment) => {
      const body = bodyOf(payment)
      return post(`/pf/v1/payments/${payment}/refund`, signatureOf(body), body)
    }),
  baseline: ({ payments }) => eachOnce(payments, (payment) => post(`/payments/${payment}/refund`, "", bodyOf(payment)))
}
