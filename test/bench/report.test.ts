import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { formatTable, median, type Report, report, type Sample } from "../../bench/report.ts"
import { formatJson } from "../../bench/results.ts"

const machine = { cpu: "Abacus 1", cores: 2, memory_gb: 8, system: "linux 6.0", node: "24.0.0", postgres: "18.4" }
const about = { scenario: "authorize", connections: 32, seconds: 5, machine }

const sample = (rps: number, more: Partial<Sample> = {}): Sample => ({
  rps,
  p50Millis: 10,
  p99Millis: 20,
  cpuMicros: 500,
  peakMegabytes: 100,
  ...more
})

const rounds = {
  subject: [
    sample(900, { peakMegabytes: 120, p99Millis: 31 }),
    sample(100, { peakMegabytes: 150, p99Millis: 400 }),
    sample(880, { peakMegabytes: 140, p99Millis: 33 })
  ],
  baseline: [sample(1000), sample(1010), sample(1100)]
}

const measured: Report = report(about, rounds)

describe("the median", () => {
  it("is the middle of an odd number of values, in any order", () => {
    assert.strictEqual(median([9, 1, 5]), 5)
    assert.strictEqual(median([10, 9, 100]), 10)
  })
  it("is halfway between the two in the middle of an even number", () => assert.strictEqual(median([4, 1, 2, 10]), 3))
  it("is the value itself when there is one", () => assert.strictEqual(median([7]), 7))
})

describe("a report", () => {
  it("takes medians, so that a disturbed round moves neither the figures nor the ratio", () => {
    assert.strictEqual(measured.subject.rps, 880)
    assert.strictEqual(measured.subject.p99_ms, 33)
    assert.strictEqual(measured.baseline.rps, 1010)
    assert.strictEqual(measured.ratio, 0.871)
  })
  it("shows the disturbed round in the range of the ratio", () =>
    assert.deepStrictEqual(measured.ratio_range, [0.099, 0.9]))
  it("gives the highest memory of all rounds", () => assert.strictEqual(measured.subject.rss_mb, 150))
  it("gives null for what the system does not tell", () => {
    const silent = sample(100, { cpuMicros: undefined, peakMegabytes: undefined })
    const { subject } = report(about, { subject: [silent], baseline: [silent] })
    assert.isNull(subject.rss_mb)
    assert.isNull(subject.cpu_us)
  })
})

describe("the JSON", () => {
  it("is one object with scenario, subject, baseline and ratio when one number of connections was measured", () => {
    const parsed = JSON.parse(formatJson([measured]))
    assert.strictEqual(parsed.scenario, "authorize")
    assert.deepStrictEqual(parsed.subject, { rps: 880, p50_ms: 10, p99_ms: 33, rss_mb: 150, cpu_us: 500 })
    assert.deepStrictEqual(parsed.baseline, { rps: 1010, p50_ms: 10, p99_ms: 20, rss_mb: 100, cpu_us: 500 })
    assert.strictEqual(parsed.ratio, 0.871)
    assert.deepStrictEqual(parsed.machine, machine)
  })
  it("is an array when several were", () => {
    const parsed = JSON.parse(formatJson([measured, report({ ...about, connections: 128 }, rounds)]))
    assert.deepStrictEqual(
      parsed.map(({ connections }: Report) => connections),
      [32, 128]
    )
  })
})

describe("the table", () => {
  const lines = formatTable([measured]).split("\n")
  it("names the machine first", () =>
    assert.strictEqual(lines[0], "Abacus 1, 2 cores, 8 GB, linux 6.0; Node 24.0.0, PostgreSQL 18.4"))
  it("has a line for each server, with figures aligned under their names", () => {
    const [head = "", gateway = "", baseline = ""] = lines.slice(3)
    assert.match(gateway, /^authorize +32 +gateway +880 +10\.00 +33\.00 +500 +150 +0\.87$/)
    assert.match(baseline, /^ +baseline +1010 +10\.00 +20\.00 +500 +100 +0\.10–0\.90$/)
    assert.strictEqual(gateway.length, head.length)
    assert.strictEqual(baseline.length, head.length)
  })
  it("says whether the aims are reached", () => {
    const missed = formatTable([measured])
    assert.include(missed, "0.87 of the baseline, the aim of 1.25 is missed")
    assert.include(missed, "a p99 of 1.65 times the baseline's, the aim of 1 is missed")
    const quick = formatTable([report(about, { subject: [sample(1250)], baseline: [sample(1000)] })])
    assert.include(quick, "1.25 of the baseline, the aim of 1.25 is reached")
    assert.include(quick, "a p99 of 1.00 times the baseline's, the aim of 1 is reached")
  })
  it("names no aim where there is none: for other scenarios and other numbers of connections", () => {
    const others = [report({ ...about, scenario: "get" }, rounds), report({ ...about, connections: 128 }, rounds)]
    for (const other of others) assert.notInclude(formatTable([other]), "aim")
  })
  it("has a line for pgbench with its clients and the gateway's ratio to it", () => {
    const beside = report(about, rounds, { samples: [sample(2000), sample(2200)], clients: 31, skipped: undefined })
    assert.match(formatTable([beside]).split("\n")[6] ?? "", /^ +31 +pgbench +2100 .* 0\.42$/)
  })
  it("says why there is no pgbench", () => {
    const without = report(about, rounds, { samples: [], clients: 31, skipped: "it is not installed" })
    assert.deepStrictEqual(without.pgbench, { skipped: "it is not installed" })
    assert.include(formatTable([without, without]), "\nWithout pgbench: it is not installed.")
  })
})
