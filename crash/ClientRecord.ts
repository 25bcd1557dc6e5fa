import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Longer than any request of the gateway's takes, also where its process is stopped and the database is away. */
export const patienceMillis = 90_000

/** What a client asks for; `visit` is its buyer's way over the issuer's pages. */
export type Asked = "authorize" | "capture" | "refund" | "void" | "find" | "visit"

/** A request, written down before its first byte goes out. */
export interface Sent {
  readonly number: number
  readonly at: number
  readonly story: string
  readonly asked: Asked
  readonly key: string | null
  readonly paymentId: string | null
  /** Of the payment or the operation, in minor units; null where the request names none. */
  readonly minor: number | null
  readonly currency: string | null
}

/** An operation as an answer tells it; amounts of answers are major units. */
export interface ToldOperation {
  readonly operationId: string
  readonly type: "CAPTURE" | "REFUND" | "VOID"
  readonly amount: number
  readonly status: "PENDING" | "SUCCEEDED" | "FAILED"
}

/** A payment as an answer tells it. */
export interface Told {
  readonly transactionId: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly merchantReference: string
  readonly authorizedAmount: number
  readonly capturedAmount: number
  readonly refundedAmount: number
  readonly releasedAmount: number
  readonly operation?: ToldOperation
}

/** What came back; status null where nothing did, `code` then says why. */
export interface Answered {
  readonly number: number
  readonly at: number
  readonly status: number | null
  /** The problem's code. */
  readonly code: string | null
  readonly isReplayed: boolean
  readonly told: Told | null
}

/** A request and its answer; without one while it is under way, and where the client hung up. */
export interface Exchange {
  readonly sent: Sent
  readonly answered: Answered | null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isTold = (value: unknown): value is Told => isObject(value) && typeof value.transactionId === "string"

/** The payment that an answer's body is, or that its problem is about. */
export const toldBy = (json: unknown): Told | null => {
  if (isTold(json) && "authorizedAmount" in json) return json
  return isObject(json) && isTold(json.transaction) ? json.transaction : null
}

/** The code of a problem. */
export const codeOf = (json: unknown): string | null =>
  isObject(json) && typeof json.code === "string" ? json.code : null

/** The clients' own record: what was sent and what came back, a line each in `record.jsonl`. */
export class ClientRecord {
  readonly #file: string
  readonly #sent: Array<Sent> = []
  readonly #answered = new Map<number, Answered>()

  constructor(folder: string) {
    this.#file = join(folder, "record.jsonl")
    writeFileSync(this.#file, "")
  }

  /** On the record before it is sent. */
  send(sent: Omit<Sent, "number" | "at">): number {
    const number = this.#sent.length + 1
    const line: Sent = { number, at: Date.now(), ...sent }
    appendFileSync(this.#file, `${JSON.stringify({ sent: line })}\n`)
    this.#sent.push(line)
    return number
  }

  answer(answered: Omit<Answered, "at">): void {
    const line: Answered = { at: Date.now(), ...answered }
    appendFileSync(this.#file, `${JSON.stringify({ answered: line })}\n`)
    this.#answered.set(line.number, line)
  }

  get exchanges(): ReadonlyArray<Exchange> {
    return this.#sent.map((sent) => ({ sent, answered: this.#answered.get(sent.number) ?? null }))
  }
}
