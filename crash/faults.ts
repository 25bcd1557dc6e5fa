import { setTimeout as pause } from "node:timers/promises"
import type { Database } from "./Database.ts"
import type { Door } from "./Door.ts"
import type { Program } from "./Program.ts"
import { describe, type Fault, type FaultKind, type Strike } from "./schedule.ts"

/** The simulators in a process of their own, and the door that servers reach them by. */
export interface Outside {
  readonly program: Program
  readonly door: Door
  readonly port: number
}

/** What can be broken. */
export interface Targets {
  readonly database: Database
  readonly servers: ReadonlyArray<Program>
  /** Undefined where they run inside the servers. */
  readonly simulators: Outside | undefined
  /** Before the servers. */
  readonly door: Door
}

/** When PostgreSQL was gone or without a disk, in milliseconds since 1970. */
export interface Outage {
  readonly from: number
  readonly to: number
}

export interface Done {
  readonly counts: Map<FaultKind, number>
  /** Starts of a server after the first. */
  restarts: number
  readonly outages: Array<Outage>
  /** Faults that this machine does not allow, and why. */
  readonly skipped: Array<string>
}

/** A server that finds no database does not start: its operator tries again. */
const startTries = 60
const retryMillis = 1_000

/** Starts a server, again where it found no database, and lets requests in. */
export const startServer = async ({ door, servers }: Targets, index: number): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      const port = await servers[index]?.start()
      if (port !== undefined) door.open(index, port)
      return
    } catch (error) {
      if (tries >= startTries) throw error
      await pause(retryMillis)
    }
  }
}

const duringOutage = async (done: Done, act: () => Promise<void>): Promise<void> => {
  const from = Date.now()
  await act()
  done.outages.push({ from, to: Date.now() })
}

const strike = async (targets: Targets, fault: Fault, done: Done): Promise<void> => {
  const { database, door, servers, simulators } = targets
  switch (fault.kind) {
    case "killServer":
      await servers[fault.server]?.signal("SIGKILL")
      door.shut(fault.server)
      await pause(fault.downMillis)
      await startServer(targets, fault.server)
      done.restarts += 1
      return
    case "stopServer":
      await servers[fault.server]?.signal("SIGSTOP")
      await pause(fault.forMillis)
      return servers[fault.server]?.signal("SIGCONT")
    case "jumpClock":
      servers[fault.server]?.setClock(fault.byMillis)
      await pause(fault.forMillis)
      return servers[fault.server]?.setClock(0)
    case "cutClients":
      return door.cut()
    case "killDatabase":
      return duringOutage(done, () => database.kill(fault.downMillis))
    case "cutConnections":
      return database.cut().catch(() => undefined)
    case "fillDisk":
      return duringOutage(done, () => database.fill(fault.forMillis))
    case "stopSimulators":
      await simulators?.program.signal("SIGSTOP")
      await pause(fault.forMillis)
      return simulators?.program.signal("SIGCONT")
    case "failSimulators":
      simulators?.door.shut(0)
      simulators?.door.cut()
      await pause(fault.forMillis)
      return simulators?.door.open(0, simulators.port)
  }
}

/** What is broken by it: one fault at a time. */
const subjectOf = (fault: Fault): string => {
  if ("server" in fault) return `server ${fault.server}`
  switch (fault.kind) {
    case "cutClients":
      return "clients"
    case "stopSimulators":
    case "failSimulators":
      return "simulators"
    default:
      return "database"
  }
}

/**
 * Carries the schedule out: each fault at its moment, or once the one before on the same process has ended. Resolves
 * when everything that was broken runs again.
 */
export const carryOut = async (
  targets: Targets,
  schedule: ReadonlyArray<Strike>,
  from: number,
  say: (line: string) => void
): Promise<Done> => {
  const done: Done = { counts: new Map(), restarts: 0, outages: [], skipped: [] }
  const busy = new Map<string, Promise<void>>()
  for (const { at, fault } of schedule) {
    await pause(Math.max(from + at - Date.now(), 0))
    if (fault.kind === "fillDisk" && targets.database.noDisk !== undefined) {
      done.skipped.push(`${describe(fault)}: no small disk could be mounted (${targets.database.noDisk})`)
      continue
    }
    const subject = subjectOf(fault)
    const struck = (busy.get(subject) ?? Promise.resolve()).then(() => {
      say(describe(fault))
      done.counts.set(fault.kind, (done.counts.get(fault.kind) ?? 0) + 1)
      return strike(targets, fault, done)
    })
    // It is told at the end.
    struck.catch(() => undefined)
    busy.set(subject, struck)
  }
  await Promise.all(busy.values())
  return done
}
