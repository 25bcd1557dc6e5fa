import { assert, it } from "vitest"
import type { Settings } from "../../sim/Settings.ts"
import { commandOf } from "../../sim/Settings.ts"
import type { Run } from "../../sim/Simulation.ts"
import { shortest } from "../../sim/shrink.ts"

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** A run with an order and two disturbances a minute, broken where all of these are there. */
const brokenBy =
  (needed: {
    readonly minutes: number
    readonly orders: ReadonlyArray<number>
    readonly only: ReadonlyArray<string>
  }) =>
  (settings: Settings): Run => {
    const orders = settings.orders ?? range(settings.minutes)
    const disturbances = settings.only ?? range(2 * settings.minutes).map((number) => `wire.${number}`)
    const isBroken =
      settings.minutes >= needed.minutes &&
      needed.orders.every((one) => orders.includes(one)) &&
      needed.only.every((one) => disturbances.includes(one))
    return { settings, trace: [], broken: isBroken ? "broken" : undefined, disturbances, orders, payments: 0 }
  }

it("A broken run is made as short as it stays broken, with the orders and disturbances that it takes", () => {
  const run = brokenBy({ minutes: 17, orders: [3, 11], only: ["wire.9", "wire.30"] })
  const { settings } = shortest(run({ seed: 7, minutes: 60 }), run)
  assert.deepStrictEqual(settings, { seed: 7, minutes: 17, orders: [3, 11], only: ["wire.9", "wire.30"] })
  assert.strictEqual(commandOf(settings), "npm run sim -- --seed 7 --minutes 17 --orders 3,11 --only wire.9,wire.30")
})

it("A run that breaks by itself is told of without a single order or disturbance", () => {
  const run = brokenBy({ minutes: 1, orders: [], only: [] })
  const { settings } = shortest(run({ seed: 7, minutes: 60 }), run)
  assert.deepStrictEqual(settings, { seed: 7, minutes: 1, orders: [], only: [] })
  assert.include(commandOf(settings), "--only none")
})

it("What no shorter run repeats stays as it was", () => {
  const first = brokenBy({ minutes: 1, orders: [], only: [] })({ seed: 7, minutes: 60 })
  assert.strictEqual(
    shortest(first, (settings) => ({ ...first, settings, broken: undefined })),
    first
  )
})
