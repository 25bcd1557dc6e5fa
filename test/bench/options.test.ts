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
      currency: "TRY",
      json: false,
      profile: undefined
    }))
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
      ["--scenario", "toString"]
    ]) {
      assert.throws(() => readOptions(args), args[0])
    }
  })
  it("refuse a flag that does not exist", () => assert.throws(() => readOptions(["--conections", "8"]), /conections/))
})
