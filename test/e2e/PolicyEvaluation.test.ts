import { assert, beforeAll, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { bodyOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import {
  dinner,
  type Listed,
  linesOf,
  makePolicyClient,
  type Policy,
  policiesPath,
  receipts
} from "./support/policies.ts"
import { useService } from "./support/Service.ts"

/** Policies over HTTP, tried on drafts and on what was submitted. */

// Without the demo year: what is there is what these tests made.
const service = useService()
const client = makeClient(service)
const { create, evaluate, send } = makePolicyClient(client, "key_test_other")

describe("Trying a policy on a draft", () => {
  it("gives every result with its sentence, and changes nothing", async () => {
    const policy = {
      name: "Dinner",
      enforcement: "REQUIRE_APPROVAL",
      conditions: receipts().conditions,
      approval_steps: [{ roles: ["ADMIN"], mode: "any" }]
    }
    const { results, verdict } = await evaluate({ policy, expense: dinner })
    assert.deepStrictEqual(results, [
      {
        policy_id: null,
        policy_version: null,
        name: "Dinner",
        enforcement: "REQUIRE_APPROVAL",
        met: true,
        message: 'Dinner: the amount 620 TRY is over 500 TRY, the category is "Meals" and there is no receipt.'
      }
    ])
    assert.deepStrictEqual(verdict, {
      enforcement: "REQUIRE_APPROVAL",
      violations: results,
      approval_steps: policy.approval_steps
    })
    const other = await evaluate({ policy, expense: { ...dinner, receipt_url: "https://example.com/r/1" } })
    assert.deepStrictEqual(other.verdict, { enforcement: null, violations: [], approval_steps: [] })
    assert.deepInclude(other.results[0], { met: false, message: "Dinner: there is a receipt." })
  })

  it("applies all active policies, or a saved one though it is paused", async () => {
    const paused = await create({ active: false, name: "Paused" })
    const applied = await create({ scope: "expense" })
    await create({ scope: "bill" })
    const { results } = await evaluate({ policy_id: paused.id, expense: dinner })
    assert.deepStrictEqual(
      results.map(({ met, policy_id, policy_version }) => [policy_id, policy_version, met]),
      [[paused.id, 1, true]]
    )
    const all = await evaluate({ expense: dinner })
    assert.deepStrictEqual(
      all.results.map(({ policy_id }) => policy_id),
      [applied.id]
    )
    assert.strictEqual(all.verdict.violations[0]?.message, applied.message)
  })

  it("says so where no rate is known, and counts it as met", async () => {
    const conditions = { field: "amount", op: "gt", value: 500 }
    const expense = { ...dinner, amount: 5, currency: "XAF", date: "1999-01-04" }
    for (const tried of [conditions, { not: conditions }]) {
      const { results } = await evaluate({ policy: { name: "Large", conditions: tried }, expense })
      assert.deepInclude(results[0], {
        met: true,
        message: "Large: no XAF rate is known for 1999-01-04, so this counts as met."
      })
    }
  })

  it("is told all that is wrong with the question", async () => {
    const ask = (body: object) => send("POST", `${policiesPath}/evaluate`, body)
    assert.deepStrictEqual(faultPaths(await ask({})), ["expense"])
    assert.deepStrictEqual(
      faultPaths(
        await ask({ months: 1, expense_id: "exp_1", policy_id: "pol_1", policy: { conditions: { all: [] } } })
      ),
      ["months", "policy_id"]
    )
    assert.deepStrictEqual(faultPaths(await ask({ months: 25 })), ["months"])
    assert.deepStrictEqual(
      faultPaths(
        await ask({
          policy: { conditions: { field: "amount", op: "is", value: 1 } },
          expense: { amount: -1, currency: "TRY" }
        })
      ),
      ["expense.amount", "expense.merchant", "policy.conditions.op"]
    )
    assert.deepStrictEqual(faultPaths(await ask({ expense: { ...dinner, amount: 1.5, currency: "JPY" } })), [
      "expense.amount"
    ])
    const steps = { conditions: { all: [] }, approval_steps: [{ manager: true }] }
    assert.deepStrictEqual(faultPaths(await ask({ policy: steps, expense: dinner })), ["policy.approval_steps"])
    problemOf(await ask({ expense_id: "exp_01h455vb4pex5vsknk084sn02q" }), 404, "NOT_FOUND")
    problemOf(await ask({ expense: { ...dinner, user_id: "usr_01h455vb4pex5vsknk084sn02q" } }), 404, "NOT_FOUND")
  })
})

describe("A policy that blocks", () => {
  it("lets a draft be saved with its violation, and refuses to submit it until it is changed", async () => {
    const { id } = await create({ conditions: { field: "merchant", op: "eq", value: "casino royale" }, message: "No." })
    const expense = { ...dinner, amount: 10, merchant: "CASİNO Royale" }
    const draft = bodyOf<{ readonly id: string; readonly status: string; readonly violations: unknown }>(
      await send("POST", "/api/expenses", expense),
      201
    )
    const violation = {
      policy_id: id,
      policy_version: 1,
      name: "Receipts above 500",
      enforcement: "BLOCK",
      message: "No."
    }
    assert.deepInclude(draft, { status: "DRAFT", violations: [violation] })
    const blocked = await send("POST", `/api/expenses/${draft.id}/submit`)
    problemOf(blocked, 422, "POLICY_BLOCKED")
    assert.deepInclude(blocked.json as object, { violations: [violation] })
    problemOf(await send("POST", "/api/expenses", { ...expense, submit: true }), 422, "POLICY_BLOCKED")
    await send("PATCH", `${policiesPath}/${id}`, { enforcement: "WARN" })
    const submitted = bodyOf<object>(await send("POST", `/api/expenses/${draft.id}/submit`))
    assert.deepInclude(submitted, {
      status: "PENDING",
      violations: [{ ...violation, policy_version: 2, enforcement: "WARN" }]
    })
  })
})

describe("Trying policies on past months", () => {
  const count = 205
  const ids: Array<string> = []
  const policy = { name: "Above 150", enforcement: "WARN", conditions: { field: "amount", op: "gt", value: 150 } }
  const months = async (body: object) => linesOf(await send("POST", `${policiesPath}/evaluate`, body))

  beforeAll(async () => {
    // What other tests have left may block these.
    const { data } = bodyOf<Listed<Policy>>(await send("GET", `${policiesPath}?limit=100`))
    for (const { id } of data) await send("DELETE", `${policiesPath}/${id}`)
    for (let amount = 1; amount <= count; amount++) {
      const body = { amount, currency: "TRY", merchant: `Shop ${amount}`, category: "Office", submit: true }
      ids.push(bodyOf<{ readonly id: string }>(await send("POST", "/api/expenses", body), 201).id)
    }
    await send("POST", "/api/expenses", { amount: 999, currency: "TRY", merchant: "Only a draft" })
  }, 60_000)

  it("streams its progress, and at the end counts, sum and examples", async () => {
    const lines = await months({ policy, months: 1 })
    const result = lines.at(-1)
    const of = result?.evaluated ?? 0
    assert.isAtLeast(of, count)
    assert.deepStrictEqual(lines[0], { type: "progress", evaluated: 0, of })
    const steps = lines.slice(1, -1)
    assert.isNotEmpty(steps)
    for (const step of steps) assert.deepStrictEqual(step, { type: "progress", evaluated: step.evaluated, of })
    assert.strictEqual(result?.type, "result")
    assert.strictEqual(result?.by_enforcement?.WARN, result?.met)
    assert.lengthOf(result?.examples ?? [], 10)
    const [newest] = result?.examples ?? []
    assert.strictEqual(newest?.expense_id, ids.at(-1))
    assert.strictEqual(newest?.amount, count)
    assert.strictEqual(newest?.message, `Above 150: the amount ${count} TRY is over 150 TRY.`)
  })

  it("counts exactly what the policy would have met", async () => {
    const conditions = { all: [policy.conditions, { field: "merchant", op: "starts_with", value: "shop" }] }
    const result = (await months({ policy: { ...policy, conditions }, months: 1 })).at(-1)
    // 151 to 205: 55 expenses of 178 on average.
    assert.deepInclude(result, { met: 55, amount_met: 9_790, currency: "TRY" })
    const none = (await months({ policy: { ...policy, conditions: { any: [] } }, months: 24 })).at(-1)
    assert.deepInclude(none, { met: 0, amount_met: 0, examples: [] })
  })

  it("evaluates a stored expense alone as well, with its version named", async () => {
    const { id, version } = await create({ conditions: policy.conditions, message: null, name: "Saved" })
    const { results } = await evaluate({ policy_id: id, expense_id: ids.at(-1) })
    assert.deepStrictEqual(results, [
      {
        policy_id: id,
        policy_version: version,
        name: "Saved",
        enforcement: "BLOCK",
        met: true,
        message: `Saved: the amount ${count} TRY is over 150 TRY.`
      }
    ])
  })

  it("is not answered to another organization", async () => {
    const theirs = { key: "key_test_sandbox" }
    problemOf(await send("POST", `${policiesPath}/evaluate`, { expense_id: ids[0] }, theirs), 404, "NOT_FOUND")
    const lines = linesOf(await send("POST", `${policiesPath}/evaluate`, { policy, months: 24 }, theirs))
    const examples = lines.at(-1)?.examples ?? []
    for (const { expense_id } of examples) assert.notInclude(ids, expense_id)
  })
})
