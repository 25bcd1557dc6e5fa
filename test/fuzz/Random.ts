/** Chances that a seed decides: the same seed and index give the same ones, whatever happens meanwhile. */
export interface Random {
  /** 0 … 1, without 1. */
  readonly unit: () => number
  /** 0 … `count` - 1. */
  readonly below: (count: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(list: readonly [A, ...Array<A>]) => A
}

/** mulberry32, begun at a mix of both numbers. */
export const makeRandom = (seed: number, index: number): Random => {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) | 0
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(unit() * count)
  return {
    unit,
    below,
    chance: (probability) => unit() < probability,
    pick: (list) => list[below(list.length)] ?? list[0]
  }
}
