import { randomBytes } from "node:crypto"
import { createHistogram } from "node:perf_hooks"
import { type ScenarioName, scenarios } from "../scenarios/catalogue.ts"
import { type NextRequest, paymentOf, type Side } from "../scenarios/Scenario.ts"
import { type Answer, Connection } from "./Connection.ts"

/** What the load generator is asked to do. */
export interface Window {
  readonly scenario: ScenarioName
  readonly side: Side
  /** Where to; several are servers of the same kind, which get the connections in turn. */
  readonly ports: ReadonlyArray<number>
  readonly connections: number
  readonly seconds: number
  readonly currency: string
  /** Payments that the scenario is about, where they were not made by `prepare`. */
  readonly payments?: ReadonlyArray<string>
  /** Of the page that the scenario asks for, where that is not the first. */
  readonly cursor?: string
}

/** What came of it. `unexpected` counts the answers that are neither 200 nor 201, by status; 0 is a broken connection. */
export interface Load {
  readonly requests: number
  readonly seconds: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Medians of the requests that were begun in the middle and in the last third: a queue that grows shows here. */
  readonly p50MillisMiddle: number
  readonly p50MillisLast: number
  readonly unexpected: Readonly<Record<string, number>>
  /** The first unexpected answer. */
  readonly example: string | undefined
  /** Part of one core that the generator itself used. Near 1 it measures itself. */
  readonly generatorCores: number
}

/** Longer than any time limit of the servers: what is not answered then never is. */
const answerTimeMax = 40_000
const nanosPerMilli = 1e6
/** More payments than a window can use are made before it. */
const stockRate = 1.5
/** How many connections make them, whatever is measured. */
const stockConnections = 32
/** More connections than this begin one after another: all in one instant would be a burst that no server works off. */
const atOnceMax = 512
const beginMillis = 2
/** So long may making a given number of them take. */
const stockSecondsMax = 60

/** Times of answers, all and by the third of the window in which their request was begun. */
const makeLatencies = (begin: number, seconds: number) => {
  const all = createHistogram({ figures: 3 })
  const thirds = [createHistogram({ figures: 3 }), createHistogram({ figures: 3 }), createHistogram({ figures: 3 })]
  const millis = (histogram: typeof all | undefined, percent: number) =>
    histogram === undefined || histogram.count === 0 ? 0 : histogram.percentile(percent) / nanosPerMilli
  return {
    record: (sent: number, now: number) => {
      const nanos = Math.max(1, Math.round((now - sent) * nanosPerMilli))
      all.record(nanos)
      thirds[Math.min(2, Math.floor(((sent - begin) / (seconds * 1000)) * 3))]?.record(nanos)
    },
    summary: () => ({
      p50Millis: millis(all, 50),
      p99Millis: millis(all, 99),
      p50MillisMiddle: millis(thirds[1], 50),
      p50MillisLast: millis(thirds[2], 50)
    })
  }
}

const untilAnswered = (connections: ReadonlyArray<Connection>, next: NextRequest, seconds: number) =>
  new Promise<Omit<Load, "generatorCores">>((resolve, reject) => {
    const begin = performance.now()
    const latencies = makeLatencies(begin, seconds)
    const unexpected: Record<string, number> = {}
    let example: string | undefined
    let requests = 0
    let busy = connections.length
    const deadline = begin + seconds * 1000
    const watch = setTimeout(
      () => reject(new Error(`${busy} requests were not answered within ${answerTimeMax / 1000} seconds.`)),
      seconds * 1000 + answerTimeMax
    )
    const end = () => {
      busy--
      if (busy > 0) return
      clearTimeout(watch)
      resolve({ requests, seconds: (performance.now() - begin) / 1000, ...latencies.summary(), unexpected, example })
    }
    const drive = (connection: Connection) => {
      let sent = 0
      let learn: ((body: string) => void) | undefined
      const answered = ({ status, text }: Answer) => {
        const now = performance.now()
        requests++
        latencies.record(sent, now)
        if (status === 200 || status === 201) learn?.(text)
        else {
          unexpected[status] = (unexpected[status] ?? 0) + 1
          example ??= text
        }
        if (now < deadline && connection.isOpen) return ask()
        end()
      }
      const ask = () => {
        const request = next()
        if (request === undefined) return end()
        learn = request.answered
        // The clock starts after the request is made: signing is the generator's work.
        sent = performance.now()
        connection.send(request.text, answered, learn !== undefined)
      }
      ask()
    }
    connections.forEach((connection, index) => {
      if (connections.length <= atOnceMax) drive(connection)
      else setTimeout(drive, index * beginMillis, connection)
    })
  })

const drive = async (window: Pick<Window, "ports" | "connections" | "seconds">, next: NextRequest): Promise<Load> => {
  const { connections: count, ports, seconds } = window
  const connections = await Promise.all(
    Array.from({ length: count }, (_, index) => Connection.open(ports[index % ports.length] ?? 0))
  )
  const before = process.cpuUsage()
  try {
    const load = await untilAnswered(connections, next, seconds)
    const { system, user } = process.cpuUsage(before)
    return { ...load, generatorCores: (system + user) / 1e6 / load.seconds }
  } finally {
    for (const connection of connections) connection.close()
  }
}

const newToken = () => `bench-${randomBytes(6).toString("hex")}`

const requireMade = ({ example, unexpected }: Load, step: string) => {
  const statuses = Object.keys(unexpected).join(", ")
  if (statuses !== "")
    throw new Error(`What the window needs could not be made: ${step} was answered ${statuses}: ${example}`)
}

/** Makes the payments that a scenario is about, and gives their identifiers. Nothing of it is measured. */
export const prepare = async (window: Window): Promise<ReadonlyArray<string>> => {
  const { currency, ports, side } = window
  const { stock } = scenarios[window.scenario]
  let payments = window.payments ?? []
  if (stock === undefined || window.payments !== undefined) return payments
  for (const step of stock.steps) {
    const made: Array<string> = []
    const next = scenarios[step][side]({ currency, token: newToken(), payments })
    let left = stock.payments ?? Number.POSITIVE_INFINITY
    const asked: NextRequest = () => {
      const request = left-- > 0 ? next() : undefined
      return request === undefined
        ? undefined
        : { text: request.text, answered: (body) => made.push(paymentOf(body) ?? "") }
    }
    const seconds = stock.payments === undefined ? window.seconds * stockRate : stockSecondsMax
    requireMade(await drive({ ports, seconds, connections: stockConnections }, asked), step)
    payments = made
  }
  return payments
}

/**
 * Keeps every connection busy for some seconds. A request that was begun counts, with its time, also when its answer
 * comes after the end, so that a server cannot hide a stall behind the end of the window.
 */
export const runWindow = (window: Window): Promise<Load> => {
  const { currency, cursor, payments = [], scenario, side } = window
  return drive(window, scenarios[scenario][side]({ currency, token: newToken(), payments, cursor }))
}
