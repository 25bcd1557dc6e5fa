import { assert } from "vitest"
import type { Answer, Client } from "./Client.ts"

/** Requests to `/api` with a bearer credential. */
export const bearerOf =
  (client: Client, credential: string) =>
  (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    client.send({
      method,
      path,
      headers: {
        authorization: `Bearer ${credential}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
    })

export type Bearer = ReturnType<typeof bearerOf>

/** The body of an answer that has the status given. */
export const bodyOf = <A>(answer: Answer, status = 200): A => {
  assert.strictEqual(answer.status, status, answer.text)
  return answer.json as A
}

/** The rows of a list's page. */
export const rowsOf = <A>(answer: Answer): ReadonlyArray<A> => bodyOf<{ readonly data: ReadonlyArray<A> }>(answer).data
