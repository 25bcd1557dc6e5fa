import { randomBytes } from "node:crypto"
import { type ScenarioName, scenarios } from "../scenarios/catalogue.ts"
import { get } from "../scenarios/Scenario.ts"
import { type Answer, Connection } from "./Connection.ts"

/** Requests at a constant pace for some time. */
export interface Phase {
  readonly perSecond: number
  readonly seconds: number
}

/** What the load generator is asked to do: one phase after another without a pause. */
export interface Arrivals {
  readonly scenario: ScenarioName
  readonly ports: ReadonlyArray<number>
  readonly currency: string
  /** So many are open; a request that finds none free waits for one, and its time goes on. */
  readonly connections: number
  readonly phases: ReadonlyArray<Phase>
}

/** A request that has been answered. */
export interface Arrival {
  readonly phase: number
  /** When it was due, from the beginning of its phase. */
  readonly dueMillis: number
  /** From when it was due until its answer was there. */
  readonly millis: number
  /** 0 is a broken connection. */
  readonly status: number
}

/** What came of a phase. Rates are by the second in which requests were due. */
export interface PhaseResult {
  readonly offered: number
  readonly acceptedPerSecond: number
  readonly shedPerSecond: number
  /** How many were answered neither 200 nor 503, by status; 0 is a broken connection. */
  readonly unexpected: Readonly<Record<string, number>>
  readonly acceptedP50Millis: number
  readonly acceptedP99Millis: number
  readonly shedP50Millis: number
  readonly shedP99Millis: number
  /** When the first second began in which at most 1 % of the requests were in trouble; null where there was none. */
  readonly wellAfterMillis: number | null
}

const percentile = (sorted: ReadonlyArray<number>, part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

const countByStatus = (arrivals: ReadonlyArray<Arrival>) => {
  const counts: Record<string, number> = {}
  for (const { status } of arrivals) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Seconds are looked at from every tenth of one on. */
const stepMillis = 100
const troubledPartMax = 0.01

const wellAfter = (arrivals: ReadonlyArray<Arrival>, seconds: number, troubledMillis: number) => {
  for (let from = 0; from <= (seconds - 1) * 1_000; from += stepMillis) {
    const due = arrivals.filter(({ dueMillis }) => dueMillis >= from && dueMillis < from + 1_000)
    const troubled = due.filter(({ millis, status }) => status !== 200 || millis > troubledMillis)
    if (due.length > 0 && troubled.length <= due.length * troubledPartMax) return from
  }
  return null
}

/** A request is in trouble when it is refused, fails, or takes longer than `troubledMillis`. */
export const summarize = (
  arrivals: ReadonlyArray<Arrival>,
  phases: ReadonlyArray<Phase>,
  troubledMillis: number
): ReadonlyArray<PhaseResult> =>
  phases.map(({ seconds }, index) => {
    const all = arrivals.filter(({ phase }) => phase === index)
    const timesOf = (status: number) =>
      all
        .filter((arrival) => arrival.status === status)
        .map(({ millis }) => millis)
        .sort((one, other) => one - other)
    const [accepted, shed] = [timesOf(200), timesOf(503)]
    return {
      offered: all.length,
      acceptedPerSecond: accepted.length / seconds,
      shedPerSecond: shed.length / seconds,
      unexpected: countByStatus(all.filter(({ status }) => status !== 200 && status !== 503)),
      acceptedP50Millis: percentile(accepted, 0.5),
      acceptedP99Millis: percentile(accepted, 0.99),
      shedP50Millis: percentile(shed, 0.5),
      shedP99Millis: percentile(shed, 0.99),
      wellAfterMillis: wellAfter(all, seconds, troubledMillis)
    }
  })

/** Free connections, and those who wait for one, the longest first. A broken one is replaced. */
const makePool = async (ports: ReadonlyArray<number>, connections: number) => {
  // A server closes a connection on which nothing has come yet much sooner than one that has had its first answer.
  const open = async (index: number) => {
    const connection = await Connection.open(ports[index % ports.length] ?? 0)
    await new Promise<Answer>((resolve) => connection.send(get("/healthz", ""), resolve))
    return connection
  }
  const free = await Promise.all(Array.from({ length: connections }, (_, index) => open(index)))
  const waiting: Array<(connection: Connection) => void> = []
  const give = (connection: Connection) => {
    if (!connection.isOpen) {
      open(0).then(give, () => setTimeout(() => give(connection), 100))
      return
    }
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else next(connection)
  }
  return {
    take: (use: (connection: Connection) => void) => {
      const connection = free.pop()
      if (connection?.isOpen === true) return use(connection)
      waiting.push(use)
      // It was closed while nobody used it.
      if (connection !== undefined) give(connection)
    },
    give,
    close: () => {
      for (const connection of free) connection.close()
    }
  }
}

/**
 * Sends requests when they are due, whatever became of those before: nobody who comes to a shop waits for the answers of
 * others. A server that stalls is therefore seen with all the requests that it kept waiting.
 */
const runArrivals = async ({ connections, currency, phases, ports, scenario }: Arrivals) => {
  const pool = await makePool(ports, connections)
  return new Promise<ReadonlyArray<Arrival>>((resolve) => {
    const next = scenarios[scenario].subject({
      currency,
      token: `bench-${randomBytes(6).toString("hex")}`,
      payments: []
    })
    const arrivals: Array<Arrival> = []
    let [phase, sent, due] = [0, 0, 0]
    let begin = performance.now()

    const endIfAnswered = () => {
      if (phase < phases.length || arrivals.length < due) return
      pool.close()
      resolve(arrivals)
    }

    const ask = (own: number, dueMillis: number, dueAt: number) =>
      pool.take((connection) => {
        const answered = ({ status }: Answer) => {
          arrivals.push({ phase: own, dueMillis, millis: performance.now() - dueAt, status })
          pool.give(connection)
          endIfAnswered()
        }
        const request = next()
        if (request === undefined) answered({ status: 0, text: "" })
        else connection.send(request.text, answered)
      })

    const send = () => {
      const current = phases[phase]
      if (current === undefined) return endIfAnswered()
      const millis = performance.now() - begin
      const whole = Math.floor(current.perSecond * current.seconds)
      const until = Math.min(whole, Math.floor((millis / 1_000) * current.perSecond))
      for (; sent < until; sent++) {
        const dueMillis = (sent / current.perSecond) * 1_000
        due += 1
        ask(phase, dueMillis, begin + dueMillis)
      }
      if (sent === whole && millis >= current.seconds * 1_000) {
        begin += current.seconds * 1_000
        phase += 1
        sent = 0
      }
      setTimeout(send, 1)
    }
    send()
  })
}

/** The first phase is one without trouble: what takes clearly longer than in it is in trouble. */
export const arrive = async (order: Arrivals) => {
  const arrivals = await runArrivals(order)
  const usual = summarize(arrivals, order.phases, Number.POSITIVE_INFINITY)[0]?.acceptedP99Millis ?? 0
  return summarize(arrivals, order.phases, 2 * usual + 50)
}
