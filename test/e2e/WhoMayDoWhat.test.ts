import { expenseTransitions } from "@sarraf/domain/expenses/ExpenseStatus"
import type { Role } from "@sarraf/domain/organizations/Caller"
import { type Action, reachOf } from "@sarraf/domain/organizations/Permissions"
import { assert, beforeAll, describe, it } from "vitest"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/**
 * Every command on an expense, in every state, by every role, on its own expense and on somebody else's. What is expected
 * comes from the permission table and the table of states, so that neither can say one thing and the service another.
 */

const service = useService()
const client = makeClient(service)

const commands = ["read", "patch", "delete", "submit", "withdraw", "approve", "reject", "reopen", "reimburse"] as const
type Command = (typeof commands)[number]
type Status = keyof typeof expenseTransitions
const statuses = ["DRAFT", "PENDING", "APPROVED", "REJECTED", "REIMBURSED"] as const satisfies ReadonlyArray<Status>

const actionOf: Readonly<Record<Command, Action>> = {
  read: "expense.read",
  patch: "expense.change",
  delete: "expense.change",
  submit: "expense.change",
  withdraw: "expense.change",
  reopen: "expense.change",
  approve: "expense.decide",
  reject: "expense.decide",
  reimburse: "expense.reimburse"
}

/** The state after the command; undefined where the state does not allow it. A decision on a draft submits it as well. */
const stateAfter = (status: Status, command: Command): Status | "gone" | undefined => {
  if (command === "read") return status
  if (command === "patch") return status === "DRAFT" || status === "PENDING" ? status : undefined
  if (command === "delete") return status === "DRAFT" ? "gone" : undefined
  const transitions: Readonly<Record<string, Status>> = expenseTransitions[status]
  if (status === "DRAFT" && (command === "approve" || command === "reject")) {
    return expenseTransitions.PENDING[command]
  }
  return transitions[command]
}

type Ownership = "its own" | "another's" | "the organization's"
type Actor = { readonly name: string; readonly role: Role; readonly bearer: string; readonly isPerson: boolean }

/** What the service must answer: the status after the command, or the problem's status. */
const expectedOf = (actor: Actor, ownership: Ownership, status: Status, command: Command): Status | "gone" | number => {
  const reach = reachOf(actor.role, actionOf[command])
  if (reach === undefined) return 403
  if (reach === "own" && ownership !== "its own") return 404
  const after = stateAfter(status, command)
  if (after === undefined) return 409
  const decides = command === "approve" || command === "reject"
  return decides && ownership === "its own" ? 403 : after
}

const send = (bearer: string, method: string, path: string, body?: unknown) =>
  client.send({
    method,
    path,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  })

const perform = (bearer: string, id: string, command: Command) => {
  const path = `/api/expenses/${id}`
  if (command === "read") return send(bearer, "GET", path)
  if (command === "patch") return send(bearer, "PATCH", path, { description: `seen ${Math.random()}` })
  if (command === "delete") return send(bearer, "DELETE", path)
  return send(bearer, "POST", `${path}/${command}`, {})
}

const seededKey = "key_test_sandbox"
let number = 0

/** An expense in this state, of the person who has `maker`, or of the organization where a key made it. */
const expenseIn = async (status: Status, maker: string): Promise<string> => {
  number += 1
  const body = { amount: 10 + (number % 90), currency: "TRY", merchant: `Shop ${number}`, category: "Office" }
  const made = await send(maker, "POST", "/api/expenses", body)
  assert.strictEqual(made.status, 201, made.text)
  const { id } = made.json as { readonly id: string }
  const steps: Readonly<Record<Status, ReadonlyArray<readonly [string, Command]>>> = {
    DRAFT: [],
    PENDING: [[maker, "submit"]],
    APPROVED: [
      [maker, "submit"],
      [seededKey, "approve"]
    ],
    REJECTED: [
      [maker, "submit"],
      [seededKey, "reject"]
    ],
    REIMBURSED: [
      [maker, "submit"],
      [seededKey, "approve"],
      [seededKey, "reimburse"]
    ]
  }
  for (const [bearer, command] of steps[status]) {
    const answer = await perform(bearer, id, command)
    assert.strictEqual(answer.status, 200, `${command}: ${answer.text}`)
  }
  return id
}

describe("A command on an expense", () => {
  const actors: Array<Actor> = []
  beforeAll(async () => {
    for (const role of ["MEMBER", "APPROVER", "ADMIN", "OWNER", "AUDITOR"] as const) {
      const bearer = await signIn(client, `${role.toLowerCase()}@sandbox.test`)
      actors.push({ name: role, role, bearer, isPerson: true })
    }
    actors.push({ name: "the seeded key", role: "OWNER", bearer: seededKey, isPerson: false })
  })

  for (const status of statuses) {
    it(`in ${status} is answered as the tables say`, async () => {
      const faults: Array<string> = []
      /** Expenses that a refused command left as they were are used again. */
      const kept = new Map<string, string>()
      for (const actor of actors) {
        const others = actors.filter(
          ({ isPerson, name, role }) => isPerson && name !== actor.name && role !== "AUDITOR"
        )
        const makers: ReadonlyArray<readonly [Ownership, string | undefined]> = [
          ["its own", actor.isPerson && actor.role !== "AUDITOR" ? actor.bearer : undefined],
          ["another's", others[0]?.bearer],
          ["the organization's", seededKey]
        ]
        for (const [ownership, maker] of makers) {
          if (maker === undefined) continue
          for (const command of commands) {
            const place = `${status} ${maker}`
            const id = kept.get(place) ?? (await expenseIn(status, maker))
            kept.set(place, id)
            const answer = await perform(actor.bearer, id, command)
            const now = answer.status === 204 ? "gone" : (answer.json as { readonly status: Status }).status
            const seen = answer.status < 300 ? now : answer.status
            const expected = expectedOf(actor, ownership, status, command)
            if (seen !== expected) {
              faults.push(`${actor.name}, ${command} on ${ownership}: ${String(seen)}, not ${String(expected)}`)
            }
            if (answer.status < 300 && command !== "read") kept.delete(place)
          }
        }
      }
      assert.deepStrictEqual(faults, [])
    })
  }
})
