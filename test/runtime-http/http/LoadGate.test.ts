import { assert, describe, it } from "@effect/vitest"
import { makeLoadGate, type Observation } from "@sarraf/runtime-http/http/LoadGate"
import { Schema } from "effect"

const busy = { elapsedMillis: 100, utilization: 1, statementMillis: 5, answered: 100 } satisfies Observation
const idle = { ...busy, utilization: 0.5 } satisfies Observation
const slowDatabase = { ...idle, statementMillis: 150 } satisfies Observation

const after = (...observations: ReadonlyArray<Observation>) => {
  const gate = makeLoadGate()
  for (const observation of observations) gate.observe(observation)
  return gate
}
const times = (count: number, observation: Observation) => Array.from({ length: count }, () => observation)

const atMost = (maximum: number) => Schema.Number.check(Schema.isBetween({ minimum: 0, maximum }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const Observed = Schema.Struct({
  elapsedMillis: Schema.Number.check(Schema.isBetween({ minimum: 1, maximum: 2_000 })),
  utilization: atMost(1),
  statementMillis: atMost(1_000),
  answered: Count
})

describe("The gate", () => {
  it("is open to any number while there is time to spare: thousands may wait for a slow provider", () => {
    assert.isFalse(after(...times(50, { ...idle, answered: 1 })).refuses("write", 1_000_000))
  })

  it("is open to any number at the first moments of a burst", () => {
    assert.isFalse(after(...times(2, busy)).refuses("write", 1_000_000))
  })

  it("lets in as many as stay for a second once the event loop has had no time for 0.3 s", () => {
    const gate = after(...times(100, busy))
    // A thousand answers a second.
    assert.isFalse(gate.refuses("write", 990))
    assert.isTrue(gate.refuses("write", 1_010))
  })

  it("does so too when the database makes its callers wait while the event loop is idle", () => {
    const gate = after(...times(100, slowDatabase))
    assert.isTrue(gate.refuses("write", 1_010))
  })

  it("lets in 256 however slowly answers come", () => {
    const gate = after(...times(100, { ...busy, answered: 0 }))
    assert.isFalse(gate.refuses("write", 255))
    assert.isTrue(gate.refuses("write", 256))
  })

  it("opens after a third of a second with time to spare, and not at its first sign", () => {
    const gate = after(...times(100, busy), ...times(3, idle))
    assert.isTrue(gate.refuses("write", 10_000))
    gate.observe(idle)
    assert.isFalse(gate.refuses("write", 10_000))
  })

  it("forgets an hour that a clock has jumped within a second", () => {
    const gate = after(...times(100, busy), { ...busy, elapsedMillis: 3_600_000 }, ...times(10, busy))
    assert.isFalse(gate.refuses("write", 256))
    assert.isFalse(after({ ...idle, elapsedMillis: 3_600_000 }).refuses("write", 10_000))
  })

  it.prop(
    "never refuses a read where it lets in a write, nor one of few after letting in one of many",
    {
      observations: Schema.Array(Observed),
      underWay: Count
    },
    ({ observations, underWay }) => {
      const gate = after(...observations)
      if (gate.refuses("read", underWay)) assert.isTrue(gate.refuses("write", underWay))
      if (gate.refuses("write", underWay)) assert.isTrue(gate.refuses("write", underWay + 1))
      assert.isFalse(gate.refuses("write", 255))
    }
  )
})
