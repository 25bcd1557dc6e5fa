import { assert, describe, it } from "vitest"
import { problemOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { bodyOf, invite, join, type SessionAnswer, sendJson, tokenOf } from "./support/people.ts"
import { useService } from "./support/Service.ts"

/** What a link that somebody holds is worth when roles have changed since it was made. */

const service = useService()
const client = makeClient(service)
const key = "key_test_sandbox"

const send = (method: string, path: string, body?: unknown, bearer = key) =>
  sendJson(client, method, path, body, { bearer })
const patch = (id: string, body: unknown) => send("PATCH", `/api/members/${id}`, body)
const accept = (token: string, password = "a good one") =>
  sendJson(client, "POST", "/api/auth/accept", { token, password })

describe("A one-time link", () => {
  const made = async (email: string, kind: "invitation" | "reset") => {
    const admin = await signIn(client, "admin@sandbox.test")
    if (kind === "invitation") {
      const { id, invitation_url } = await invite(client, admin, email)
      return { id, url: invitation_url }
    }
    const { id } = await join(client, admin, email)
    const answer = await send("POST", `/api/members/${id}/password-reset`, undefined, admin)
    return { id, url: bodyOf<{ reset_url: string }>(answer).reset_url }
  }

  for (const kind of ["invitation", "reset"] as const) {
    it(`makes nobody an OWNER: the ${kind} that an ADMIN made before they became one is dead`, async () => {
      const { id, url } = await made(`${kind}.promoted@sandbox.test`, kind)
      bodyOf(await patch(id, { role: "OWNER" }))
      problemOf(await accept(tokenOf(url), "of the ADMIN"), 404, "NOT_FOUND")
      assert.strictEqual((await client.visit(new URL(url).pathname)).status, 404)
      const path = kind === "invitation" ? "invitation" : "password-reset"
      const again = bodyOf<{ invitation_url?: string; reset_url?: string }>(
        await send("POST", `/api/members/${id}/${path}`)
      )
      const answer = await accept(tokenOf(again.invitation_url ?? again.reset_url ?? ""), "of the new OWNER")
      assert.strictEqual(bodyOf<SessionAnswer>(answer).organization.role, "OWNER", "a link of an OWNER's works")
    })
  }

  it("is no way back for an ADMIN who is sent away or gets another role", async () => {
    for (const change of [{ status: "INACTIVE" }, { role: "MEMBER" }]) {
      const name = Object.keys(change)[0]
      const admin = await join(client, key, `leaving.${name}@sandbox.test`, "ADMIN")
      const { invitation_url } = await invite(client, admin.token, `back.${name}@sandbox.test`, "ADMIN")
      const kept = await invite(client, key, `kept.${name}@sandbox.test`)
      bodyOf(await patch(admin.id, { name: "Leaving" }))
      assert.strictEqual((await client.visit(new URL(invitation_url).pathname)).status, 200)
      bodyOf(await patch(admin.id, change))
      problemOf(await accept(tokenOf(invitation_url)), 404, "NOT_FOUND")
      bodyOf(await accept(tokenOf(kept.invitation_url)))
    }
  })

  it("works on when its member gets another role", async () => {
    const { id, url } = await made("approver.promoted@sandbox.test", "invitation")
    bodyOf(await patch(id, { role: "APPROVER" }))
    assert.strictEqual(bodyOf<SessionAnswer>(await accept(tokenOf(url))).organization.role, "APPROVER")
  })
})
