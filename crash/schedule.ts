import { type Draw, drawsOf } from "./Draw.ts"
import type { Options } from "./options.ts"

/**
 * What is broken: a server process killed, or stopped for a while as a machine without time for it does, or its clock
 * set; the clients' connections cut; PostgreSQL killed and kept down for a while, or its connections cut, or its disk
 * filled; the simulators' process stopped, or out of reach.
 */
export type Fault =
  | { readonly kind: "killServer"; readonly server: number; readonly downMillis: number }
  | { readonly kind: "stopServer"; readonly server: number; readonly forMillis: number }
  | { readonly kind: "jumpClock"; readonly server: number; readonly byMillis: number; readonly forMillis: number }
  | { readonly kind: "cutClients" }
  | { readonly kind: "killDatabase"; readonly downMillis: number }
  | { readonly kind: "cutConnections" }
  | { readonly kind: "fillDisk"; readonly forMillis: number }
  | { readonly kind: "stopSimulators"; readonly forMillis: number }
  | { readonly kind: "failSimulators"; readonly forMillis: number }
export type FaultKind = Fault["kind"]

/** A fault and when it strikes, in milliseconds from the first request on. */
export interface Strike {
  readonly at: number
  readonly fault: Fault
}

type Plan = Pick<Options, "kills" | "payMillis" | "processes" | "seed" | "short" | "simulators">

/** How often each is drawn, beside the servers that are killed. */
const weights: Readonly<Record<Exclude<FaultKind, "killServer">, number>> = {
  killDatabase: 5,
  stopServer: 3,
  jumpClock: 3,
  cutClients: 2,
  cutConnections: 4,
  fillDisk: 3,
  stopSimulators: 3,
  failSimulators: 2
}

/**
 * A clock is at most so far ahead or behind, in milliseconds. Two servers then differ by less than the distance between
 * the latest arrival of a request (35 s) and the earliest proof that it never arrived (60 s).
 */
const jumpMillisMax = 10_000

const faultOf = (kind: FaultKind, draw: Draw, { processes, short }: Plan): Fault => {
  const server = draw.whole(0, processes - 1)
  switch (kind) {
    case "killServer":
      return { kind, server, downMillis: draw.oneOf([0, 0, 500, short ? 1_000 : 8_000]) }
    case "stopServer":
      return { kind, server, forMillis: draw.whole(500, short ? 2_000 : 15_000) }
    case "jumpClock": {
      const byMillis = draw.whole(1_000, jumpMillisMax) * (draw.chance(50) ? 1 : -1)
      return { kind, server, byMillis, forMillis: draw.whole(1_000, short ? 2_500 : 10_000) }
    }
    case "killDatabase":
      return { kind, downMillis: draw.oneOf([0, 0, 1_000, short ? 1_500 : 20_000]) }
    case "cutClients":
    case "cutConnections":
      return { kind }
    case "fillDisk":
      return { kind, forMillis: draw.whole(1_000, short ? 1_500 : 6_000) }
    case "stopSimulators":
    case "failSimulators":
      return { kind, forMillis: draw.whole(1_000, short ? 4_000 : 40_000) }
  }
}

/** No run is without these, beside the servers that are killed. */
const firstKinds = ({ simulators }: Plan): ReadonlyArray<FaultKind> =>
  simulators === "outside" ? ["killDatabase", "stopSimulators"] : ["killDatabase"]

/**
 * Every fault of a run, in their order: as many servers killed as were asked for, and after each kill one other fault.
 * The moments are drawn around even distances.
 */
export const scheduleOf = (plan: Plan): ReadonlyArray<Strike> => {
  const draw = drawsOf(plan.seed, "faults")
  const inside = { ...weights, stopSimulators: 0, failSimulators: 0 }
  const distance = plan.payMillis / plan.kills
  return Array.from({ length: plan.kills }, (_, index): ReadonlyArray<Strike> => {
    const drawn = draw.weighted(plan.simulators === "outside" ? weights : inside)
    const other = firstKinds(plan)[index] ?? drawn
    const momentOf = (least: number, most: number) => Math.round(distance * (index + draw.whole(least, most) / 100))
    return [
      { at: momentOf(5, 45), fault: faultOf("killServer", draw, plan) },
      { at: momentOf(50, 90), fault: faultOf(other, draw, plan) }
    ]
  }).flat()
}

/** The fault in a few words. */
export const describe = (fault: Fault): string => {
  switch (fault.kind) {
    case "killServer":
      return `server ${fault.server} killed, started again after ${fault.downMillis} ms`
    case "stopServer":
      return `server ${fault.server} stopped for ${fault.forMillis} ms`
    case "jumpClock":
      return `clock of server ${fault.server} set by ${fault.byMillis} ms for ${fault.forMillis} ms`
    case "cutClients":
      return "connections of clients cut"
    case "killDatabase":
      return `PostgreSQL killed and kept down for ${fault.downMillis} ms`
    case "cutConnections":
      return "connections to PostgreSQL cut"
    case "fillDisk":
      return `disk full for ${fault.forMillis} ms`
    case "stopSimulators":
      return `simulators stopped for ${fault.forMillis} ms`
    case "failSimulators":
      return `simulators out of reach for ${fault.forMillis} ms`
  }
}
