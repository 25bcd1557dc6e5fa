import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { CardNumber, hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { Cause, Console, Effect, Formatter, Logger, Redacted, Result, Schema } from "effect"
import { cardDigits, cardNumber, visa } from "./support/SampleCards.ts"

const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const Change = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))

const withDigit = (digits: string, place: number, change: number) => {
  const index = place % digits.length
  return digits.slice(0, index) + ((Number(digits[index]) + change) % 10) + digits.slice(index + 1)
}

describe("CardNumber.parse", () => {
  it.prop("accepts every number with a right check digit", [cardDigits], ([digits]) => {
    assert.strictEqual(
      Result.map(CardNumber.parse(digits), (number) => number.reveal()).pipe(Result.getOrThrow),
      digits
    )
  })

  it.prop("refuses a number of which one digit is another", [cardDigits, Place, Change], ([digits, place, change]) => {
    const wrong = withDigit(digits, place, change)
    assert.isFalse(hasValidCheckDigit(wrong))
    const parsed = CardNumber.parse(wrong)
    assert.isTrue(Result.isFailure(parsed) && parsed.failure.includes("check digit"))
  })

  it.prop("takes spaces and hyphens out wherever they are", [cardDigits, Place], ([digits, place]) => {
    const index = place % (digits.length + 1)
    for (const gap of [" ", "-", " - ", "\t"]) {
      assert.strictEqual(cardNumber(digits.slice(0, index) + gap + digits.slice(index)).reveal(), digits)
    }
  })

  it.each([
    ["4111 1111 1111 1111", "visa"],
    ["4000-0000-0000-9995", "visa"],
    ["5555 5555 5555 4444", "mastercard"],
    ["2223003122003222", "mastercard"],
    ["3782 822463 10005", "amex"],
    ["9792 0300 0000 0000", "troy"],
    ["6500528865393401", "troy"],
    ["6011 1111 1111 1117", "discover"],
    ["3056 9300 0902 0004", "diners"],
    ["36227206271667", "diners"],
    ["3566 0020 2036 0505", "jcb"],
    ["6200 0000 0000 0005", "unionpay"],
    ["6759 6498 2643 8453", "maestro"],
    ["1000 0000 0000 0008", "unknown"]
  ])("knows %s as %s", (text, brand) => {
    assert.strictEqual(cardNumber(text).brand, brand)
  })

  it.each(["9995", "0002", "0069", "3220", "3063", "0119", "0341", "0259", "0267"])(
    "accepts the sandbox's card that ends in %s",
    (last4) => {
      assert.deepStrictEqual(
        [cardNumber(`400000000000${last4}`).brand, cardNumber(`400000000000${last4}`).last4],
        ["visa", last4]
      )
    }
  )

  it("accepts the sandbox's card whose 3D Secure fails", () => {
    assert.strictEqual(cardNumber("4000 0084 0000 1629").first6, "400000")
  })

  it.each([
    "",
    "4111",
    "41111111111",
    "41111111111111111111",
    "4111x11111111111",
    "４１１１１１１１１１１１１１１１",
    "4111.1111.1111.1111"
  ])("refuses %j, which has not 12 to 19 digits", (text) => {
    const parsed = CardNumber.parse(text)
    assert.isTrue(Result.isFailure(parsed) && parsed.failure.includes("12 to 19 digits"))
  })

  it.prop("never repeats the number in its refusal", [cardDigits, Place, Change], ([digits, place, change]) => {
    const wrong = withDigit(digits, place, change)
    assert.notInclude(JSON.stringify(CardNumber.parse(wrong)), wrong)
  })
})

/** What the effect writes to the console under this logger, with everything that a person would see. */
const logged = <E>(effect: Effect.Effect<void, E>, logger: Logger.Logger<unknown, unknown>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const keep = (...parts: ReadonlyArray<unknown>) =>
      void lines.push(parts.map((part) => (typeof part === "string" ? part : inspect(part, deeply))).join(" "))
    const console = {
      ...(yield* Console.Console),
      log: keep,
      error: keep,
      info: keep,
      group: keep,
      groupCollapsed: keep
    }
    yield* effect.pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(Console.Console, console))
    return lines.join("\n")
  })

const deeply = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true } as const

const loggers = {
  json: Logger.consoleJson,
  logfmt: Logger.consoleLogFmt,
  structured: Logger.consoleStructured,
  pretty: Logger.consolePretty({ colors: false, mode: "tty" }),
  default: Logger.defaultLogger
}

describe("A card number in text", () => {
  const ways: Readonly<Record<string, (number: CardNumber) => string>> = {
    String: (number) => String(number),
    "a template": (number) => `${number}`,
    "JSON.stringify": (number) => JSON.stringify({ card: { number } }),
    "util.inspect": (number) => inspect({ card: [number] }, deeply),
    "Effect's Formatter": (number) => Formatter.format({ number }) + Formatter.formatJson({ number }),
    "its own members": (number) => JSON.stringify([Object.entries(number), { ...number }, Reflect.ownKeys(number)]),
    "an error's message": (number) => String(new Error(`refused ${number}`)),
    "a redacted wrapper": (number) => inspect(Redacted.make(number), deeply),
    "a cause": (number) => Cause.pretty(Cause.fail({ number })) + Cause.pretty(Cause.die(number))
  }

  for (const [way, write] of Object.entries(ways)) {
    it.prop(`is redacted in ${way}`, [cardDigits], ([digits]) => {
      assert.notInclude(write(cardNumber(digits)), digits)
    })
  }

  it.prop("shows the first six and the last four digits alone", [cardDigits], ([digits]) => {
    const text = String(cardNumber(digits))
    assert.strictEqual(text.length, digits.length)
    assert.strictEqual(inspect(cardNumber(digits)), text)
    assert.strictEqual(text, digits.slice(0, 6) + "*".repeat(digits.length - 10) + digits.slice(-4))
  })

  it("is 411111******1111 for the card that everybody knows", () => {
    assert.strictEqual(JSON.stringify(cardNumber(visa)), '"411111******1111"')
  })

  for (const [name, logger] of Object.entries(loggers)) {
    it.effect(`is redacted in the ${name} log, as a message, an annotation, and in a cause`, () =>
      Effect.gen(function* () {
        const number = cardNumber(visa)
        const writing = Effect.logError("Refused", number, { number }, Cause.die({ number })).pipe(
          Effect.annotateLogs({ number, nested: { number } })
        )
        const text = yield* logged(writing, logger)
        assert.include(text, "Refused")
        assert.notInclude(text, visa)
      })
    )
  }
})
