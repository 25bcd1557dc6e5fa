/** What a run asks of a scenario, beside which server is called. */
export interface Run {
  readonly currency: string
  /** Unique to a window of load, so that no two of its references meet those of another. */
  readonly token: string
}

/** Gives the next request as the text that goes over the wire. Requests are Latin-1, so one character is one byte. */
export type NextRequest = () => string

/** The same work asked of both servers, each in its own words. */
export interface Scenario {
  readonly subject: (run: Run) => NextRequest
  readonly baseline: (run: Run) => NextRequest
}

export type Side = keyof Scenario

/** A request without anything that a client of the server would not send. Keep-alive is the default of HTTP/1.1. */
export const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`
