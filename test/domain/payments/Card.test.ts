import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { type CardText, parseCard } from "@sarraf/domain/payments/Card"
import { Redacted, Result, Schema } from "effect"
import { cardDigits, visa } from "./support/SampleCards.ts"

const november = { year: 2026, month: 11, day: 15 }

const text = (changes: Partial<CardText> = {}): CardText => ({
  cardNumber: "4111 1111 1111 1111",
  cardExpMonth: "12",
  cardExpYear: "2027",
  cardCvc: "123",
  holderName: "Ayşe Yılmaz",
  ...changes
})

const fault = (changes: Partial<CardText>, now = november) => {
  const parsed = parseCard(text(changes), now)
  return Result.isFailure(parsed) ? parsed.failure : "accepted"
}

describe("parseCard", () => {
  it.each([
    ["7", "27"],
    ["07", "27"],
    ["7", "2027"],
    [" 07 ", " 2027 "]
  ])("reads the month %j and the year %j as 7 of 2027", (cardExpMonth, cardExpYear) => {
    const { expMonth, expYear } = Result.getOrThrow(parseCard(text({ cardExpMonth, cardExpYear }), november))
    assert.deepStrictEqual([expMonth, expYear], [7, 2027])
  })

  it.each(["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", " 4111 1111-11111111 "])(
    "reads the number %j",
    (cardNumber) => {
      assert.strictEqual(Result.getOrThrow(parseCard(text({ cardNumber }), november)).number.reveal(), visa)
    }
  )

  it.each(["0", "00", "13", "99", "", "x", "1.5", "-1", "012", "１２"])("refuses the month %j", (cardExpMonth) => {
    assert.include(fault({ cardExpMonth }), "expiry month must be 1 to 12")
  })

  it.each(["", "7", "027", "02027", "x", "20 27", "-27"])("refuses the year %j", (cardExpYear) => {
    assert.include(fault({ cardExpYear }), "expiry year must have two or four digits")
  })

  it.each([
    [{ year: 2026, month: 11, day: 30 }, "accepted"],
    [{ year: 2026, month: 12, day: 1 }, "accepted"],
    [{ year: 2026, month: 12, day: 2 }, "expired"],
    [{ year: 2027, month: 1, day: 1 }, "expired"]
  ])("judges a card of 11/2026 on %j: %s", (now, verdict) => {
    assert.include(fault({ cardExpMonth: "11", cardExpYear: "26" }, now), verdict)
  })

  it.each([
    [{ year: 2026, month: 12, day: 31 }, "accepted"],
    [{ year: 2027, month: 1, day: 1 }, "accepted"],
    [{ year: 2027, month: 1, day: 2 }, "expired"],
    [{ year: 2027, month: 2, day: 1 }, "expired"]
  ])("judges a card of 12/2026 across the turn of the year on %j: %s", (now, verdict) => {
    assert.include(fault({ cardExpMonth: "12", cardExpYear: "2026" }, now), verdict)
  })

  const Month = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))
  const Years = Schema.Int.check(Schema.isBetween({ minimum: -5, maximum: 29 }))

  it.prop(
    "accepts exactly the cards whose month has not ended somewhere on earth",
    [Month, Years, Month],
    ([month, years, today]) => {
      const expYear = 2026 + years
      const day = 10
      const isOver = expYear < 2026 || (expYear === 2026 && month < today)
      const verdict = fault({ cardExpMonth: `${month}`, cardExpYear: `${expYear}` }, { year: 2026, month: today, day })
      assert.strictEqual(verdict !== "accepted", isOver)
    }
  )

  it("refuses a year that is a typing error", () => {
    assert.include(fault({ cardExpYear: "2100" }), "too far ahead")
  })

  it.each([
    ["378282246310005", "1234", "accepted"],
    ["378282246310005", "123", "must have 4 digits"],
    [visa, "123", "accepted"],
    [visa, " 123 ", "accepted"],
    [visa, "1234", "must have 3 digits"],
    [visa, "12", "must have 3 digits"],
    [visa, "", "must have 3 digits"],
    [visa, "12a", "must have 3 digits"],
    [visa, "１２３", "must have 3 digits"]
  ])("takes for the card %s the security code %j: %s", (cardNumber, cardCvc, verdict) => {
    assert.include(fault({ cardNumber, cardCvc }), verdict)
  })

  it.prop(
    "shows neither number nor security code, whether it accepts or refuses",
    [cardDigits, Schema.String.check(Schema.isPattern(/^[0-9]{3}$/))],
    ([digits, code]) => {
      for (const cardCvc of [`7${code}7`, code, `${code}9`]) {
        const parsed = parseCard(text({ cardNumber: digits, cardCvc }), november)
        const written = JSON.stringify(parsed) + inspect(parsed, { depth: 9, showHidden: true })
        assert.notInclude(written, digits)
        assert.notMatch(written, new RegExp(`(?<![0-9*])${cardCvc}(?![0-9])`, "u"))
        if (Result.isSuccess(parsed)) assert.strictEqual(Redacted.value(parsed.success.cvc), cardCvc)
      }
    }
  )
})
