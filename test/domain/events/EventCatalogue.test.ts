import { assert, describe, it } from "@effect/vitest"
import {
  eventCatalogue,
  exampleEvent,
  examplePayload,
  isEventType,
  payloadSchema
} from "@sarraf/domain/events/EventCatalogue"
import { type EventType, eventTypes } from "@sarraf/domain/events/EventLog"
import { eventPayload } from "@sarraf/domain/events/EventPayload"
import { ExpenseObject } from "@sarraf/domain/events/ExpenseEvents"
import { changedFields, expenseDocument } from "@sarraf/domain/expenses/ExpenseDocument"
import { Effect, Schema } from "effect"
import { sampleExpense } from "../expenses/support/SampleExpense.ts"

const strict = { errors: "all", onExcessProperty: "error" } as const

/** What a receiver would read: JSON, and nothing that JSON does not have. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const decode = (type: EventType, payload: unknown) =>
  Schema.decodeUnknownEffect(payloadSchema(type))(asJson(payload), strict)

const isoTimesIn = (text: string) => [...text.matchAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/gu)].map(([time]) => time)

describe.each(eventTypes)("%s", (type) => {
  it.effect("has an example that its own schema takes, with no member that the schema does not know", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* decode(type, examplePayload(type)), asJson(examplePayload(type)))
    })
  )

  it.effect("has a schema that misses a member of the object and refuses one too many", () =>
    Effect.gen(function* () {
      const payload = examplePayload(type)
      const { created_at: _, ...object } = payload.data.object
      const without = yield* Effect.flip(decode(type, { ...payload, data: { ...payload.data, object } }))
      assert.include(String(without), "created_at")
      const more = { ...payload.data.object, cvc: "123" }
      const withMore = yield* Effect.flip(decode(type, { ...payload, data: { ...payload.data, object: more } }))
      assert.include(String(withMore), "cvc")
    })
  )

  it("is described, and its example believable", () => {
    const { example, happens, objectName, prefix } = eventCatalogue[type]
    assert.match(happens, /^[A-Z].*\.$/u)
    assert.isNotEmpty(objectName)
    assert.strictEqual(example.object.id.split("_")[0], prefix)
    const text = JSON.stringify(example)
    assert.notMatch(text, /\b\d{12,19}\b/u, "no full card number")
    for (const time of isoTimesIn(text)) assert.strictEqual(new Date(time).toISOString(), time)
    for (const name of Object.keys(example.previous ?? {})) assert.property(example.object, name)
  })

  it.effect("is made with any object's id, and stays true", () =>
    Effect.gen(function* () {
      const objectId = `${eventCatalogue[type].prefix}_01h455vb4pex5vsknk084sn02q`
      const { object, previous, ...told } = exampleEvent(type, objectId)
      assert.deepStrictEqual(told, { type, objectId })
      const payload = eventPayload({
        id: "evt_01h455vb4pex5vsknk084sn02q",
        type,
        organizationId: "org_1",
        objectId,
        sequence: 1,
        data: { object, ...(previous === undefined ? {} : { previous }) },
        createdAt: 0
      })
      yield* decode(type, payload)
      assert.strictEqual(payload.data.object.id, objectId)
    })
  )
})

describe("The catalogue", () => {
  it("has the eleven types of the specification and no other", () => {
    assert.sameMembers(Object.keys(eventCatalogue), [...eventTypes])
    assert.strictEqual(eventTypes.length, 11)
    assert.isTrue(isEventType("card.frozen"))
    for (const text of ["card.melted", "", "*", "constructor"]) assert.isFalse(isEventType(text))
  })

  it.effect("is true of an expense with everything, and of its changes", () =>
    Effect.gen(function* () {
      const before = sampleExpense({ id: "exp_01h455vb4pex5vsknk084sn02q" })
      const after = sampleExpense({
        ...before,
        version: 2,
        status: "PENDING",
        receiptUrl: "https://example.com/1",
        violations: [{ policyId: "pol_1", policyVersion: 1, name: "Meals", enforcement: "WARN", message: "Much" }],
        duplicates: [{ expenseId: "exp_2", score: 80, reasons: ["the same merchant"] }],
        base: { minor: 14_990n, currency: "TRY", rate: "1.0000000000", rateDate: "2026-03-14" },
        submittedAt: before.createdAt
      })
      const object = yield* Schema.decodeUnknownEffect(ExpenseObject)(asJson(expenseDocument(after)), strict)
      assert.deepStrictEqual(asJson(object), asJson(expenseDocument(after)))
      const payload = examplePayload("expense.submitted")
      const previous = changedFields(before, after).before
      yield* decode("expense.submitted", { ...payload, data: { object: expenseDocument(after), previous } })
    })
  )
})
