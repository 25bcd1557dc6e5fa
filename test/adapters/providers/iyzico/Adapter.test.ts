import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import type { Outcome, RefusalCode } from "@sarraf/domain/payments/Outcome"
import { Effect } from "effect"
import { jsonAnswer } from "../answers.ts"
import {
  accountAnswering,
  accountSaying,
  authorization,
  authorizeCall,
  cancellation,
  captureCall,
  captured,
  detail,
  failure,
  hexOf,
  lira,
  liveCredentials,
  operationCall,
  payment,
  paymentId,
  reference,
  refund
} from "./Sample.ts"

const authorized = (...bodies: ReadonlyArray<unknown>) => accountSaying(...bodies).iyzico.authorize(authorizeCall())

const assertRefused = (outcome: Outcome, code: RefusalCode, mayTryAnother: boolean) => {
  assert(outcome._tag === "Refused", `not refused but ${outcome._tag}`)
  assert.deepStrictEqual([outcome.code, outcome.mayTryAnother], [code, mayTryAnother])
  assert.match(outcome.detail, /^[A-Z][^\n]{5,250}\.$/u)
}

describe("an authorization's approval", () => {
  it.effect("tells what was approved, and the item that a refund goes by", () =>
    Effect.gen(function* () {
      const outcome = yield* authorized(payment())
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, paymentId)
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1050n, currency: "TRY", last4: "0008" })
      assert.deepStrictEqual(outcome.notes, { paymentTransactionId: "24810001" })
      assert.strictEqual(outcome.answer.responseCode, "success")
      assert.deepStrictEqual(outcome.answer.fields, {
        status: "success",
        paymentId,
        conversationId: reference,
        basketId: reference,
        price: "10.5",
        paidPrice: "10.5",
        currency: "TRY",
        installment: "1",
        fraudStatus: "1",
        phase: "PRE_AUTH",
        authCode: "235467",
        hostReference: "mock00001iyzihostrfn",
        cardType: "CREDIT_CARD",
        cardAssociation: "MASTER_CARD",
        cardFamily: "Bonus"
      })
    })
  )

  it.effect("echoes the reference that is not ours, in whichever field it stands", () =>
    Effect.gen(function* () {
      for (const name of ["conversationId", "basketId"]) {
        const outcome = yield* authorized(payment({ [name]: "another" }))
        assert(outcome._tag === "Accepted")
        assert.strictEqual(outcome.echo.reference, "another")
      }
    })
  )

  it.effect("waits for a review that is not done, and refuses what the review rejected", () =>
    Effect.gen(function* () {
      const waiting = yield* authorized(payment({ fraudStatus: 0 }))
      assert(waiting._tag === "Pending")
      assert.deepStrictEqual([waiting.learnBy, waiting.providerReference], ["query", paymentId])
      assertRefused(yield* authorized(payment({ fraudStatus: -1 })), "CARD_DECLINED", false)
      assert.strictEqual((yield* authorized(payment({ fraudStatus: 2 })))._tag, "Unknown")
      const { fraudStatus: _, ...unsaid } = payment()
      assert.strictEqual((yield* authorized(unsaid))._tag, "Accepted")
    })
  )

  it.effect("is none where it was captured at once, or lacks its identifier or its amount", () =>
    Effect.gen(function* () {
      for (const changes of [
        { phase: "AUTH" },
        { phase: "POST_AUTH" },
        { paymentId: null },
        { paidPrice: null },
        { paidPrice: "10.505" },
        { paidPrice: "ten" }
      ]) {
        assert.strictEqual((yield* authorized(payment(changes)))._tag, "Unknown", JSON.stringify(changes))
      }
    })
  )
})

describe("an answer's signature", () => {
  const operations = ({ iyzico }: ReturnType<typeof accountSaying>) =>
    [
      ["authorize", payment(), () => iyzico.authorize(authorizeCall())],
      ["capture", captured(), () => iyzico.capture(captureCall(1050n))],
      [
        "refund",
        refund(),
        () =>
          iyzico.refund(
            operationCall(400n, { authorization: authorization({ notes: { paymentTransactionId: "24810001" } }) })
          )
      ],
      ["refund by payment", refund(), () => iyzico.refund(operationCall(400n))]
    ] as const

  for (const [index, [name, genuine]] of operations(accountSaying()).entries()) {
    const perform = (body: object) => {
      const account = accountSaying(body)
      return operations(account)[index]?.[2]() ?? Effect.die(new Error("no such operation"))
    }

    it.effect(`has to be right at ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* perform(genuine))._tag, "Accepted")
        const { signature, ...rest } = genuine
        assert.strictEqual((yield* perform(rest))._tag, "Accepted")
        const text = `${signature}`
        for (const wrong of [hexOf("other"), text.toUpperCase(), text.slice(1), `${text}0`, "ş".repeat(64)]) {
          assert.strictEqual((yield* perform({ ...rest, signature: wrong }))._tag, "Unknown")
        }
        // Signed before it was changed.
        assert.strictEqual((yield* perform({ ...genuine, currency: "USD" }))._tag, "Unknown")
      })
    )
  }

  it.effect("is demanded of a live account", () =>
    Effect.gen(function* () {
      const { signature: _, ...unsigned } = payment()
      const { iyzico } = accountAnswering([Effect.succeed(jsonAnswer(200, unsigned))], liveCredentials)
      assert.strictEqual((yield* iyzico.authorize(authorizeCall()))._tag, "Unknown")
      const text = [paymentId, "TRY", reference, reference, "10.5", "10.5"].join(":")
      const signed = { ...unsigned, signature: hexOf(text, "live-secret") }
      const live = accountAnswering([Effect.succeed(jsonAnswer(200, signed))], liveCredentials)
      assert.strictEqual((yield* live.iyzico.authorize(authorizeCall()))._tag, "Accepted")
    })
  )

  it.effect("of a refund by payment may be of the shorter kind, and of one by item may not", () =>
    Effect.gen(function* () {
      const shorter = { ...refund(), signature: hexOf(`${paymentId}:${reference}`) }
      const byPayment = yield* accountSaying(shorter).iyzico.refund(operationCall(400n))
      assert.strictEqual(byPayment._tag, "Accepted")
      const notes = { paymentTransactionId: "24810001" }
      const byItem = yield* accountSaying(shorter).iyzico.refund(
        operationCall(400n, { authorization: authorization({ notes }) })
      )
      assert.strictEqual(byItem._tag, "Unknown")
    })
  )
})

/** Provider sheet, section 5; the last column is whether an authorization may go to another provider. */
const codes: ReadonlyArray<readonly [string, RefusalCode, boolean]> = [
  ["10051", "INSUFFICIENT_FUNDS", false],
  ["10005 10012 10041 10043 10034 10057 10058 10093 10207 10209 10220 10224 10248", "CARD_DECLINED", false],
  ["10225 10226 10230 10234 10243 10244 10202 10204 10236", "CARD_DECLINED", false],
  ["12 10054 10084 10206 10215 10229 13 14 15 17", "INVALID_CARD", false],
  ["10210 10211 10217", "3DS_FAILED", false],
  ["10214 10216 10228 10241 10242 5115", "PROVIDER_ERROR", true],
  ["10213 5066 10221 10222 10232 10233 5184", "PROVIDER_ERROR", true],
  ["1000 1001 3005 6001 9000", "PROVIDER_ERROR", true],
  ["3 8 5002 5004 5013 5062", "PROVIDER_ERROR", true],
  ["5086 5092 5093 10223 10246", "PROVIDER_ERROR", false],
  // Of the issuers' group and not in the table.
  ["10299", "CARD_DECLINED", false]
]

describe("a failure", () => {
  for (const [listed, code, mayTryAnother] of codes) {
    it.effect(`${listed} is ${code}`, () =>
      Effect.gen(function* () {
        for (const errorCode of listed.split(" ")) {
          for (const status of [200, 400, 422]) {
            const { iyzico } = accountAnswering([Effect.succeed(jsonAnswer(status, failure(errorCode)))])
            const outcome = yield* iyzico.authorize(authorizeCall())
            assertRefused(outcome, code, mayTryAnother)
            assert(outcome._tag === "Refused")
            assert.strictEqual(outcome.answer.responseCode, errorCode)
            assert.deepStrictEqual(outcome.echo, { reference })
          }
          for (const step of ["capture", "refund", "cancel"] as const) {
            const { iyzico } = accountSaying(failure(errorCode))
            assertRefused(yield* iyzico[step](captureCall(1050n)), code, false)
          }
        }
      })
    )
  }

  it.effect("of a timeout, a system error or an unknown kind settles nothing", () =>
    Effect.gen(function* () {
      for (const errorCode of ["10219", "10240", "1", "2", "4711", "99999", "100510"]) {
        const outcome = yield* authorized(failure(errorCode))
        assert(outcome._tag === "Unknown", errorCode)
        assert.strictEqual(outcome.answer?.responseCode, errorCode)
      }
      const { errorCode: _, ...without } = failure("10051")
      assert.strictEqual((yield* authorized(without))._tag, "Unknown")
    })
  )

  it.effect("with a status of the server's own, and a success without status 200, settle nothing", () =>
    Effect.gen(function* () {
      for (const [status, body] of [
        [500, failure("10051")],
        [503, failure("5115")],
        [302, failure("10051")],
        [201, payment()],
        [400, payment()]
      ] as const) {
        const { iyzico } = accountAnswering([Effect.succeed(jsonAnswer(status, body))])
        assert.strictEqual((yield* iyzico.authorize(authorizeCall()))._tag, "Unknown", `${status}`)
      }
    })
  )

  it.effect("passes on nothing that iyzico wrote for people", () =>
    Effect.gen(function* () {
      const outcome = yield* authorized(failure("10051", { errorGroup: "NOT_SUFFICIENT_FUNDS" }))
      assert.notInclude(
        JSON.stringify(outcome, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
        "Not passed on"
      )
    })
  )
})

describe("a connection", () => {
  it.effect("that was refused has sent nothing, and one that was lost may have", () =>
    Effect.gen(function* () {
      const refused = accountAnswering([Effect.fail(new ConnectFailed({ reason: "ECONNREFUSED" }))])
      assert.strictEqual((yield* refused.iyzico.authorize(authorizeCall()))._tag, "NotSent")
      const lost = accountAnswering([Effect.fail(new NoAnswer({ reason: "ECONNRESET" }))])
      assert.strictEqual((yield* lost.iyzico.authorize(authorizeCall()))._tag, "Unknown")
      assert.lengthOf(lost.requests, 1)
    })
  )
})

describe("what iyzico cannot do", () => {
  const { ip: _, ...withoutIp } = authorizeCall().buyer
  const calls = {
    "a currency that it does not capture": { money: new Money({ currency: "GBP", minor: 1050n }) },
    "a currency that it does not have": { money: new Money({ currency: "AED", minor: 1050n }) },
    "installments in another currency": { money: new Money({ currency: "EUR", minor: 1050n }), installment: 3 },
    "a number of installments that it does not have": { installment: 4 },
    "a buyer without an IP address": { buyer: withoutIp }
  }
  for (const [name, changes] of Object.entries(calls)) {
    it.effect(`is not sent: ${name}`, () =>
      Effect.gen(function* () {
        const { iyzico, requests } = accountSaying()
        assert.strictEqual((yield* iyzico.authorize(authorizeCall(changes)))._tag, "NotSent")
        assert.isEmpty(requests)
      })
    )
  }
})

describe("a follow-up", () => {
  const another = "99999999"
  it.effect("is accepted with the amount that the answer tells", () =>
    Effect.gen(function* () {
      const capture = yield* accountSaying(captured({ paidPrice: 4, price: 10.5 })).iyzico.capture(captureCall(400n))
      assert(capture._tag === "Accepted")
      assert.strictEqual(capture.echo.minor, 400n)
      const back = yield* accountSaying(refund()).iyzico.refund(operationCall(400n))
      assert(back._tag === "Accepted")
      assert.deepStrictEqual(back.echo, { reference, minor: 400n, currency: "TRY" })
      const release = yield* accountSaying(cancellation()).iyzico.cancel(operationCall(1050n))
      assert(release._tag === "Accepted")
      assert.deepStrictEqual([release.providerReference, release.echo.minor], [paymentId, 1050n])
    })
  )

  it.effect("makes nothing certain of an answer about another payment or without an amount", () =>
    Effect.gen(function* () {
      const outcomes = [
        yield* accountSaying(captured({ paymentId: another })).iyzico.capture(captureCall(1050n)),
        yield* accountSaying(payment()).iyzico.capture(captureCall(1050n)),
        yield* accountSaying(refund({ paymentId: another })).iyzico.refund(operationCall(400n)),
        yield* accountSaying(refund({ price: null })).iyzico.refund(operationCall(400n)),
        yield* accountSaying(cancellation({ paymentId: another })).iyzico.cancel(operationCall(1050n))
      ]
      for (const outcome of outcomes) assert.strictEqual(outcome._tag, "Unknown")
    })
  )

  it.effect("asks for iyzico's identifier first where it is not known", () =>
    Effect.gen(function* () {
      const unknown = { authorization: authorization({ providerReference: null }) }
      const { iyzico, requests } = accountSaying(detail(), refund())
      assert.strictEqual((yield* iyzico.refund(operationCall(400n, unknown)))._tag, "Accepted")
      assert.deepStrictEqual(
        requests.map(({ url }) => new URL(url).pathname),
        ["/payment/detail", "/payment/refund"]
      )
      for (const first of [failure("5086"), detail({ basketId: "another" }), "no detail", failure("10219")]) {
        const { iyzico, requests } = accountSaying(first)
        assert.strictEqual((yield* iyzico.capture(captureCall(1050n, unknown)))._tag, "NotSent")
        assert.lengthOf(requests, 1)
      }
    })
  )

  it.effect("cancels nothing that is captured, since that would give it back", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying()
      const captures = [{ operationId: "op_0", providerReference: paymentId, minor: 400n, refundedMinor: 0n }]
      assertRefused(
        yield* iyzico.cancel({ ...operationCall(650n), captures, money: lira(650n) }),
        "PROVIDER_ERROR",
        false
      )
      assert.isEmpty(requests)
    })
  )
})
