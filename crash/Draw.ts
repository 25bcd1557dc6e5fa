import { createHash } from "node:crypto"

/** Draws that follow from a name alone: the same name, the same draws, whatever else is drawn meanwhile. */
export interface Draw {
  /** A whole number from `least` to `most`, both included. */
  readonly whole: (least: number, most: number) => number
  /** True in so many of a hundred cases. */
  readonly chance: (percent: number) => boolean
  readonly oneOf: <A>(items: readonly [A, ...ReadonlyArray<A>]) => A
  /** One of the names, as often as its weight says. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
}

const range = 2 ** 32

/** A stream of 32-bit numbers: sfc32 of PractRand, which is small and passes its tests. */
const stream = (name: string): (() => number) => {
  const digest = createHash("sha256").update(name).digest()
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number]
  return () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
}

/** The draws of one part of a run: `drawsOf(42, "client 3")`. */
export const drawsOf = (seed: number, part: string): Draw => {
  const next = stream(`${seed} ${part}`)
  const below = (count: number) => Math.floor((next() / range) * count)
  return {
    whole: (least, most) => least + below(most - least + 1),
    chance: (percent) => below(100) < percent,
    oneOf: (items) => items[below(items.length)] ?? items[0],
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>): Name => {
      const entries = Object.entries<number>(weights) as Array<[Name, number]>
      let left = below(entries.reduce((sum, [, weight]) => sum + weight, 0))
      for (const [name, weight] of entries) {
        if (left < weight) return name
        left -= weight
      }
      throw new RangeError("no name has a weight")
    }
  }
}
