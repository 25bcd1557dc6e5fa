import { assert } from "vitest"
import type { Client } from "./Client.ts"

/** The token of a new session of a sandbox user. */
export const signIn = async (client: Client, email: string, password = "sandbox"): Promise<string> => {
  const answer = await client.send({
    method: "POST",
    path: "/api/auth/sign-in",
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify({ email, password }))
  })
  assert.strictEqual(answer.status, 200, answer.text)
  return (answer.json as { readonly token: string }).token
}
