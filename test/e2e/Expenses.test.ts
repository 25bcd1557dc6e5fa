import { assert, describe, it } from "vitest"
import { faultPaths, instant, problemOf, replayed } from "./support/answers.ts"
import { bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { commandExpense, createExpense, type ExpenseAnswer, expensesPath } from "./support/expenses.ts"
import { useService } from "./support/Service.ts"

/** Expenses over HTTP with an API key (specification 4.2, contract section 6). Both sandbox organizations have one. */

const service = useService()
const client = makeClient(service)
const send = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")

const today = () => new Intl.DateTimeFormat("sv", { timeZone: "Europe/Istanbul" }).format(new Date())
const pathOf = (id: string, command?: string) => `${expensesPath}/${id}${command === undefined ? "" : `/${command}`}`
const present = async (id: string) => bodyOf<ExpenseAnswer>(await send("GET", pathOf(id)))
const idsOf = async (query: string, as = send) =>
  rowsOf<ExpenseAnswer>(await as("GET", `${expensesPath}?${query}`)).map(({ id }) => id)
const dayAfter = (days: number) => new Date(Date.parse(today()) + days * 86_400_000).toISOString().slice(0, 10)

describe("Creating an expense", () => {
  it("takes what the specification names, and answers a DRAFT that is found where Location says", async () => {
    const body = {
      amount: 149.9,
      currency: "TRY",
      merchant: "Migros",
      category: "Meals",
      receipt_url: "https://r.example/1"
    }
    const answer = await send("POST", expensesPath, body)
    const made = bodyOf<ExpenseAnswer>(answer, 201)
    assert.deepInclude(made, {
      ...body,
      status: "DRAFT",
      version: 1,
      date: today(),
      user_id: null,
      created_by: "key:sandbox",
      base_amount: 149.9,
      base_currency: "TRY",
      exchange_rate: "1"
    })
    assert.match(made.id, /^exp_[0-9a-z]{26}$/)
    assert.match(made.created_at, instant)
    assert.strictEqual(answer.headers.get("etag"), '"1"')
    assert.strictEqual(answer.headers.get("location"), pathOf(made.id))
    assert.deepStrictEqual(await present(made.id), made)
  })

  it("needs amount, currency and merchant alone; null counts as absent", async () => {
    const body = {
      amount: 1,
      currency: "TRY",
      merchant: "Opet",
      category: null,
      date: null,
      user_id: null,
      submit: null
    }
    assert.deepInclude(bodyOf<ExpenseAnswer>(await send("POST", expensesPath, body), 201), {
      category: null,
      date: today(),
      status: "DRAFT"
    })
  })

  it("takes any currency with its own decimals: none in JPY, three in KWD", async () => {
    assert.deepInclude(await createExpense(send, { amount: 1500, currency: "JPY" }), { amount: 1500, currency: "JPY" })
    assert.deepInclude(await createExpense(send, { amount: 1.055, currency: "KWD" }), {
      amount: 1.055,
      currency: "KWD"
    })
    assert.deepInclude(await createExpense(send, { amount: 0.1, currency: "EUR" }), { amount: 0.1 })
    for (const [amount, currency] of [
      [1.5, "JPY"],
      [1.0555, "KWD"],
      [1.005, "TRY"]
    ] as const) {
      assert.deepStrictEqual(faultPaths(await send("POST", expensesPath, { amount, currency, merchant: "x" })), [
        "amount"
      ])
    }
  })

  it("is refused with all its faults at once, and nothing is made", async () => {
    const before = await idsOf("limit=1")
    const body = {
      amount: -1,
      currency: "TRL",
      merchant: " ",
      category: 5,
      receipt_url: "javascript:alert(1)",
      date: "2026-02-30",
      submit: "yes",
      description: "a\u0000b"
    }
    assert.deepStrictEqual(faultPaths(await send("POST", expensesPath, body)), [
      "amount",
      "category",
      "currency",
      "date",
      "description",
      "merchant",
      "receipt_url",
      "submit"
    ])
    assert.deepStrictEqual(faultPaths(await send("POST", expensesPath, {})), ["amount", "currency", "merchant"])
    assert.deepStrictEqual(await idsOf("limit=1"), before)
  })

  it("may be dated tomorrow, and no later", async () => {
    assert.strictEqual((await createExpense(send, { date: dayAfter(1) })).date, dayAfter(1))
    const body = { amount: 1, currency: "TRY", merchant: "x", date: dayAfter(2) }
    assert.deepStrictEqual(faultPaths(await send("POST", expensesPath, body)), ["date"])
  })

  it("ignores fields that nobody knows, and names them", async () => {
    const made = await createExpense(send, { colour: "red", status: "APPROVED" })
    assert.strictEqual(made.status, "DRAFT")
    assert.deepStrictEqual(made.warnings?.map(({ path }) => path).sort(), ["colour", "status"])
  })

  it("does not find what the organization does not have", async () => {
    const receipt_url = "https://sarraf.example/api/receipts/rcp_01h455vb4pex5vsknk084sn02q"
    for (const fields of [
      { department_id: "dep_x" },
      { user_id: "usr_x" },
      { card_transaction_id: "ctx_x" },
      { receipt_url }
    ]) {
      const problem = problemOf(
        await send("POST", expensesPath, { amount: 1, currency: "TRY", merchant: "x", ...fields }),
        404,
        "NOT_FOUND"
      )
      assert.include(problem.detail, Object.keys(fields)[0] ?? "")
    }
  })

  it("submits at once where it is asked to", async () => {
    const made = await createExpense(send, { submit: true })
    assert.deepInclude(made, { status: "PENDING", version: 2, submitted_by: "key:sandbox" })
    assert.isNotNull(made.approval_id)
    assert.match(made.submitted_at ?? "", instant)
  })

  it("says which expense it may be the same as", async () => {
    const first = await createExpense(send, { amount: 311.4, merchant: "Kahve Dünyası A.Ş." })
    const second = await createExpense(send, { amount: 311.4, merchant: "KAHVE DUNYASI #17" })
    assert.deepStrictEqual(
      second.possible_duplicates.map(({ expense_id, score }) => [expense_id, score]),
      [[first.id, 100]]
    )
  })
})

describe("The life of an expense", () => {
  it("goes from DRAFT to REIMBURSED by the same key, and back from REJECTED", async () => {
    const { id } = await createExpense(send)
    assert.deepInclude(await commandExpense(send, id, "submit"), { status: "PENDING", version: 2 })
    assert.deepInclude(await commandExpense(send, id, "withdraw"), { status: "DRAFT", version: 3, submitted_at: null })
    await commandExpense(send, id, "submit", {})
    const rejected = await commandExpense(send, id, "reject", { reason: "No receipt" })
    assert.deepInclude(rejected, { status: "REJECTED", rejection_reason: "No receipt", decided_by: "key:sandbox" })
    assert.deepInclude(await commandExpense(send, id, "reopen"), { status: "DRAFT", rejection_reason: null })
    await commandExpense(send, id, "submit")
    const approved = await commandExpense(send, id, "approve")
    assert.deepInclude(approved, { status: "APPROVED", decided_by: "key:sandbox" })
    assert.match(approved.decided_at ?? "", instant)
    const paid = await commandExpense(send, id, "reimburse")
    assert.deepInclude(paid, { status: "REIMBURSED", version: 9, decided_at: approved.decided_at })
    assert.match(paid.reimbursed_at ?? "", instant)
    const history = rowsOf<{ readonly action: string; readonly actor: string }>(
      await send("GET", pathOf(id, "history"))
    )
    assert.deepStrictEqual(history.map(({ action }) => action).toReversed(), [
      "expense.created",
      "expense.submitted",
      "expense.withdrawn",
      "expense.submitted",
      "expense.rejected",
      "expense.reopened",
      "expense.submitted",
      "expense.approved",
      "expense.reimbursed"
    ])
  })

  it("submits a DRAFT that is approved or rejected", async () => {
    const { id } = await createExpense(send)
    const approved = await commandExpense(send, id, "approve")
    assert.deepInclude(approved, { status: "APPROVED", version: 3 })
    assert.match(approved.submitted_at ?? "", instant)
    const { id: second } = await createExpense(send)
    assert.strictEqual((await commandExpense(send, second, "reject")).status, "REJECTED")
  })

  it("tells in another state what is allowed instead, and changes nothing", async () => {
    const approved = await commandExpense(send, (await createExpense(send)).id, "approve")
    const commands = ["submit", "approve", "reject", "withdraw", "reopen"]
    for (const command of commands) {
      const { detail } = problemOf(await send("POST", pathOf(approved.id, command)), 409, "INVALID_STATE")
      assert.include(detail, "APPROVED")
      assert.include(detail, "reimburse")
    }
    problemOf(await send("PATCH", pathOf(approved.id), { merchant: "x" }), 409, "INVALID_STATE")
    problemOf(await send("DELETE", pathOf(approved.id)), 409, "INVALID_STATE")
    assert.deepStrictEqual(await present(approved.id), approved)
  })

  it("ends with the deletion of a DRAFT", async () => {
    const { id } = await createExpense(send)
    const gone = await send("DELETE", pathOf(id))
    assert.deepStrictEqual([gone.status, gone.text], [204, ""])
    problemOf(await send("GET", pathOf(id)), 404, "NOT_FOUND")
    problemOf(await send("DELETE", pathOf(id)), 404, "NOT_FOUND")
  })

  it("is decided once, however many decide at once", async () => {
    const { id } = await createExpense(send, { submit: true })
    const answers = await Promise.all(
      ["approve", "reject", "approve", "reject"].map((command) => send("POST", pathOf(id, command)))
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const won = answers.find(({ status }) => status === 200)
    assert.deepStrictEqual(await present(id), won?.json)
  })
})

describe("Changing an expense", () => {
  it("in DRAFT takes what is said and keeps the rest; an empty text takes away", async () => {
    const made = await createExpense(send, { description: "Pens", receipt_url: "https://r.example/2" })
    const body = { amount: 20.5, description: "", category: null, receipt_url: "http://r.example/3", colour: "red" }
    const answer = await send("PATCH", pathOf(made.id), body)
    const changed = bodyOf<ExpenseAnswer>(answer)
    assert.deepInclude(changed, {
      version: 2,
      amount: 20.5,
      base_amount: 20.5,
      description: null,
      category: "Office",
      receipt_url: "http://r.example/3",
      merchant: made.merchant
    })
    assert.deepStrictEqual(
      changed.warnings?.map(({ path }) => path),
      ["colour"]
    )
    assert.strictEqual(answer.headers.get("etag"), '"2"')
  })

  it("that says nothing new keeps the version", async () => {
    const made = await createExpense(send)
    for (const body of [{}, { merchant: made.merchant, amount: made.amount }]) {
      assert.deepStrictEqual(bodyOf(await send("PATCH", pathOf(made.id), body)), made)
    }
  })

  it("in PENDING starts its approval again", async () => {
    const made = await createExpense(send, { submit: true })
    const changed = bodyOf<ExpenseAnswer>(await send("PATCH", pathOf(made.id), { amount: 12 }))
    assert.deepInclude(changed, { status: "PENDING", version: made.version + 1, amount: 12 })
    assert.notStrictEqual(changed.approval_id, made.approval_id)
    problemOf(await send("POST", pathOf(made.id, "approve"), { version: made.version }), 412, "VERSION_CONFLICT")
    const approved = await commandExpense(send, made.id, "approve", { version: changed.version })
    assert.strictEqual(approved.status, "APPROVED")
  })

  it("is refused with all its faults at once", async () => {
    const { id } = await createExpense(send)
    const body = { amount: 0, merchant: "", currency: "try", date: "yesterday" }
    assert.deepStrictEqual(faultPaths(await send("PATCH", pathOf(id), body)), [
      "amount",
      "currency",
      "date",
      "merchant"
    ])
    assert.deepStrictEqual(faultPaths(await send("PATCH", pathOf(id), { currency: "JPY", amount: 1.5 })), ["amount"])
  })

  it("is for the version that If-Match names, as is every command", async () => {
    const made = await createExpense(send)
    const changed = bodyOf<ExpenseAnswer>(
      await send("PATCH", pathOf(made.id), { merchant: "New" }, { "if-match": '"1"' })
    )
    const stale = { "if-match": '"1"' }
    for (const command of ["submit", "approve", "reject"]) {
      problemOf(await send("POST", pathOf(made.id, command), undefined, stale), 412, "VERSION_CONFLICT")
    }
    problemOf(await send("PATCH", pathOf(made.id), { merchant: "Newer" }, stale), 412, "VERSION_CONFLICT")
    problemOf(await send("DELETE", pathOf(made.id), undefined, stale), 412, "VERSION_CONFLICT")
    assert.deepStrictEqual(await present(made.id), changed)
    bodyOf(await send("POST", pathOf(made.id, "submit"), undefined, { "if-match": '"1", "2"' }))
  })
})

describe("A policy that blocks", () => {
  it("lets a DRAFT be saved and refuses the rest, with every violation", async () => {
    const policy = (name: string, enforcement: string) => ({
      name,
      scope: "expense",
      enforcement,
      message: `${name} are not paid.`,
      conditions: { field: "merchant", op: "eq", value: "Casino Royale" }
    })
    for (const body of [policy("Bets", "WARN"), policy("Casinos", "BLOCK")]) {
      bodyOf(await send("POST", "/api/policies", body), 201)
    }
    // A Monday: the sandbox warns of weekends.
    const body = { amount: 10, currency: "TRY", merchant: "Casino Royale", date: "2026-01-05" }
    const drafted = bodyOf<ExpenseAnswer>(await send("POST", expensesPath, body), 201)
    assert.deepStrictEqual(
      drafted.violations.map(({ enforcement, name }) => [name, enforcement]),
      [
        ["Casinos", "BLOCK"],
        ["Bets", "WARN"]
      ]
    )
    for (const [path, content] of [
      [expensesPath, { ...body, submit: true }],
      [pathOf(drafted.id, "submit"), undefined],
      [pathOf(drafted.id, "approve"), undefined],
      [pathOf(drafted.id, "reject"), undefined]
    ] as const) {
      const answer = await send("POST", path, content)
      problemOf(answer, 422, "POLICY_BLOCKED")
      const { violations } = answer.json as { readonly violations: ReadonlyArray<object> }
      assert.deepStrictEqual(violations, drafted.violations)
    }
    assert.deepStrictEqual(await present(drafted.id), drafted)
    const waiting = await createExpense(send, { submit: true })
    problemOf(await send("PATCH", pathOf(waiting.id), { merchant: "Casino Royale" }), 422, "POLICY_BLOCKED")
    assert.deepStrictEqual(await present(waiting.id), waiting)
    assert.deepStrictEqual(await idsOf("merchant=Casino"), [drafted.id])
  })
})

describe("Two organizations", () => {
  it("see nothing of each other's", async () => {
    const mine = await createExpense(send)
    const theirs = await createExpense(other)
    assert.notInclude(await idsOf("limit=100"), theirs.id)
    assert.notInclude(await idsOf("limit=100", other), mine.id)
    problemOf(await other("GET", pathOf(mine.id)), 404, "NOT_FOUND")
    problemOf(await other("GET", pathOf(mine.id, "history")), 404, "NOT_FOUND")
    problemOf(await other("PATCH", pathOf(mine.id), { merchant: "x" }), 404, "NOT_FOUND")
    problemOf(await other("DELETE", pathOf(mine.id)), 404, "NOT_FOUND")
    for (const command of ["submit", "approve", "reject", "withdraw", "reopen", "reimburse"]) {
      problemOf(await other("POST", pathOf(mine.id, command)), 404, "NOT_FOUND")
    }
    assert.deepStrictEqual(await present(mine.id), mine)
  })
})

describe("An Idempotency-Key", () => {
  it("gives a command's first answer again, also when the expense has moved on", async () => {
    const { id } = await createExpense(send)
    const key = { "idempotency-key": `submit ${id}` }
    const first = await send("POST", pathOf(id, "submit"), undefined, key)
    await commandExpense(send, id, "approve")
    const again = await send("POST", pathOf(id, "submit"), undefined, key)
    assert.isTrue(replayed(again))
    assert.deepStrictEqual([again.status, again.text, again.headers.get("etag")], [200, first.text, '"2"'])
    problemOf(await send("POST", pathOf(id, "reimburse"), undefined, key), 422, "IDEMPOTENCY_CONFLICT")
  })

  it("is not used up by a command that is refused", async () => {
    const { id } = await createExpense(send)
    const key = { "idempotency-key": `reimburse ${id}` }
    problemOf(await send("POST", pathOf(id, "reimburse"), undefined, key), 409, "INVALID_STATE")
    await commandExpense(send, id, "approve")
    assert.isFalse(replayed(await send("POST", pathOf(id, "reimburse"), undefined, key)))
    assert.strictEqual((await present(id)).status, "REIMBURSED")
  })
})
