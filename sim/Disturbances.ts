import { type Draw, drawsOf } from "../crash/Draw.ts"
import type { Settings } from "./Settings.ts"

/** Something that goes wrong at one place, and the name by which a run can be told to leave out all others. */
export interface Disturbance<Kind> {
  /** `wire.order-3.2`: what may go wrong, for whom, and the how manieth chance it was. */
  readonly name: string
  readonly kind: Kind
}

/** All that goes wrong in a run. */
export interface Disturbances {
  /**
   * Whether something goes wrong now, and what. Each chance of a place has draws of its own, so that what happens at one
   * place changes no draw of another, and a run with fewer orders or disturbances is still like the one it came from.
   */
  readonly at: <Kind>(place: string, perThousand: number, choose: (draw: Draw) => Kind) => Disturbance<Kind> | undefined
  /** From now on nothing goes wrong any more. */
  readonly end: () => void
  /** The names of all that has happened so far. */
  readonly happened: ReadonlyArray<string>
}

export const make = ({ only, seed }: Settings): Disturbances => {
  const chances = new Map<string, number>()
  const happened: Array<string> = []
  const chosen = only === undefined ? undefined : new Set(only)
  let isOver = false
  return {
    at: (place, perThousand, choose) => {
      if (isOver) return undefined
      const count = (chances.get(place) ?? 0) + 1
      chances.set(place, count)
      const name = `${place}.${count}`
      if (chosen?.has(name) === false) return undefined
      const draw = drawsOf(seed, name)
      if (draw.whole(1, 1_000) > perThousand) return undefined
      happened.push(name)
      return { name, kind: choose(draw) }
    },
    end: () => {
      isOver = true
    },
    happened
  }
}
