import { randomBytes } from "node:crypto"
import { createHistogram } from "node:perf_hooks"
import { type ScenarioName, scenarios } from "../scenarios/catalogue.ts"
import type { NextRequest, Side } from "../scenarios/Scenario.ts"
import { type Answer, Connection } from "./Connection.ts"

/** What the load generator is asked to do. */
export interface Window {
  readonly scenario: ScenarioName
  readonly side: Side
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly currency: string
}

/** What came of it. `unexpected` counts the answers that are not 200, by status; 0 is a broken connection. */
export interface Load {
  readonly requests: number
  readonly seconds: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly unexpected: Readonly<Record<string, number>>
  /** The first unexpected answer. */
  readonly example: string | undefined
  /** Part of one core that the generator itself used. Near 1 it measures itself. */
  readonly generatorCores: number
}

/** Longer than any time limit of the servers: what is not answered then never is. */
const answerTimeMax = 40_000
const nanosPerMilli = 1e6

const untilAnswered = (connections: ReadonlyArray<Connection>, next: NextRequest, seconds: number) =>
  new Promise<Omit<Load, "generatorCores">>((resolve, reject) => {
    const latencies = createHistogram({ figures: 3 })
    const unexpected: Record<string, number> = {}
    let example: string | undefined
    let requests = 0
    let busy = connections.length
    const begin = performance.now()
    const deadline = begin + seconds * 1000
    const watch = setTimeout(
      () => reject(new Error(`${busy} requests were not answered within ${answerTimeMax / 1000} seconds.`)),
      seconds * 1000 + answerTimeMax
    )
    const end = (now: number) => {
      clearTimeout(watch)
      const [p50Millis, p99Millis] = [50, 99].map((percent) => latencies.percentile(percent) / nanosPerMilli)
      resolve({
        requests,
        seconds: (now - begin) / 1000,
        p50Millis: p50Millis ?? 0,
        p99Millis: p99Millis ?? 0,
        unexpected,
        example
      })
    }
    const drive = (connection: Connection) => {
      let sent = 0
      const answered = ({ status, text }: Answer) => {
        const now = performance.now()
        requests++
        latencies.record(Math.max(1, Math.round((now - sent) * nanosPerMilli)))
        if (status !== 200) {
          unexpected[status] = (unexpected[status] ?? 0) + 1
          example ??= text
        }
        if (now < deadline && connection.isOpen) return ask()
        busy--
        if (busy === 0) end(now)
      }
      const ask = () => {
        const request = next()
        // The clock starts after the request is made: signing is the generator's work.
        sent = performance.now()
        connection.send(request, answered)
      }
      ask()
    }
    connections.forEach(drive)
  })

/**
 * Keeps every connection busy for some seconds. A request that was begun counts, with its time, also when its answer
 * comes after the end, so that a server cannot hide a stall behind the end of the window.
 */
export const runWindow = async (window: Window): Promise<Load> => {
  const token = `bench-${randomBytes(6).toString("hex")}`
  const next = scenarios[window.scenario][window.side]({ currency: window.currency, token })
  const connections = await Promise.all(Array.from({ length: window.connections }, () => Connection.open(window.port)))
  const before = process.cpuUsage()
  try {
    const load = await untilAnswered(connections, next, window.seconds)
    const { system, user } = process.cpuUsage(before)
    return { ...load, generatorCores: (system + user) / 1e6 / load.seconds }
  } finally {
    for (const connection of connections) connection.close()
  }
}
