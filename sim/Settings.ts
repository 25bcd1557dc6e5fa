/** What a run is made from: two runs with the same settings are the same to the byte. */
export interface Settings {
  readonly seed: number
  /** How long the shops sell and things break, in minutes of the virtual clock. A quiet time follows. */
  readonly minutes: number
  /** The only orders that are placed, by their number; absent: all that the seed has. */
  readonly orders?: ReadonlyArray<number>
  /** The only disturbances that happen, by the names that the trace gives them; absent: all that the seed has. */
  readonly only?: ReadonlyArray<string>
}

/** The command that repeats a run. */
export const commandOf = ({ minutes, only, orders, seed }: Settings): string =>
  [
    `npm run sim -- --seed ${seed} --minutes ${minutes}`,
    ...(orders === undefined ? [] : [`--orders ${orders.join(",")}`]),
    ...(only === undefined ? [] : [`--only ${only.join(",") || "none"}`])
  ].join(" ")
