import { get, type Scenario } from "./Scenario.ts"
import { signatureOf } from "./signing.ts"

/** The twenty newest payments. The baseline has no list. */
export const list: Scenario = {
  stock: { steps: ["authorize"], payments: 1_000 },
  subject: () => () => ({ text: get("/pf/v1/payments?limit=20", signatureOf("")) }),
  baseline: () => () => undefined
}
