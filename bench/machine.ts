import { arch, cpus, platform, release, totalmem } from "node:os"

/** Figures of two machines are not comparable, so a report names its own. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memory_gb: number
  readonly system: string
  readonly node: string
  readonly postgres: string
}

export const describeMachine = (postgres: string): Machine => {
  const cores = cpus()
  return {
    cpu: cores[0]?.model.trim() || `unknown ${arch()}`,
    cores: cores.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.versions.node,
    postgres
  }
}
