import * as Database from "@sarraf/adapters/postgres/Database"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { assert, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { type Bearer, bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { runCommand } from "./support/command.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** What was done in an organization, in an order that nobody changes afterwards. */

const service = useService()

/** Each command is a program of its own, which takes a second or two, and more on a busy machine. */
const commandsMillisMax = 120_000

const client = makeClient(service)
const owner = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")

interface Entry {
  readonly sequence: number | null
  readonly hash: string | null
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly request_id: string
  readonly subject: { readonly type: string; readonly id: string }
}
interface Head {
  readonly sequence: number
  readonly hash: string
  readonly at: string | null
}

const headOf = async (as: Bearer) => bodyOf<Head>(await as("GET", "/api/audit/head"))
const newestOf = async (as: Bearer) => rowsOf<Entry>(await as("GET", "/api/audit?limit=1"))[0]

/** The newest entry, sealed: within a second (contract section 6), and some more on a busy machine. */
const sealedNewest = async (as: Bearer) => {
  const deadline = Date.now() + 10_000
  let newest = await newestOf(as)
  while (newest?.sequence === null && Date.now() < deadline) newest = await newestOf(as)
  return newest ?? assert.fail("nothing was recorded")
}

const makeKey = async (as: Bearer, requestId: string) =>
  bodyOf<{ readonly id: string }>(
    await as("POST", "/api/api-keys", { name: "a", role: "MEMBER" }, { "x-request-id": requestId }),
    201
  )

describe("The audit trail", () => {
  it("names who did what and with which request, and is sealed into the organization's own chain", async () => {
    const { id } = await makeKey(owner, "request-of-audit")
    const mine = await sealedNewest(owner)
    assert.deepInclude(mine, {
      actor: "key:sandbox",
      action: "api_key.created",
      request_id: "request-of-audit",
      subject: { type: "api_key", id }
    })
    assert.match(mine.hash ?? "", /^[0-9a-f]{64}$/u)
    assert.deepStrictEqual(await headOf(owner), { sequence: mine.sequence ?? 0, hash: mine.hash ?? "", at: mine.at })
    await makeKey(other, "request-of-other")
    const theirs = await sealedNewest(other)
    assert.notStrictEqual(theirs.hash, mine.hash)
    assert.notInclude((await owner("GET", "/api/audit?limit=100")).text, "request-of-other")
    assert.deepStrictEqual(rowsOf(await other("GET", `/api/audit?subject_id=${id}`)), [])
  })

  it("is read by ADMIN, OWNER and AUDITOR", async () => {
    for (const role of ["owner", "admin", "auditor", "approver", "member"]) {
      const as = bearerOf(client, await signIn(client, `${role}@sandbox.test`))
      for (const path of ["/api/audit", "/api/audit/head"]) {
        const answer = await as("GET", path)
        if (role === "approver" || role === "member") problemOf(answer, 403, "FORBIDDEN")
        else bodyOf(answer)
      }
    }
  })

  it("is filtered, and paged without losing or repeating a row while others are added", async () => {
    const ids = new Set<string>()
    for (let count = 0; count < 7; count++) ids.add((await makeKey(owner, `page-${count}`)).id)
    const filter = "action=api_key.created&subject_type=api_key&actor=key:sandbox"
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const query: string = `${filter}&limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`
      const page = bodyOf<{ readonly data: ReadonlyArray<Entry>; readonly next_cursor: string | null }>(
        await owner("GET", `/api/audit?${query}`)
      )
      seen.push(...page.data.map(({ subject }) => subject.id))
      cursor = page.next_cursor
      await makeKey(owner, "meanwhile")
    }
    assert.strictEqual(new Set(seen).size, seen.length)
    assert.isTrue([...ids].every((id) => seen.includes(id)))
    const { at } = await sealedNewest(owner)
    const before = rowsOf<Entry>(await owner("GET", `/api/audit?to=${at}&limit=100`))
    assert.isTrue(before.every((entry) => entry.at < at))
    const since = rowsOf<Entry>(await owner("GET", `/api/audit?from=${at}`))
    assert.isTrue(since.length > 0 && since.every((entry) => entry.at >= at))
    assert.deepStrictEqual(rowsOf(await owner("GET", "/api/audit?actor=nobody")), [])
    assert.deepStrictEqual(faultPaths(await owner("GET", "/api/audit?from=yesterday&limit=0")), ["from", "limit"])
    problemOf(await owner("GET", "/api/audit?who=me"), 400, "INVALID_REQUEST")
    problemOf(await owner("GET", "/api/audit?cursor=bm9uc2Vuc2U"), 400, "INVALID_REQUEST")
  })

  it(
    "is checked from its first row by a command, which finds heads that were handed out",
    async () => {
      await sealedNewest(owner)
      const { hash } = await headOf(owner)
      await makeKey(owner, "after the head")
      await sealedNewest(owner)
      const verify = (...args: ReadonlyArray<string>) => runCommand("auditVerify", service().folder, args)
      const all = await verify()
      assert.strictEqual(all.exitCode, 0, all.output)
      const { hash: newest, sequence } = await headOf(owner)
      assert.include(all.output, `org_01kd8z0000e0080000000000s1  ok, ${sequence} rows, head ${newest}`)
      assert.include(all.output, "org_01kd8z0000e0080000000000s2  ok, ")
      assert.strictEqual((await verify("--organization", "org_01kd8z0000e0080000000000s1", "--head", hash)).exitCode, 0)
      const unknown = await verify("--head", "f".repeat(64))
      assert.strictEqual(unknown.exitCode, 1)
      assert.include(unknown.output, "is in no chain")
      assert.strictEqual((await verify("--organization", "org_nobody")).exitCode, 1)
    },
    commandsMillisMax
  )

  it(
    "shows to that command what the owner of the database did to a row",
    async () => {
      await makeKey(owner, "tampered")
      const { sequence } = await sealedNewest(owner)
      await Effect.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`ALTER TABLE audit_log DISABLE TRIGGER USER`
          yield* sql`UPDATE audit_log SET after = jsonb_set(after, '{role}', '"OWNER"') WHERE request_id = 'tampered'`
          yield* sql`ALTER TABLE audit_log ENABLE TRIGGER USER`
        }).pipe(Effect.provide(Database.layerEmbedded(service().folder, 1)))
      )
      const { exitCode, output } = await runCommand("auditVerify", service().folder)
      assert.strictEqual(exitCode, 1)
      assert.include(output, `org_01kd8z0000e0080000000000s1  row ${sequence} was changed after it was sealed`)
      assert.include(output, "org_01kd8z0000e0080000000000s2  ok, ")
    },
    commandsMillisMax
  )
})
