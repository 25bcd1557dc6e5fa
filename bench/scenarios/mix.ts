import { authorize } from "./authorize.ts"
import { capture } from "./capture.ts"
import { read } from "./read.ts"
import { refund } from "./refund.ts"
import { type Asked, paymentOf, type Run, type Scenario, type Side } from "./Scenario.ts"

/** Of fifty requests, as a shop's day has them: 70 % reads, 20 % new payments, 8 % captures, 2 % refunds. */
const portions = { read: 35, authorize: 10, capture: 4, refund: 1 } as const
type Kind = keyof typeof portions
const kinds: ReadonlyArray<Kind> = ["read", "authorize", "capture", "refund"]

/**
 * Fifty requests in an order in which each kind is spread evenly: at every place comes the kind that is furthest behind
 * its portion. The same in every run.
 */
export const dayOrder = (): ReadonlyArray<Kind> => {
  const length = kinds.reduce((sum, kind) => sum + portions[kind], 0)
  const given: Record<Kind, number> = { read: 0, authorize: 0, capture: 0, refund: 0 }
  return Array.from({ length }, (_, place) => {
    const behind = (kind: Kind) => ((place + 1) * portions[kind]) / length - given[kind]
    const next = kinds.reduce((best, kind) => (behind(kind) > behind(best) ? kind : best))
    given[next]++
    return next
  })
}

/** The newest of the payments that are read: a shop looks at what it has just sold. */
const readMax = 1_000

const day = (side: Side) => (run: Run) => {
  const order = dayOrder()
  const known = [...run.payments]
  const authorized = [...run.payments]
  const captured: Array<string> = []
  const nextNew = authorize[side](run)
  let count = 0
  let reads = 0
  const about = (kind: "capture" | "read" | "refund", payment: string) =>
    ({ capture, read, refund })[kind][side]({ ...run, payments: [payment] })()?.text ?? ""
  const begin = (): Asked => ({
    text: nextNew()?.text ?? "",
    answered: (body) => {
      const payment = paymentOf(body)
      if (payment === undefined) return
      authorized.push(payment)
      known[known.length < readMax ? known.length : Math.floor(Math.random() * readMax)] = payment
    }
  })
  return (): Asked => {
    const kind = order[count++ % order.length] ?? "read"
    if (kind === "authorize") return begin()
    if (kind === "read") {
      const payment = known[reads++ % known.length]
      return payment === undefined ? begin() : { text: about("read", payment) }
    }
    const from = kind === "capture" ? authorized : captured
    const payment = from.shift()
    if (payment === undefined) return begin()
    const text = about(kind, payment)
    return kind === "capture" ? { text, answered: () => captured.push(payment) } : { text }
  }
}

/** Reads, new payments, captures and refunds beside each other, each about payments of this window. */
export const mix: Scenario = {
  stock: { steps: ["authorize"], payments: 500 },
  subject: day("subject"),
  baseline: day("baseline")
}
