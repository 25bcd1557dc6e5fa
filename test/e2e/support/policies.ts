import { assert } from "vitest"
import { bearerOf, bodyOf } from "./bearer.ts"
import type { Answer, Client } from "./Client.ts"

/** Policies as the API shows them, and how tests ask for them. */

export interface Policy {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly message: string | null
  readonly active: boolean
  readonly enforcement: string
  readonly conditions: unknown
  readonly approval_steps: ReadonlyArray<unknown>
}
/** A page of a list. */
export interface Listed<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}
interface Result {
  readonly policy_id: string | null
  readonly policy_version: number | null
  readonly name: string
  readonly enforcement: string
  readonly met: boolean
  readonly message: string
}
interface Evaluation {
  readonly results: ReadonlyArray<Result>
  readonly verdict: {
    readonly enforcement: string | null
    readonly violations: ReadonlyArray<Result>
    readonly approval_steps: ReadonlyArray<unknown>
  }
}
/** A line of the evaluation of past months. */
export interface Line {
  readonly type: string
  readonly evaluated: number
  readonly of?: number
  readonly met?: number
  readonly amount_met?: number
  readonly currency?: string
  readonly by_enforcement?: Readonly<Record<string, number>>
  readonly examples?: ReadonlyArray<{ readonly expense_id: string; readonly message: string; readonly amount: number }>
}

export const policiesPath = "/api/policies"

/** Body of a policy that blocks meals above 500 without a receipt. */
export const receipts = (changes: object = {}) => ({
  name: "Receipts above 500",
  scope: "expense",
  enforcement: "BLOCK",
  message: "Meals over 500 need a receipt: this has none.",
  conditions: {
    all: [
      { field: "amount", op: "gt", value: 500 },
      { field: "category", op: "eq", value: "meals" },
      { not: { field: "has_receipt", op: "eq", value: true } }
    ]
  },
  ...changes
})

/** A draft that this policy blocks. */
export const dinner = { amount: 620, currency: "TRY", merchant: "Kebapçı", category: "Meals" }

export const linesOf = (answer: Answer): ReadonlyArray<Line> => {
  assert.strictEqual(answer.status, 200, answer.text)
  assert.include(answer.headers.get("content-type"), "application/x-ndjson")
  return answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
}

interface Options {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks for policies in the name of an organization's key, another's where one is given. */
export const makePolicyClient = (client: Client, ownKey: string) => {
  const send = (method: string, to = policiesPath, body?: unknown, { headers, key = ownKey }: Options = {}) =>
    bearerOf(client, key)(method, to, body, headers)
  return {
    send,
    create: async (changes: object = {}, options?: Options) =>
      bodyOf<Policy>(await send("POST", policiesPath, receipts(changes), options), 201),
    evaluate: async (body: object, options?: Options) =>
      bodyOf<Evaluation>(await send("POST", `${policiesPath}/evaluate`, body, options))
  }
}
