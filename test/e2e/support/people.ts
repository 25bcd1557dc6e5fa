import { assert } from "vitest"
import type { Answer, Client } from "./Client.ts"

/** Requests of `/api` in the name of whoever has the credential. */

export interface ApiRequest {
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const sendJson = (
  client: Client,
  method: string,
  path: string,
  body?: unknown,
  { bearer, headers = {} }: ApiRequest = {}
): Promise<Answer> =>
  client.send({
    method,
    path,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  })

/** The body of an answer that has the status given. */
export const bodyOf = <A>(answer: Answer, status = 200): A => {
  assert.strictEqual(answer.status, status, answer.text)
  return answer.json as A
}

export interface MemberBody {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly status: string
  readonly department_id: string | null
  readonly manager_id: string | null
  readonly version: number
}

export interface InvitedBody extends MemberBody {
  readonly invitation_url: string
}

export interface SessionAnswer {
  readonly token?: string
  readonly csrf_token?: string
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
  readonly organization: { readonly id: string; readonly role: string }
  readonly organizations: ReadonlyArray<{ readonly id: string }>
  readonly second_factor: string
}

export const tokenOf = (url: string): string => url.split("/account/")[1] ?? ""

export const invite = async (client: Client, bearer: string, email: string, role = "MEMBER", more: object = {}) =>
  bodyOf<InvitedBody>(await sendJson(client, "POST", "/api/members", { email, role, ...more }, { bearer }), 201)

/** Somebody who was invited and has accepted: a member with a session. */
export const join = async (client: Client, bearer: string, email: string, role = "MEMBER", password = "a good one") => {
  const member = await invite(client, bearer, email, role)
  const accepted = await sendJson(client, "POST", "/api/auth/accept", {
    token: tokenOf(member.invitation_url),
    password
  })
  const { token = "" } = bodyOf<SessionAnswer>(accepted)
  return { id: member.id, email, password, token }
}
