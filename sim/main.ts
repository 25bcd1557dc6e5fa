import { readOptions } from "./options.ts"
import { commandOf, type Settings } from "./Settings.ts"
import { type Run, simulate } from "./Simulation.ts"
import { runSeeds } from "./seeds.ts"
import { shortest } from "./shrink.ts"

const say = (text: string) => console.log(text)

/** A run that broke something: the shortest like it, and how to see it again. */
const tell = (first: Run): void => {
  say(`Seed ${first.settings.seed} broke an invariant: ${first.broken}`)
  const run = shortest(first)
  say(`\nThe shortest trace found, of ${run.trace.length} lines:\n\n${run.trace.join("\n")}`)
  say(`\n${run.broken}\n\nAgain, as first: ${commandOf(first.settings)} --trace`)
  say(`Again, shortest: ${commandOf(run.settings)} --trace`)
}

const runOne = (settings: Settings, isShown: boolean): boolean => {
  const run = simulate(settings)
  if (run.broken !== undefined && !isShown) tell(run)
  else {
    if (isShown) say(run.trace.join("\n"))
    const state = run.broken === undefined ? "nothing is broken" : `broken: ${run.broken}`
    say(`Seed ${settings.seed}: ${run.payments} payments, ${run.disturbances.length} disturbances, ${state}.`)
  }
  return run.broken === undefined
}

const runMany = async ({ minutes, seed }: Settings, seeds: number): Promise<boolean> => {
  const startedAt = performance.now()
  const broken: Array<number> = []
  let [payments, disturbances] = [0, 0]
  await runSeeds({ first: seed, last: seed + seeds - 1, minutes }, (counted) => {
    payments += counted.payments
    disturbances += counted.disturbances
    if (counted.broken === null) return
    broken.push(counted.seed)
    say(`Seed ${counted.seed} broke an invariant: ${counted.broken}`)
  })
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  say(`${seeds} seeds of ${minutes} minutes in ${seconds} s: ${payments} payments, ${disturbances} disturbances.`)
  const [first] = broken.toSorted((a, b) => a - b)
  if (first === undefined) say("Nothing is broken.")
  else tell(simulate({ seed: first, minutes }))
  return first === undefined
}

try {
  const { seeds, settings, trace } = readOptions(process.argv.slice(2))
  const isSound = seeds === 1 ? runOne(settings, trace) : await runMany(settings, seeds)
  process.exitCode = isSound ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
