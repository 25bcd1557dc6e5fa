// The load generator's process. It answers each order with what came of it.
import { arrive } from "./arrivals.ts"
import type { Order } from "./LoadGenerator.ts"
import { prepare, runWindow } from "./window.ts"

/** What was made last stays here: the one who asks has no use for it. */
let payments: ReadonlyArray<string> | undefined

const carryOut = async (order: Order) => {
  if (order.task === "arrive") return arrive(order.arrivals)
  const { task, window } = order
  if (task === "run") return runWindow(payments === undefined ? window : { ...window, payments })
  payments = await prepare(window)
  return payments.length
}

process.on("message", (order: Parameters<typeof carryOut>[0]) => {
  carryOut(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
// The one who asks is gone.
process.on("disconnect", () => process.exit())
