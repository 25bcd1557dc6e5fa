import { Context } from "effect"
import type { Simulator } from "./Simulator.ts"

/** The simulators that run in this process, by provider: none in live mode, nor where they are reached over HTTP. */
export class Simulators extends Context.Service<Simulators, ReadonlyMap<string, Simulator>>()(
  "@sarraf/adapters/providers/Simulators"
) {}
