import { assert } from "vitest"
import type { Answer, Client } from "./Client.ts"
import { order } from "./orders.ts"

/** Reads what came back, and checks at each reading what the contract says about every answer of its kind. */

const identifier = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
export const transactionId = identifier("txn")
const operationId = identifier("op")
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export interface Operation {
  readonly operationId: string
  readonly type: string
  readonly amount: number
  readonly status: "PENDING" | "SUCCEEDED" | "FAILED"
  readonly reference?: string | null
  readonly availableFrom?: string | null
  readonly error?: unknown
  readonly createdAt: string
  readonly completedAt?: string | null
}

const sums = [
  "authorizedAmount",
  "capturedAmount",
  "refundedAmount",
  "capturableAmount",
  "releasedAmount",
  "refundableAmount",
  "pendingAmount",
  "disputedAmount"
] as const
type Sum = (typeof sums)[number]

export interface Transaction extends Readonly<Record<Sum, number>> {
  readonly transactionId: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly provider: string | null
  readonly pspResponseCode: string | null
  readonly merchantReference: string
  readonly installment: number
  readonly is3DS: boolean
  readonly livemode: boolean
  readonly card: {
    readonly brand: string
    readonly first6: string
    readonly last4: string
    readonly expMonth: string | number
    readonly expYear: string | number
    readonly fingerprint: string
  }
  readonly expiresAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly nextAction?: unknown
  readonly operation?: Operation
  readonly operations?: ReadonlyArray<Operation>
  readonly error?: { readonly code?: string } | null
  readonly providerResponse?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
}

interface Attempt {
  readonly provider: string
  readonly outcome: string
  readonly detail: string | null
}

/** Which providers a payment was tried at, and how each try ended. */
export const attemptsOf = ({ metadata }: Transaction) => {
  const { attempts } = (metadata ?? {}) as { readonly attempts?: ReadonlyArray<Attempt> }
  return attempts ?? []
}

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly code: string
  readonly requestId: string
  readonly transactionId?: string
  readonly provider?: string | null
  readonly pspResponseCode?: string | null
  readonly transaction?: Transaction
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** Hundredths, in which sums are exact. */
export const cents = (amount: number) => {
  const whole = Math.round(amount * 100)
  assert.strictEqual(whole / 100, amount, "an amount has at most two decimals")
  return whole
}

const checkOperation = (operation: Operation) => {
  assert.match(operation.operationId, operationId)
  assert.include(["capture", "refund", "void"], operation.type.toLowerCase())
  assert.isAbove(cents(operation.amount), 0)
  assert.include(["PENDING", "SUCCEEDED", "FAILED"], operation.status)
  assert.match(operation.createdAt, instant)
  if (operation.status !== "PENDING") assert.match(String(operation.completedAt), instant)
}

/** The status that follows from sums, for a payment that was authorized and has nothing pending. */
const statusFrom = ({ authorizedAmount, capturableAmount, capturedAmount, refundedAmount }: Transaction) => {
  if (capturedAmount === 0) return capturableAmount > 0 ? "AUTHORIZED" : "VOIDED"
  if (refundedAmount === 0) return capturedAmount === authorizedAmount ? "CAPTURED" : "PARTIALLY_CAPTURED"
  return refundedAmount === capturedAmount && capturableAmount === 0 ? "REFUNDED" : "PARTIALLY_REFUNDED"
}

/** authorized = captured + capturePending + released + capturable; refundable = captured − refunded − pending − disputed. */
const checkSums = (transaction: Transaction) => {
  const [authorized, captured, refunded, capturable, released, refundable, pending, disputed] = sums.map((sum) => {
    assert.isAtLeast(transaction[sum], 0, sum)
    return cents(transaction[sum])
  }) as [number, number, number, number, number, number, number, number]
  const capturePending = authorized - captured - released - capturable
  const refundPending = captured - refunded - disputed - refundable
  assert.isAtLeast(capturePending, 0, "captured + released + capturable is within authorized")
  assert.isAtLeast(refundPending, 0, "refunded + refundable is within captured")
  assert.strictEqual(capturePending + refundPending, pending, "what is pending is reserved once")
  if (pending > 0 || ["PENDING", "REQUIRES_ACTION", "DECLINED", "FAILED"].includes(transaction.status)) return
  assert.strictEqual(transaction.status, statusFrom(transaction))
}

/** Every field that section 4 promises for every payment, and the sums rule. */
export const checkTransaction = (json: unknown): Transaction => {
  assert.isObject(json, "a payment")
  const transaction = json as Transaction
  assert.match(transaction.transactionId, transactionId)
  for (const text of ["status", "currency", "merchantReference"] as const) assert.isString(transaction[text], text)
  assert.isAbove(cents(transaction.amount), 0)
  for (const name of ["provider", "pspResponseCode"] as const) {
    assert.isTrue(transaction[name] === null || typeof transaction[name] === "string", `${name} is a text or null`)
  }
  assert.isAtLeast(transaction.installment, 1)
  assert.isBoolean(transaction.is3DS)
  assert.isFalse(transaction.livemode)
  for (const time of ["createdAt", "updatedAt"] as const) assert.match(transaction[time], instant)
  assert.isAtLeast(Date.parse(transaction.updatedAt), Date.parse(transaction.createdAt))
  for (const text of ["brand", "fingerprint"] as const) assert.isNotEmpty(transaction.card[text])
  assert.match(transaction.card.first6, /^\d{6}$/)
  assert.match(transaction.card.last4, /^\d{4}$/)
  for (const sum of sums) assert.isNumber(transaction[sum], sum)
  checkSums(transaction)
  for (const operation of transaction.operations ?? []) checkOperation(operation)
  if (transaction.operation !== undefined && transaction.operation !== null) checkOperation(transaction.operation)
  return transaction
}

/** The payment of an answer that has the status given. */
export const transactionOf = (answer: Answer, status = 200): Transaction => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.include(answer.headers.get("content-type"), "application/json")
  return checkTransaction(answer.json)
}

/** The capture, refund or void that an answer is about. */
export const operationOf = (answer: Answer, status = 200): Operation => {
  const { operation } = transactionOf(answer, status)
  if (operation === undefined) throw new Error(`The answer names no operation: ${answer.text}`)
  return operation
}

/** An error as section 2 has it. */
export const problemOf = (answer: Answer, status: number, code: string): Problem => {
  assert.deepStrictEqual([answer.status, (answer.json as Problem | undefined)?.code], [status, code], answer.text)
  assert.include(answer.headers.get("content-type"), "application/problem+json")
  const problem = answer.json as Problem
  assert.strictEqual(problem.status, status)
  assert.isTrue(problem.type.endsWith(`/docs/errors/${code}`), problem.type)
  for (const text of ["title", "detail", "instance", "requestId"] as const) assert.isNotEmpty(problem[text], text)
  assert.strictEqual(problem.requestId, answer.headers.get("x-request-id"))
  assert.notMatch(answer.text, /\.ts:\d+|node_modules|\bSELECT\b|\bINSERT\b/)
  if (code === "INVALID_REQUEST") {
    for (const { message, path } of problem.errors ?? []) {
      assert.isString(path)
      assert.isNotEmpty(message)
    }
  }
  if (problem.transaction !== undefined) {
    checkTransaction(problem.transaction)
    assert.strictEqual(problem.transactionId, problem.transaction.transactionId)
  }
  return problem
}

/** The places that an INVALID_REQUEST complains about, sorted. One place may be wrong in several ways. */
export const faultPaths = (answer: Answer) => {
  const { errors = [] } = problemOf(answer, 400, "INVALID_REQUEST")
  return [...new Set(errors.map(({ path }) => path))].sort()
}

export const replayed = (answer: Answer) => answer.headers.get("idempotent-replayed") === "true"

/** A payment that is authorized, and of which nothing was taken. */
export const authorized = async (client: Client, changes: Readonly<Record<string, unknown>> = {}) =>
  transactionOf(await client.authorize(order(changes)))

/** A payment that was captured in full. */
export const captured = async (client: Client, changes: Readonly<Record<string, unknown>> = {}) => {
  const { transactionId } = await authorized(client, changes)
  return transactionOf(await client.capture(transactionId))
}

/** `count` results at once. */
export const atOnce = <A>(count: number, make: (index: number) => Promise<A>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))
