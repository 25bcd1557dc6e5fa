import type { Machine } from "./machine.ts"

/** One server in one window. */
export interface Sample {
  readonly rps: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Processor time a request, of the server alone, and its highest memory so far, where the system tells. */
  readonly cpuMicros: number | undefined
  readonly peakMegabytes: number | undefined
}

/** A sample a round of each server, in the order of the rounds. */
export interface Samples {
  readonly subject: ReadonlyArray<Sample>
  readonly baseline: ReadonlyArray<Sample>
}

/** The same two writes by PostgreSQL's own benchmark, or the reason why there are none. */
export interface PgbenchSamples {
  readonly samples: ReadonlyArray<Sample>
  readonly clients: number
  readonly skipped: string | undefined
}

/** Null is what the system does not tell. */
export interface Figures {
  readonly rps: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly rss_mb: number | null
  readonly cpu_us: number | null
}

export interface Report {
  readonly scenario: string
  readonly connections: number
  readonly subject: Figures
  readonly baseline: Figures
  readonly ratio: number
  /** Lowest and highest ratio of a single round: how far the ratio can be trusted. */
  readonly ratio_range: readonly [number, number]
  /** `ratio` is the gateway's to pgbench, which has `clients` connections of its own. Only for new payments. */
  readonly pgbench?: (Figures & { readonly clients: number; readonly ratio: number }) | { readonly skipped: string }
  readonly rounds: number
  readonly seconds: number
  readonly machine: Machine
}

/** What the gateway is meant to reach: with new payments at so many connections, and a p99 no worse than the baseline's. */
const aim = { scenario: "authorize", connections: 32, ratio: 1.25 }

const reached = (isReached: boolean) => (isReached ? "reached" : "missed")

const formatAim = ({ baseline, connections, ratio, scenario, subject }: Report): ReadonlyArray<string> =>
  scenario === aim.scenario && connections === aim.connections
    ? [
        "",
        `${connections} connections: ${ratio.toFixed(2)} of the baseline, the aim of ${aim.ratio} is ${reached(ratio >= aim.ratio)}.`,
        `${connections} connections: a p99 of ${(subject.p99_ms / baseline.p99_ms).toFixed(2)} times the baseline's, the aim of 1 is ${reached(subject.p99_ms <= baseline.p99_ms)}.`
      ]
    : []

export const median = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  const [below = Number.NaN, above = below] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return (below + above) / 2
}

export const round = (value: number, digits: number) => Number(value.toFixed(digits))

const known = (values: ReadonlyArray<number | undefined>) => values.filter((value) => value !== undefined)

const summarize = (samples: ReadonlyArray<Sample>): Figures => {
  const peaks = known(samples.map(({ peakMegabytes }) => peakMegabytes))
  const costs = known(samples.map(({ cpuMicros }) => cpuMicros))
  return {
    rps: round(median(samples.map(({ rps }) => rps)), 1),
    p50_ms: round(median(samples.map(({ p50Millis }) => p50Millis)), 2),
    p99_ms: round(median(samples.map(({ p99Millis }) => p99Millis)), 2),
    rss_mb: peaks.length === 0 ? null : round(Math.max(...peaks), 1),
    cpu_us: costs.length === 0 ? null : round(median(costs), 0)
  }
}

const reportPgbench = (subject: Figures, { clients, samples, skipped }: PgbenchSamples) => {
  if (skipped !== undefined) return { skipped }
  const figures = summarize(samples)
  return { ...figures, clients, ratio: round(subject.rps / figures.rps, 3) }
}

/** Medians over the rounds: one round that another program disturbed does not move them. */
export const report = (
  about: Pick<Report, "scenario" | "connections" | "seconds" | "machine">,
  samples: Samples,
  pgbench?: PgbenchSamples
): Report => {
  const subject = summarize(samples.subject)
  const baseline = summarize(samples.baseline)
  const ratios = samples.subject.map(({ rps }, index) => rps / (samples.baseline[index]?.rps ?? Number.NaN))
  return {
    scenario: about.scenario,
    connections: about.connections,
    subject,
    baseline,
    ratio: round(subject.rps / baseline.rps, 3),
    ratio_range: [round(Math.min(...ratios), 3), round(Math.max(...ratios), 3)],
    ...(pgbench === undefined ? {} : { pgbench: reportPgbench(subject, pgbench) }),
    rounds: samples.subject.length,
    seconds: about.seconds,
    machine: about.machine
  }
}

const format = (value: number | null, digits: number) => (value === null ? "-" : value.toFixed(digits))

const row = (name: string, { cpu_us, p50_ms, p99_ms, rps, rss_mb }: Figures) => [
  name,
  format(rps, 0),
  format(p50_ms, 2),
  format(p99_ms, 2),
  format(cpu_us, 0),
  format(rss_mb, 0)
]

/** Names to the left, figures to the right. */
export const align = (lines: ReadonlyArray<ReadonlyArray<string>>, namesCount: number) => {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines.map((line) =>
    line
      .map((cell, column) =>
        column < namesCount ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
      )
      .join("  ")
      .trimEnd()
  )
}

export const formatMachine = ({ cores, cpu, memory_gb, node, postgres, system }: Machine) =>
  `${cpu}, ${cores} cores, ${memory_gb} GB, ${system}; Node ${node}, PostgreSQL ${postgres}`

/** One table for the terminal. Every report is of the same run. */
export const formatTable = (reports: ReadonlyArray<Report>) => {
  const [first] = reports
  if (first === undefined) return ""
  const head = [
    "scenario",
    "connections",
    "server",
    "requests/s",
    "p50 ms",
    "p99 ms",
    "CPU µs/request",
    "peak MB",
    "ratio"
  ]
  const lines = reports.flatMap(({ baseline, connections, pgbench, ratio, ratio_range, scenario, subject }) => [
    [scenario, String(connections), ...row("gateway", subject), ratio.toFixed(2)],
    ["", "", ...row("baseline", baseline), ratio_range.map((each) => each.toFixed(2)).join("–")],
    ...(pgbench === undefined || "skipped" in pgbench
      ? []
      : [["", String(pgbench.clients), ...row("pgbench", pgbench), pgbench.ratio.toFixed(2)]])
  ])
  const skipped = reports.flatMap(({ pgbench }) =>
    pgbench !== undefined && "skipped" in pgbench ? [`Without pgbench: ${pgbench.skipped}.`] : []
  )
  return [
    formatMachine(first.machine),
    `Medians of ${first.rounds} rounds of ${first.seconds} s for each server, alternating; below the ratio its range over the rounds.`,
    "",
    ...align([head, ...lines], 3),
    ...reports.flatMap(formatAim),
    ...new Set(skipped)
  ].join("\n")
}
