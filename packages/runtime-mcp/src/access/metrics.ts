import { Effect, Metric } from "effect"
import type { Call, Judgement } from "../protocol/Conduct.ts"

/** `failed`: a fault of the service. `cancelled`: the client went away. */
export type Outcome = Judgement | "failed" | "timed_out" | "cancelled"

interface Counted {
  readonly method: Call<unknown>["method"]
  readonly name: string
  readonly outcome: Outcome
  readonly millis: number
}

/** Seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Tools and prompts have the catalogue's names; addresses of resources hold ids, and would be series without end. */
const labelsOf = ({ method, name, outcome }: Counted) => ({
  method,
  ...(method === "tools/call" || method === "prompts/get" ? { name } : {}),
  outcome
})

const makeSeries = (attributes: Readonly<Record<string, string>>) => ({
  count: Metric.counter("assistant_calls_total", {
    description: "Calls of assistants, by method, name in the catalogue and outcome.",
    attributes,
    incremental: true
  }),
  seconds: Metric.histogram("assistant_call_duration_seconds", {
    description: "Time that a call of an assistant took, in seconds.",
    attributes,
    boundaries
  })
})

const seriesByLabels = new Map<string, ReturnType<typeof makeSeries>>()

/** Counts a call. No label names an organization, and the number of labels is bounded. */
export const countCall = (call: Counted): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    const labels = labelsOf(call)
    const key = Object.values(labels).join(" ")
    const series = seriesByLabels.get(key) ?? makeSeries(labels)
    seriesByLabels.set(key, series)
    series.count.updateUnsafe(1, context)
    series.seconds.updateUnsafe(call.millis / 1000, context)
    return Effect.void
  })
