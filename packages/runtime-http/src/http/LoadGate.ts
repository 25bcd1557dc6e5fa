/**
 * How long a request may take from its arrival to its answer, on average, while more come than can be served. Buyers
 * rather wait a second for their payment than see it refused; their clients give up after some.
 */
const stayMillis = 1_000
/** So many may always be under way: fewer would leave the database without groups of rows to write at once. */
const placesMin = 256
/** A part of the time. Above it the event loop has no time left for more; a quick machine under healthy load stays below. */
const utilizationMax = 0.9
/** A statement takes a few milliseconds; one that takes this long has waited for others. */
const statementMillisMax = 100
/** A burst, a collection of garbage or a slow start ends before this; what lasts longer is more than can be served. */
const patienceMillis = 300
/** The pace of answers is an average over about this time. */
const paceMillis = 1_000
/** Reads move no money and are quick: they are refused only when refusing all writes was not enough. */
const readsFactor = 2

/** What has been measured since the last observation. */
export interface Observation {
  readonly elapsedMillis: number
  /** The part of it in which the event loop was busy, 0 … 1. */
  readonly utilization: number
  /** How long statements had to wait. */
  readonly statementMillis: number
  /** How many requests were answered with what they asked for. */
  readonly answered: number
}

export type RequestKind = "write" | "read"

/**
 * Decides whether one more request can be served in time. By Little's law requests stay, on average, as long as their
 * number divided by the pace of answers: the gate lets in as many as stay for a second at the present pace. It does
 * so only while the process or its database has had no time to spare for a while. While there is time a large number
 * under way says nothing but that somebody else is slow.
 */
export const makeLoadGate = () => {
  let pace = 0
  let strainedMillis = 0
  /** How many may be under way. */
  const placesMax = () => Math.max(placesMin, (pace * stayMillis) / 1_000)
  return {
    observe: ({ answered, elapsedMillis, statementMillis, utilization }: Observation) => {
      const weight = 1 - Math.exp(-elapsedMillis / paceMillis)
      pace += ((answered * 1_000) / elapsedMillis - pace) * weight
      const isStrained = utilization >= utilizationMax || statementMillis >= statementMillisMax
      // Refusing gives a little time back, so that one quiet moment does not open the gate again.
      strainedMillis = isStrained
        ? Math.min(strainedMillis + elapsedMillis, 2 * patienceMillis)
        : Math.max(strainedMillis - elapsedMillis, 0)
    },
    /** `underWay`: how many requests the process is working at. */
    refuses: (kind: RequestKind, underWay: number): boolean =>
      strainedMillis >= patienceMillis && underWay >= placesMax() * (kind === "read" ? readsFactor : 1)
  }
}
