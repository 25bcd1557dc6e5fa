import { resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { readOptions } from "../../bench/options.ts"

describe("the arguments of the benchmark", () => {
  it("default to authorize at 32 connections, five rounds of five seconds, as a table", () =>
    assert.deepStrictEqual(readOptions([]), {
      scenario: "authorize",
      connections: [32],
      rounds: 5,
      seconds: 5,
      warmUpSeconds: 12,
      sizes: [10_000, 100_000, 1_000_000],
      currency: "TRY",
      json: false,
      profile: undefined
    }))
  it("choose a scenario by its name", () => {
    for (const scenario of [
      "capture",
      "refund",
      "get",
      "mix",
      "latency",
      "growth",
      "cold-start",
      "memory",
      "processes",
      "overload"
    ]) {
      assert.strictEqual(readOptions(["--scenario", scenario]).scenario, scenario)
    }
  })
  it("measure all scenarios shortly, unless more is asked for", () => {
    const all = readOptions(["--scenario", "all", "--rounds", "4"])
    assert.deepStrictEqual([all.rounds, all.seconds, all.warmUpSeconds], [4, 2, 3])
    assert.deepStrictEqual(all.sizes, [10_000, 100_000])
  })
  it("take several numbers of connections", () =>
    assert.deepStrictEqual(readOptions(["--connections", "1,8,32,128"]).connections, [1, 8, 32, 128]))
  it("take --json without a file as standard output, also before another argument", () => {
    assert.isTrue(readOptions(["--json"]).json)
    const { json, rounds } = readOptions(["--json", "--rounds", "2"])
    assert.isTrue(json)
    assert.strictEqual(rounds, 2)
  })
  it("take --json with a file", () => {
    const { json, seconds } = readOptions(["--json", "out.json", "--seconds", "2"])
    assert.strictEqual(json, resolve("out.json"))
    assert.strictEqual(seconds, 2)
    assert.strictEqual(readOptions(["--json=out.json"]).json, resolve("out.json"))
  })
  it("refuse what would measure nothing", () => {
    for (const args of [
      ["--rounds", "0"],
      ["--connections", "8,"],
      ["--seconds", "fast"],
      ["--sizes", "10000,20000000"],
      ["--warm-up", "0"],
      ["--scenario", "list"],
      ["--scenario", "toString"]
    ]) {
      assert.throws(() => readOptions(args), args[0])
    }
  })
  it("refuse a flag that does not exist", () => assert.throws(() => readOptions(["--conections", "8"]), /conections/))
})
