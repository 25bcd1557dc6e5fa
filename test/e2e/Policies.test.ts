import { assert, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { bodyOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { dinner, type Listed, makePolicyClient, type Policy, policiesPath, receipts } from "./support/policies.ts"
import { useService } from "./support/Service.ts"

/** An organization's policies over HTTP, and who may change them. Both sandbox organizations have a key. */

// Without the demo year: what is there is what these tests made.
const service = useService()
const client = makeClient(service)
const { create, evaluate, send } = makePolicyClient(client, "key_test_other")

describe("A policy", () => {
  it("is created, shown as it was written, and found under its location", async () => {
    const answer = await send("POST", policiesPath, receipts())
    const policy = bodyOf<Policy>(answer, 201)
    assert.match(policy.id, /^pol_[0-7][0-9a-hjkmnp-tv-z]{25}$/u)
    assert.deepInclude(policy, { ...receipts(), version: 1, active: true, approval_steps: [] })
    assert.strictEqual(answer.headers.get("location"), `${policiesPath}/${policy.id}`)
    assert.strictEqual(answer.headers.get("etag"), '"1"')
    assert.deepStrictEqual(bodyOf(await send("GET", `${policiesPath}/${policy.id}`)), policy)
  })

  it("has scope expense, no message and no steps where nothing is said, and ignores what nobody knows", async () => {
    const body = {
      name: "Everything",
      enforcement: "REQUIRE_APPROVAL",
      conditions: { all: [], note: "x" },
      colour: "red"
    }
    const answer = await send("POST", policiesPath, body)
    const policy = bodyOf<
      Policy & { readonly scope: string; readonly warnings: ReadonlyArray<{ readonly path: string }> }
    >(answer, 201)
    assert.deepInclude(policy, { scope: "expense", message: null, approval_steps: [] })
    assert.deepStrictEqual(policy.warnings.map(({ path }) => path).sort(), ["colour", "conditions.note"])
  })

  it("takes steps that name somebody, with REQUIRE_APPROVAL alone", async () => {
    const steps = [
      { manager: true, mode: "any" },
      { roles: ["ADMIN", "OWNER"], mode: "all" }
    ]
    const policy = await create({ enforcement: "REQUIRE_APPROVAL", approval_steps: [{ manager: true }, steps[1]] })
    assert.deepStrictEqual(policy.approval_steps, steps)
    const refused = (changes: object) => send("POST", policiesPath, receipts(changes))
    assert.deepStrictEqual(faultPaths(await refused({ approval_steps: steps })), ["approval_steps"])
    const nobody = { enforcement: "REQUIRE_APPROVAL", approval_steps: [{ roles: [], mode: "any" }, ...steps] }
    assert.deepStrictEqual(faultPaths(await refused(nobody)), ["approval_steps[0]"])
    const stranger = {
      enforcement: "REQUIRE_APPROVAL",
      approval_steps: [{ users: ["usr_01h455vb4pex5vsknk084sn02q"] }]
    }
    const { detail } = problemOf(await refused(stranger), 404, "NOT_FOUND")
    assert.include(detail, "approval_steps[0].users[0]")
  })

  it("is refused with all its faults at once, and nothing is kept", async () => {
    const count = async () => bodyOf<Listed<Policy>>(await send("GET", `${policiesPath}?limit=100`)).data.length
    const before = await count()
    const answer = await send("POST", policiesPath, {
      name: " ",
      enforcement: "STOP",
      scope: "invoice",
      conditions: {
        all: [
          { field: "amuont", op: "gt", value: 500 },
          { field: "merchant", op: "gt", value: "x" },
          { any: [{ field: "amount", op: "gt", value: { amount: 1.5, currency: "JPY" } }] }
        ]
      },
      approval_steps: [{ roles: ["AUDITOR"], mode: "some" }]
    })
    assert.deepStrictEqual(faultPaths(answer), [
      "approval_steps[0].mode",
      "approval_steps[0].roles[0]",
      "conditions.all[0].field",
      "conditions.all[1].op",
      "conditions.all[2].any[0].value.amount",
      "enforcement",
      "name",
      "scope"
    ])
    assert.strictEqual(await count(), before)
  })

  it("does not name another organization's department, nor more decimals than the base currency has", async () => {
    const department = { field: "department", op: "in", value: ["dep_01h455vb4pex5vsknk084sn02q"] }
    const { detail } = problemOf(
      await send("POST", policiesPath, receipts({ conditions: { not: department } })),
      404,
      "NOT_FOUND"
    )
    assert.include(detail, "conditions.not.value[0]")
    const tiny = { all: [{ field: "amount", op: "gt", value: 0.001 }] }
    assert.deepStrictEqual(faultPaths(await send("POST", policiesPath, receipts({ conditions: tiny }))), [
      "conditions.all[0].value"
    ])
  })

  it("changes into its next version, and every version stays with who made it", async () => {
    const { id } = await create()
    const steps = [{ roles: ["ADMIN"], mode: "any" }]
    const answer = await send("PATCH", `${policiesPath}/${id}`, {
      enforcement: "REQUIRE_APPROVAL",
      approval_steps: steps
    })
    assert.strictEqual(answer.headers.get("etag"), '"2"')
    assert.deepInclude(bodyOf<Policy>(answer), { version: 2, name: "Receipts above 500", approval_steps: steps })
    const third = bodyOf<Policy>(await send("PATCH", `${policiesPath}/${id}`, { enforcement: "WARN", message: "" }))
    assert.deepInclude(third, { version: 3, message: null, approval_steps: [] })
    const same = bodyOf<Policy>(await send("PATCH", `${policiesPath}/${id}`, { enforcement: "WARN", name: null }))
    assert.deepStrictEqual(same, third)
    type Versions = Listed<Policy & { readonly changed_by: string; readonly deleted: boolean }>
    const { data } = bodyOf<Versions>(await send("GET", `${policiesPath}/${id}/versions`))
    assert.deepStrictEqual(
      data.map(({ deleted, enforcement, version }) => [version, enforcement, deleted]),
      [
        [3, "WARN", false],
        [2, "REQUIRE_APPROVAL", false],
        [1, "BLOCK", false]
      ]
    )
    for (const { changed_by } of data) assert.match(changed_by, /^key:/u)
    const page = bodyOf<Versions>(await send("GET", `${policiesPath}/${id}/versions?limit=2`))
    const rest = bodyOf<Versions>(
      await send("GET", `${policiesPath}/${id}/versions?limit=2&cursor=${page.next_cursor}`)
    )
    assert.deepStrictEqual([...page.data, ...rest.data], data)
  })

  it("is changed by one of two who read the same version", async () => {
    const { id } = await create()
    const attempt = (name: string) =>
      send("PATCH", `${policiesPath}/${id}`, { name }, { headers: { "if-match": '"1"' } })
    const both = await Promise.all(["One", "Two"].map(attempt))
    assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 412])
    problemOf(await send("PATCH", `${policiesPath}/${id}`, { name: "Three", version: 1 }), 412, "VERSION_CONFLICT")
    problemOf(
      await send("DELETE", `${policiesPath}/${id}`, undefined, { headers: { "if-match": '"1"' } }),
      412,
      "VERSION_CONFLICT"
    )
  })

  it("is applied no longer once it is deleted, and its versions and history stay", async () => {
    const { id } = await create({ conditions: { all: [] }, name: "Everything" })
    const said = async () => (await evaluate({ expense: dinner })).results.some(({ policy_id }) => policy_id === id)
    assert.isTrue(await said())
    const deleted = await send("DELETE", `${policiesPath}/${id}`)
    assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
    assert.isFalse(await said())
    problemOf(await send("GET", `${policiesPath}/${id}`), 404, "NOT_FOUND")
    problemOf(await send("PATCH", `${policiesPath}/${id}`, { active: true }), 404, "NOT_FOUND")
    problemOf(await send("DELETE", `${policiesPath}/${id}`), 404, "NOT_FOUND")
    const { data } = bodyOf<Listed<Policy>>(await send("GET", `${policiesPath}?limit=100`))
    assert.notInclude(
      data.map((policy) => policy.id),
      id
    )
    type Versions = Listed<Policy & { readonly deleted: boolean }>
    const versions = bodyOf<Versions>(await send("GET", `${policiesPath}/${id}/versions`)).data
    assert.deepStrictEqual(
      versions.map(({ active, deleted: gone, version }) => [version, active, gone]),
      [
        [2, false, true],
        [1, true, false]
      ]
    )
    type History = Listed<{ readonly action: string; readonly before: Policy | null; readonly after: Policy | null }>
    const history = bodyOf<History>(await send("GET", `${policiesPath}/${id}/history`)).data
    assert.deepStrictEqual(
      history.map(({ action, after, before }) => [action, before?.version, after?.version]),
      [
        ["policy.deleted", 1, undefined],
        ["policy.created", undefined, 1]
      ]
    )
  })

  it("is listed newest first, by scope, enforcement and state", async () => {
    const made = [await create({ scope: "card" }), await create({ scope: "card", enforcement: "WARN" })]
    const paused = await create({ scope: "card", active: false })
    const ids = async (query: string) =>
      bodyOf<Listed<Policy>>(await send("GET", `${policiesPath}${query}`)).data.map(({ id }) => id)
    const [first, second] = made.map(({ id }) => id)
    assert.deepStrictEqual(await ids("?scope=card"), [paused.id, second, first])
    assert.deepStrictEqual(await ids("?scope=card&active=true"), [second, first])
    assert.deepStrictEqual(await ids("?scope=card&enforcement=WARN"), [second])
    const page = bodyOf<Listed<Policy>>(await send("GET", `${policiesPath}?scope=card&limit=2`))
    assert.isTrue(page.has_more)
    assert.deepStrictEqual(await ids(`?scope=card&limit=2&cursor=${page.next_cursor}`), [first])
    assert.deepStrictEqual(faultPaths(await send("GET", `${policiesPath}?scope=cards`)), ["scope"])
    assert.deepStrictEqual(faultPaths(await send("GET", `${policiesPath}?limit=2&cursor=${page.next_cursor}`)), [
      "cursor"
    ])
  })

  it("is made once under an Idempotency-Key", async () => {
    const options = { headers: { "idempotency-key": "policy-once" } }
    const first = await create({}, options)
    assert.strictEqual((await create({}, options)).id, first.id)
    problemOf(await send("POST", policiesPath, receipts({ name: "Other" }), options), 422, "IDEMPOTENCY_CONFLICT")
  })
})

describe("Templates", () => {
  it("can be created as they are", async () => {
    const { data } = bodyOf<Listed<{ readonly key: string; readonly policy: object }>>(
      await send("GET", `${policiesPath}/templates`)
    )
    assert.includeMembers(
      data.map(({ key }) => key),
      [
        "receipt_above",
        "meals_per_day",
        "weekend",
        "blocked_categories",
        "monthly_cap",
        "travel",
        "foreign_currency",
        "likely_duplicate",
        "new_software",
        "year_end"
      ]
    )
    for (const { policy } of data) {
      const answer = await send("POST", policiesPath, { ...policy, scope: "bill" })
      assert.deepInclude(bodyOf<object>(answer, 201), { ...policy, scope: "bill" })
      assert.notProperty(answer.json, "warnings")
    }
  })
})

describe("Another organization", () => {
  it("neither sees, changes nor tries a policy", async () => {
    const { id } = await create()
    const theirs = { key: "key_test_sandbox" }
    for (const to of [`${policiesPath}/${id}`, `${policiesPath}/${id}/versions`, `${policiesPath}/${id}/history`]) {
      problemOf(await send("GET", to, undefined, theirs), 404, "NOT_FOUND")
    }
    problemOf(await send("PATCH", `${policiesPath}/${id}`, { name: "Mine" }, theirs), 404, "NOT_FOUND")
    problemOf(await send("DELETE", `${policiesPath}/${id}`, undefined, theirs), 404, "NOT_FOUND")
    const { data } = bodyOf<Listed<Policy>>(await send("GET", `${policiesPath}?limit=100`, undefined, theirs))
    assert.notInclude(
      data.map((policy) => policy.id),
      id
    )
    problemOf(
      await send("POST", `${policiesPath}/evaluate`, { policy_id: id, expense: dinner }, theirs),
      404,
      "NOT_FOUND"
    )
    assert.notInclude(
      (await evaluate({ expense: dinner }, theirs)).results.map(({ policy_id }) => policy_id),
      id
    )
    assert.strictEqual(bodyOf<Policy>(await send("GET", `${policiesPath}/${id}`)).name, "Receipts above 500")
  })
})

describe("A role", () => {
  const policy = { conditions: { all: [] } }
  /** role → reading, trying and changing policies. */
  const statuses = {
    member: [200, 403, 403],
    approver: [200, 200, 403],
    admin: [200, 200, 201],
    owner: [200, 200, 201],
    auditor: [200, 200, 403]
  } as const

  it.each(Object.entries(statuses))("%s may do what it may, and no more", async (role, expected) => {
    const as = { key: await signIn(client, `${role}@sandbox.test`) }
    const { id } = await create({ active: false }, { key: "key_test_sandbox" })
    const answers = [
      await send("GET", policiesPath, undefined, as),
      await send("POST", `${policiesPath}/evaluate`, { policy, expense: dinner }, as),
      await send("POST", policiesPath, receipts({ active: false }), as)
    ]
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [...expected]
    )
    const changes = expected[2] === 201
    const changed = await send("PATCH", `${policiesPath}/${id}`, { name: `Of ${role}` }, as)
    assert.strictEqual(changed.status, changes ? 200 : 403)
    assert.strictEqual((await send("DELETE", `${policiesPath}/${id}`, undefined, as)).status, changes ? 204 : 403)
    for (const to of ["versions", "history"]) {
      assert.strictEqual((await send("GET", `${policiesPath}/${id}/${to}`, undefined, as)).status, 200)
    }
  })
})
