import { assert, describe, it } from "vitest"
import { faults, minutesLate } from "../../sim/Fault.ts"
import { simulate } from "../../sim/Simulation.ts"

/** As many as half a minute has time for; `npm run sim -- --seeds 1000` runs more. */
const seeds = 400
const minutes = 3
const together = 40

const traces: Array<string> = []

describe("The simulated gateway", () => {
  for (let first = 1; first <= seeds; first += together) {
    const last = Math.min(first + together - 1, seeds)
    it(`breaks no invariant with the seeds ${first} to ${last}`, { timeout: 60_000 }, () => {
      const broken: Array<string> = []
      for (let seed = first; seed <= last; seed++) {
        const run = simulate({ seed, minutes })
        traces.push(run.trace.join("\n"))
        if (run.broken !== undefined) broken.push(`npm run sim -- --seed ${seed} --minutes ${minutes}: ${run.broken}`)
      }
      assert.deepStrictEqual(broken, [])
    })
  }

  it("meets everything that the network, the database, a process and a clock may do", () => {
    const all = traces.join("\n")
    for (const { name } of [minutesLate, ...faults]) assert.include(all, `: ${name} [wire.`)
    for (const kind of ["dies before", "dies after", "is without its database before", "loses its database after"]) {
      assert.match(all, new RegExp(`process \\d+  ${kind} it writes order-\\d+ [a-z.+]+ \\[write\\.`, "u"))
    }
    assert.match(all, /clock {6}jumps by \d+ ms/u)
    assert.match(all, /clock {6}jumps by -\d+ ms/u)
    assert.match(all, /a message of \S+ comes 3 times, \d+ ms late/u)
    for (const status of ["DECLINED", "FAILED", "VOIDED", "CAPTURED", "PARTIALLY_REFUNDED", "REFUNDED"]) {
      assert.match(all, new RegExp(`hears of .*: ${status}\n`, "u"))
    }
    assert.match(all, /needs review/u)
  })

  it("leaves the same trace for the same seed, to the byte", () => {
    for (const seed of [1, 42, 4711]) {
      const [once, again] = [simulate({ seed, minutes: 20 }), simulate({ seed, minutes: 20 })]
      assert.isAbove(once.trace.length, 100)
      assert.strictEqual(once.trace.join("\n"), again.trace.join("\n"))
    }
    assert.notStrictEqual(traces[0], traces[1])
  })

  it("repeats a part of a run: some of its orders, and some of what went wrong", () => {
    const { disturbances, orders } = simulate({ seed: 42, minutes: 20 })
    const [order = 0, other = 0] = orders
    const some = simulate({ seed: 42, minutes: 20, orders: [order, other] })
    assert.deepStrictEqual(some.orders, [order, other])
    assert.isAbove(disturbances.length, 3)
    const only = disturbances.slice(0, 2)
    const calm = simulate({ seed: 42, minutes: 20, only })
    for (const name of calm.disturbances) assert.include(only, name)
    assert.deepStrictEqual(calm.orders, orders)
    assert.lengthOf(simulate({ seed: 42, minutes: 20, only: [] }).disturbances, 0)
  })
})
