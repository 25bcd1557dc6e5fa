import { eachOnce, post, type Scenario } from "./Scenario.ts"
import { signatureOf } from "./signing.ts"

/** The payment is named in the body too, so that no two requests of one millisecond have the same signature. */
const bodyOf = (payment: string) => `{"transactionId":"${payment}","amount":149.9}`

/** The whole of a payment that was authorized just before, once each. */
export const capture: Scenario = {
  stock: { steps: ["authorize"], payments: undefined },
  subject: ({ payments }) =>
    eachOnce(payments, (payment) => {
      const body = bodyOf(payment)
      return post(`/pf/v1/payments/${payment}/capture`, signatureOf(body), body)
    }),
  baseline: ({ payments }) => eachOnce(payments, (payment) => post(`/payments/${payment}/capture`, "", bodyOf(payment)))
}
