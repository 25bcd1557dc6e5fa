import { availableParallelism } from "node:os"
import { parentPort, Worker, workerData } from "node:worker_threads"
import { Schema } from "effect"
import { simulate } from "./Simulation.ts"

/** Seeds of which this worker runs every so manieth. */
const Share = Schema.Struct({ first: Schema.Int, last: Schema.Int, step: Schema.Int, minutes: Schema.Int })

/** What one seed came to. */
const Counted = Schema.Struct({
  seed: Schema.Int,
  payments: Schema.Int,
  disturbances: Schema.Int,
  broken: Schema.NullOr(Schema.String)
})
export type Counted = typeof Counted.Type

const isShare = Schema.is(Share)
const isCounted = Schema.is(Counted)

const countOf = (seed: number, minutes: number): Counted => {
  const { broken = null, disturbances, payments } = simulate({ seed, minutes })
  return { seed, payments, disturbances: disturbances.length, broken }
}

if (parentPort !== null && isShare(workerData)) {
  const { first, last, minutes, step } = workerData
  for (let seed = first; seed <= last; seed += step) parentPort.postMessage(countOf(seed, minutes))
}

/** Runs many seeds, on all processors. Seeds have nothing to do with each other, and each is a run of its own. */
export const runSeeds = async (
  { first, last, minutes }: { readonly first: number; readonly last: number; readonly minutes: number },
  count: (counted: Counted) => void
): Promise<void> => {
  const workers = Math.min(availableParallelism(), last - first + 1)
  const runShare = (offset: number) =>
    new Promise<void>((resolve, reject) => {
      const share = { first: first + offset, last, step: workers, minutes }
      const worker = new Worker(new URL(import.meta.url), { workerData: share })
      worker.on("message", (message) => isCounted(message) && count(message))
      worker.on("error", reject)
      worker.on("exit", () => resolve())
    })
  await Promise.all(Array.from({ length: workers }, (_, offset) => runShare(offset)))
}
