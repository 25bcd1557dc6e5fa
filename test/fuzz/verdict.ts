import { isErrorCode } from "@sarraf/runtime-http/api/errorCatalogue"
import { answersIn, type Received, type WireAnswer } from "./connection.ts"

/** What an answer may never be, whatever was asked. */

/** No answer takes longer, however it comes out. */
export const answerMillisMax = 30_000

/** The contract's own answers above 500: no provider took the payment, or its outcome is not known yet. */
const ownFailures: Readonly<Record<number, string>> = { 502: "PROVIDER_ERROR", 504: "TIMEOUT" }

/** Pages for buyers are HTML, and so are their failures. */
const isPage = (target: string) => /^\/+(?:pf\/+v1\/+3ds|sandbox)\//i.test(target)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const faultOfProblem = ({ body, headers, status }: WireAnswer, isHead: boolean): string | undefined => {
  const requestId = headers.get("x-request-id")
  if (requestId === undefined) return "no x-request-id"
  if (headers.get("content-type")?.startsWith("application/problem+json") !== true) return "no problem document"
  if (isHead) return undefined
  const problem = parsed(body) as { readonly [member: string]: unknown } | undefined
  if (problem === undefined) return "a problem that is no JSON"
  if (typeof problem.code !== "string" || !isErrorCode(problem.code))
    return `the code ${problem.code}, which is in no catalogue`
  if (problem.status !== status) return `the status ${problem.status} in its problem`
  if (problem.requestId !== requestId) return "another request id in its problem"
  if (status >= 500 && ownFailures[status] !== problem.code) return `the code ${problem.code}`
  return undefined
}

/** What is wrong with one answer to a request of `target`; undefined where nothing is. */
const faultOf = (answer: WireAnswer, target: string, isHead: boolean): string | undefined => {
  const { headers, status } = answer
  if (status >= 500 && ownFailures[status] === undefined) return "a fault of the server"
  if (status < 400) return headers.get("x-request-id") === undefined ? "no x-request-id" : undefined
  if (isPage(target) && headers.get("content-type")?.startsWith("text/html") === true) return undefined
  return faultOfProblem(answer, isHead)
}

export interface Expected {
  readonly target: string
  readonly isHead: boolean
  /** The connection may be closed without an answer. */
  readonly mayBeSilent: boolean
}

/** What is wrong with what came back, in a few words; undefined where nothing is. */
export const verdict = ({ bytes, end, millis }: Received, expected: Expected): string | undefined => {
  if (end === "given up") return `no end of it after ${Math.round(millis)} ms`
  if (millis > answerMillisMax) return `${Math.round(millis)} ms until its end`
  const answers = answersIn(bytes, expected.isHead)
  if (answers === undefined) return expected.mayBeSilent ? undefined : "an answer that is not well-formed"
  if (answers.length === 0) return expected.mayBeSilent ? undefined : `no answer (${end})`
  for (const answer of answers) {
    const fault = faultOf(answer, expected.target, expected.isHead)
    if (fault !== undefined) return `${answer.status} with ${fault}: ${answer.body.slice(0, 600)}`
  }
  return undefined
}
