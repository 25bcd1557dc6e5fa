import { assert, it } from "vitest"
import { readOptions } from "../../sim/options.ts"
import { commandOf } from "../../sim/Settings.ts"

it("A seed and a time are run as they are given", () => {
  assert.deepStrictEqual(readOptions(["--seed", "42", "--minutes", "60"]), {
    settings: { seed: 42, minutes: 60 },
    seeds: 1,
    trace: false
  })
})

it("The command that repeats a run is read back as that run", () => {
  for (const settings of [
    { seed: 42, minutes: 7, orders: [1, 12], only: ["wire.order-1.3", "clock.2"] },
    { seed: 1, minutes: 1, orders: [3], only: [] }
  ]) {
    const [, args = ""] = commandOf(settings).split(" -- ")
    assert.deepStrictEqual(readOptions(args.split(" ")).settings, settings)
  }
})

it("Many seeds begin at the first and have less time each", () => {
  assert.deepStrictEqual(readOptions(["--seeds", "1000"]).settings, { seed: 1, minutes: 3 })
})

it("What is no whole number, or too much of it, is refused", () => {
  for (const args of [
    ["--seed", "x"],
    ["--minutes", "0"],
    ["--minutes", "2000"],
    ["--seeds", "1.5"],
    ["--orders", ""]
  ]) {
    assert.throws(() => readOptions(args), RangeError)
  }
})
