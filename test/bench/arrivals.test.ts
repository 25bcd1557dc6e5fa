import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { type Arrival, summarize } from "../../bench/load/arrivals.ts"

const phases = [
  { perSecond: 100, seconds: 1 },
  { perSecond: 400, seconds: 2 }
]
const arrival = (phase: number, dueMillis: number, millis: number, status = 200): Arrival => ({
  phase,
  dueMillis,
  millis,
  status
})

describe("the summary of requests that came at their own pace", () => {
  it("has the rates of each phase by its length, and the times of accepted and refused ones apart", () => {
    const accepted = Array.from({ length: 100 }, (_, index) => arrival(1, index, index + 1))
    const refused = Array.from({ length: 300 }, (_, index) => arrival(1, index, 2, 503))
    const [calm, loaded] = summarize([arrival(0, 5, 10), ...accepted, ...refused, arrival(1, 7, 1, 0)], phases, 1_000)
    assert.deepInclude(calm, {
      offered: 1,
      acceptedPerSecond: 1,
      shedPerSecond: 0,
      unexpected: {},
      lastTroubleMillis: 0
    })
    assert.deepInclude(loaded, {
      offered: 401,
      acceptedPerSecond: 50,
      shedPerSecond: 150,
      unexpected: { 0: 1 },
      acceptedP50Millis: 51,
      acceptedP99Millis: 100,
      shedP99Millis: 2
    })
  })

  it("says when the last request was due that was refused, failed or slow", () => {
    const arrivals = [
      arrival(1, 10, 5),
      arrival(1, 300, 900),
      arrival(1, 700, 1, 503),
      arrival(1, 900, 1, 0),
      arrival(1, 1_500, 100)
    ]
    assert.strictEqual(summarize(arrivals, phases, 500)[1]?.lastTroubleMillis, 900)
    assert.strictEqual(summarize(arrivals, phases, 50)[1]?.lastTroubleMillis, 1_500)
  })
})
