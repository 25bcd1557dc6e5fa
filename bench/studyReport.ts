import type { Machine } from "./machine.ts"
import { align, formatMachine, median, type Sample } from "./report.ts"

/** Null is what the system does not tell. */
export type Figure = number | string | null

/** What a figure was to be, and whether it is. */
export interface Aim {
  readonly what: string
  readonly value: number | null
  /** The value that it must not be above. */
  readonly at_most: number
  readonly reached: boolean
}

/** What a study has found: a record for each line of the table, all with the same names. */
export interface Findings {
  readonly figures: ReadonlyArray<Readonly<Record<string, Figure>>>
  readonly aims: ReadonlyArray<Aim>
  /** How it was measured, a sentence each. */
  readonly notes: ReadonlyArray<string>
  readonly machine: Machine
}

export interface StudyReport extends Findings {
  readonly scenario: string
  readonly rounds: number
  readonly seconds: number
}

/** What is not known reaches no aim. */
export const aimAtMost = (what: string, value: number | null, limit: number): Aim => ({
  what,
  value,
  at_most: limit,
  reached: value !== null && value <= limit
})

/** Rounded, for a table and for JSON alike; null for what is not known. */
export const figure = (value: number | undefined, digits: number): number | null =>
  value === undefined || Number.isNaN(value) ? null : Number(value.toFixed(digits))

/** The median of what is known, undefined where nothing is. */
export const medianKnown = (values: ReadonlyArray<number | undefined>): number | undefined => {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : median(known)
}

/** The columns that every window of load has. */
export const windowFigures = (samples: ReadonlyArray<Sample>) => ({
  rps: figure(medianKnown(samples.map(({ rps }) => rps)), 1),
  p50_ms: figure(medianKnown(samples.map(({ p50Millis }) => p50Millis)), 2),
  p99_ms: figure(medianKnown(samples.map(({ p99Millis }) => p99Millis)), 2),
  cpu_us: figure(medianKnown(samples.map(({ cpuMicros }) => cpuMicros)), 0)
})

const cell = (value: Figure | undefined) => (value === null || value === undefined ? "-" : String(value))

const formatAim = ({ at_most, reached, value, what }: Aim) =>
  `${what}: ${cell(value)}, the aim of at most ${at_most} is ${reached ? "reached" : "missed"}.`

/** A table for the terminal, with the names of the JSON as its heads. */
export const formatStudy = ({ aims, figures, machine, notes, rounds, scenario, seconds }: StudyReport) => {
  const heads = Object.keys(figures[0] ?? {})
  const texts = heads.filter((head) => typeof figures[0]?.[head] === "string").length
  return [
    formatMachine(machine),
    `${scenario}: medians of ${rounds} rounds, windows of ${seconds} s.`,
    ...notes,
    "",
    ...align([heads, ...figures.map((line) => heads.map((head) => cell(line[head])))], texts),
    ...(aims.length === 0 ? [] : ["", ...aims.map(formatAim)])
  ].join("\n")
}
