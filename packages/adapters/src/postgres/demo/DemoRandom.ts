/** Numbers that look like chance and are the same every time. */
export interface DemoRandom {
  /** From 0, below 1. */
  readonly next: () => number
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number
  /** One of them; there is at least one. */
  readonly one: <A>(choices: readonly [A, ...Array<A>]) => A
  /** True so often, of a hundred. */
  readonly chance: (percent: number) => boolean
}

/** The generator mulberry32 (T. Ettinger, 2017): 32 bits of state, integers alone, so that every engine agrees. */
export const makeDemoRandom = (seed: number): DemoRandom => {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    one: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    chance: (percent) => next() * 100 < percent
  }
}
