import { type Draw, drawsOf } from "./Draw.ts"
import type { Options } from "./options.ts"

/**
 * What is broken: a server process killed, or stopped for a while as a machine without time for it does; PostgreSQL
 * killed and kept down for a while, or its connections cut, or its disk filled; the simulators' process stopped.
 */
export type Fault =
  | { readonly kind: "killServer"; readonly server: number; readonly downMillis: number }
  | { readonly kind: "stopServer"; readonly server: number; readonly forMillis: number }
  | { readonly kind: "killDatabase"; readonly downMillis: number }
  | { readonly kind: "cutConnections" }
  | { readonly kind: "fillDisk"; readonly forMillis: number }
  | { readonly kind: "stopSimulators"; readonly forMillis: number }
export type FaultKind = Fault["kind"]

/** A fault and when it strikes, in milliseconds from the first request on. */
export interface Strike {
  readonly at: number
  readonly fault: Fault
}

type Plan = Pick<Options, "kills" | "payMillis" | "processes" | "seed" | "short" | "simulators">

/** How often each is drawn. */
const weights: Readonly<Record<FaultKind, number>> = {
  killServer: 8,
  killDatabase: 5,
  stopServer: 3,
  cutConnections: 4,
  fillDisk: 2,
  stopSimulators: 4
}

const faultOf = (kind: FaultKind, draw: Draw, { processes, short }: Plan): Fault => {
  const server = draw.whole(0, processes - 1)
  switch (kind) {
    case "killServer":
      return { kind, server, downMillis: draw.oneOf([0, 0, 500, short ? 1_000 : 8_000]) }
    case "stopServer":
      return { kind, server, forMillis: draw.whole(500, short ? 2_000 : 15_000) }
    case "killDatabase":
      return { kind, downMillis: draw.oneOf([0, 0, 1_000, short ? 1_500 : 20_000]) }
    case "cutConnections":
      return { kind }
    case "fillDisk":
      return { kind, forMillis: draw.whole(1_000, short ? 1_500 : 6_000) }
    case "stopSimulators":
      return { kind, forMillis: draw.whole(1_000, short ? 4_000 : 40_000) }
  }
}

/** No run is without these. */
const firstKinds = ({ simulators }: Plan): ReadonlyArray<FaultKind> =>
  simulators === "outside" ? ["killServer", "killDatabase", "stopSimulators"] : ["killServer", "killDatabase"]

/**
 * Every fault of a run, in their order: first a killed server and a killed database, and simulators that hang where they
 * can; then as drawn. The moments are drawn around even distances.
 */
export const scheduleOf = (plan: Plan): ReadonlyArray<Strike> => {
  const draw = drawsOf(plan.seed, "faults")
  const inside = { ...weights, stopSimulators: 0 }
  const distance = plan.payMillis / plan.kills
  return Array.from({ length: plan.kills }, (_, index) => {
    const drawn = draw.weighted(plan.simulators === "outside" ? weights : inside)
    const kind = firstKinds(plan)[index] ?? drawn
    const at = Math.round(distance * (index + draw.whole(20, 80) / 100))
    return { at, fault: faultOf(kind, draw, plan) }
  })
}

/** The fault in a few words. */
export const describe = (fault: Fault): string => {
  switch (fault.kind) {
    case "killServer":
      return `server ${fault.server} killed, started again after ${fault.downMillis} ms`
    case "stopServer":
      return `server ${fault.server} stopped for ${fault.forMillis} ms`
    case "killDatabase":
      return `PostgreSQL killed and kept down for ${fault.downMillis} ms`
    case "cutConnections":
      return "connections to PostgreSQL cut"
    case "fillDisk":
      return `disk full for ${fault.forMillis} ms`
    case "stopSimulators":
      return `simulators stopped for ${fault.forMillis} ms`
  }
}
