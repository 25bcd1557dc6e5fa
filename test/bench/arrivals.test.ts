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
      unexpected: {}
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

  it("says when the first second began without trouble: nothing refused, failed or slow but for one in a hundred", () => {
    const calm = Array.from({ length: 2_000 }, (_, index) => arrival(1, index, 5))
    const before = (until: number, trouble: Partial<Arrival>) =>
      calm.map((each) => (each.dueMillis < until ? { ...each, ...trouble } : each))
    const wellAfter = (arrivals: ReadonlyArray<Arrival>) => summarize(arrivals, phases, 500)[1]?.wellAfterMillis
    assert.strictEqual(wellAfter(calm), 0)
    assert.strictEqual(wellAfter(before(10, { status: 503 })), 0)
    for (const trouble of [{ status: 503 }, { status: 0 }, { millis: 501 }]) {
      assert.strictEqual(wellAfter(before(450, trouble)), 500)
      assert.isNull(wellAfter(before(1_900, trouble)))
    }
  })
})
