import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { alternating } from "../../bench/measure.ts"
import { report } from "../../bench/report.ts"
import { formatJson, formatResults } from "../../bench/results.ts"
import { aimAtMost, figure, formatStudy, medianKnown, type StudyReport } from "../../bench/studyReport.ts"

const machine = { cpu: "Abacus 1", cores: 2, memory_gb: 8, system: "linux 6.0", node: "24.0.0", postgres: "18.4" }

const study: StudyReport = {
  scenario: "growth",
  rounds: 3,
  seconds: 5,
  figures: [
    { case: "get", stored: 1_000, rps: 2500.5, cpu_us: null },
    { case: "list", stored: 1_000_000, rps: 90, cpu_us: null }
  ],
  aims: [aimAtMost("get, slowest size by the smallest", 1.1, 1.2), aimAtMost("peak memory in MB", 500, 400)],
  notes: ["32 connections."],
  machine
}

describe("the report of a study", () => {
  const lines = formatStudy(study).split("\n")
  it("names the machine, the rounds and how it was measured", () =>
    assert.deepStrictEqual(lines.slice(0, 3), [
      "Abacus 1, 2 cores, 8 GB, linux 6.0; Node 24.0.0, PostgreSQL 18.4",
      "growth: medians of 3 rounds, windows of 5 s.",
      "32 connections."
    ]))
  it("aligns names to the left and figures to the right, and shows what is not known as a dash", () =>
    assert.deepStrictEqual(lines.slice(4, 7), [
      "case   stored     rps  cpu_us",
      "get      1000  2500.5       -",
      "list  1000000      90       -"
    ]))
  it("says which aims are reached", () =>
    assert.deepStrictEqual(lines.slice(8), [
      "get, slowest size by the smallest: 1.1, the aim of at most 1.2 is reached.",
      "peak memory in MB: 500, the aim of at most 400 is missed."
    ]))
  it("does not count what is not known as reached", () => assert.isFalse(aimAtMost("memory", null, 400).reached))
  it("is in the JSON as it is", () => assert.deepStrictEqual(JSON.parse(formatJson([study])), study))
})

describe("figures", () => {
  it("are rounded, and null where nothing is known", () => {
    assert.strictEqual(figure(1.2345, 2), 1.23)
    assert.isNull(figure(undefined, 2))
    assert.isNull(figure(Number.NaN, 2))
  })
  it("are medians of what is known", () => {
    assert.strictEqual(medianKnown([1, undefined, 3, 8]), 3)
    assert.isUndefined(medianKnown([undefined]))
  })
})

describe("the results of several scenarios", () => {
  const sample = { rps: 100, p50Millis: 1, p99Millis: 2, cpuMicros: 10, peakMegabytes: 50 }
  const compared = (scenario: string, connections: number) =>
    report({ scenario, connections, seconds: 5, machine }, { subject: [sample], baseline: [sample] })

  it("share a table within a scenario, and have one each otherwise", () => {
    const text = formatResults([compared("authorize", 1), compared("authorize", 8), study, compared("get", 8)])
    assert.strictEqual(text.split("Abacus 1").length - 1, 3)
    assert.strictEqual(text.split(/^scenario /m).length - 1, 2)
  })
  it("are an array in the JSON", () =>
    assert.deepStrictEqual(
      JSON.parse(formatJson([compared("get", 8), study])).map(({ scenario }: { scenario: string }) => scenario),
      ["get", "growth"]
    ))
})

describe("alternating rounds", () => {
  it.effect("go backwards every second time, and keep each subject's own samples", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const measured = yield* alternating(
        ["a", "b", "c"],
        3,
        () => {},
        (name) => Effect.sync(() => `${name}${order.push(name)}`)
      )
      assert.strictEqual(order.join(""), "abccbaabc")
      assert.deepStrictEqual(measured, [
        ["a1", "a6", "a7"],
        ["b2", "b5", "b8"],
        ["c3", "c4", "c9"]
      ])
    })
  )
})
