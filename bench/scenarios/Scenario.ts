/** What a run asks of a scenario, beside which server is called. */
export interface Run {
  readonly currency: string
  /** Unique to a window of load, so that no two of its references meet those of another. */
  readonly token: string
  /** Payments that are there already and that the scenario is about, by their identifiers. */
  readonly payments: ReadonlyArray<string>
  /** Where the page of a list begins that is asked for; undefined: at the first. */
  readonly cursor?: string | undefined
}

/** One request. `answered` is given the body of a 200, where the scenario has to know what came of it. */
export interface Asked {
  /** As it goes over the wire. Requests are Latin-1, so one character is one byte. */
  readonly text: string
  readonly answered?: (body: string) => void
}

/** Gives the next request; undefined when the payments that it is about are used up, which ends the window. */
export type NextRequest = () => Asked | undefined

/** What has to be there before a window: payments that were authorized, or captured too. */
export interface Stock {
  readonly steps: ReadonlyArray<"authorize" | "capture">
  /** How many; undefined: as many as can be made in one and a half times the window. */
  readonly payments: number | undefined
}

/** The same work asked of both servers, each in its own words. */
export interface Scenario {
  readonly stock: Stock | undefined
  readonly subject: (run: Run) => NextRequest
  readonly baseline: (run: Run) => NextRequest
}

export type Side = "subject" | "baseline"

/** A request without anything that a client of the server would not send. Keep-alive is the default of HTTP/1.1. */
export const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`

/** As `post`, without a body. */
export const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`

/** The identifier of the payment that an answer is about; both servers call it the same. */
export const paymentOf = (body: string) => /"transactionId":"([^"]+)"/.exec(body)?.[1]

/** One request for each payment, once. */
export const eachOnce = (payments: ReadonlyArray<string>, request: (payment: string) => string): NextRequest => {
  let count = 0
  return () => {
    const payment = payments[count++]
    return payment === undefined ? undefined : { text: request(payment) }
  }
}

/** One request after another for the same payments, from the beginning again at their end. */
export const inTurn = (payments: ReadonlyArray<string>, request: (payment: string) => string): NextRequest => {
  let count = 0
  return () => {
    const payment = payments[count++ % payments.length]
    return payment === undefined ? undefined : { text: request(payment) }
  }
}
