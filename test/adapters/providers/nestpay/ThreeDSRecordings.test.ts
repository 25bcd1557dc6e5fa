import { createHash } from "node:crypto"
import { assert, describe } from "@effect/vitest"
import { sandboxCredentials } from "@sarraf/adapters/providers/nestpay/Simulator"
import type { ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import type { ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted, Schema } from "effect"
import { cardNumber } from "../calls.ts"
import type { Expectation } from "../recordings.ts"
import { index, read, recorded, threeDSFiles } from "./Recording.ts"
import {
  answerWith,
  authorization,
  authorizeCall,
  lira,
  pagesUrl,
  postedElements,
  shopWith,
  signed,
  version3
} from "./Sample.ts"

const expectationOf = (file: string): Expectation => {
  assert.include(threeDSFiles, file)
  const entry = index.find((one) => one.file === file)
  assert(entry !== undefined)
  return entry.expect
}

const Fields = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Null]))
/** As it was posted: an empty value where the recording has null. */
const fieldsOf = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Schema.decodeUnknownSync(Fields)(read(file))).map(([name, value]) => [name, `${value ?? ""}`])
  )

const shopOf = (clientId: string, storeKey: string, ...answers: ReadonlyArray<ProviderResponse>) =>
  shopWith(
    { ...sandboxCredentials(pagesUrl), clientId, storeKey: Redacted.make(storeKey) },
    answers.map((answer) => Effect.succeed(answer))
  )

const returnOf = (returned: Readonly<Record<string, string>>, minor: bigint): ThreeDSReturn => ({
  authorization: authorization({
    reference: returned.oid ?? "",
    money: lira(minor),
    notes: { rnd: returned.rnd ?? "", lang: returned.lang ?? "" }
  }),
  installment: 1,
  returned,
  buyerIp: "127.0.0.1",
  requestId: "req_1",
  note: () => Effect.void
})

/** The retired version: the values that `HASHPARAMS` names, and the store key (provider sheet, section 3). */
const version1 = (fields: Readonly<Record<string, string>>, storeKey: string): string => {
  const names = (fields.HASHPARAMS ?? "").split(":").filter((name) => name !== "")
  const values = names.map((name) => fields[name] ?? "").join("")
  return createHash("sha1").update(`${values}${storeKey}`).digest("base64")
}

/** A recording of the retired version as the bank would post it today: the same fields under a hash of version 3. */
const renewed = (fields: Readonly<Record<string, string>>, storeKey: string) => {
  const { HASH: _, HASHPARAMS: __, HASHPARAMSVAL: ___, ...rest } = fields
  return signed({ ...rest, hashAlgorithm: "ver3" }, storeKey)
}

describe("recorded returns", () => {
  recorded("are signed as the index says, and none of the retired version is genuine", () =>
    Effect.sync(() => {
      for (const file of ["3ds-callback-authenticated.response.json", "3ds-callback-not-authenticated.response.json"]) {
        const { signatureValid, storeKey = "" } = expectationOf(file)
        const fields = fieldsOf(file)
        assert.strictEqual(version1(fields, storeKey) === fields.HASH, signatureValid)
        const { shop } = shopOf(fields.clientid ?? "", storeKey)
        assert.isFalse(shop.threeDS?.isGenuine(returnOf(fields, 101n)))
      }
    })
  )

  recorded("of an authenticated buyer lead to the completion", () =>
    Effect.gen(function* () {
      const file = "3ds-callback-authenticated.response.json"
      const { eci, mdStatus, outcome: expected, storeKey = "", threeDS } = expectationOf(file)
      const fields = fieldsOf(file)
      assert.deepStrictEqual([expected, threeDS, mdStatus], ["pending", "authenticated", fields.mdStatus])
      const approved = answerWith(Schema.decodeUnknownSync(Answer)(read("3ds-complete-approved.response.json")))
      const { requests, shop } = shopOf(fields.clientid ?? "", storeKey, approved)
      const call = returnOf(renewed(fields, storeKey), 101n)
      assert.isTrue(shop.threeDS?.isGenuine(call))
      const outcome = yield* shop.threeDS?.complete(call) ?? Effect.die(new Error("no 3-D Secure"))
      const elements = Object(requests[0] && postedElements(requests[0]))
      assert.deepStrictEqual([elements.Number, elements.PayerTxnId], [fields.md, fields.xid])
      assert.deepStrictEqual([elements.PayerSecurityLevel, elements.PayerAuthenticationCode], [eci, fields.cavv])
      assert(outcome._tag === "Accepted")
      assert.strictEqual(
        outcome.providerReference,
        index.find((entry) => entry.file === "3ds-complete-approved.response.json")?.expect.providerReference
      )
      assert.deepStrictEqual(outcome.echo, { reference: fields.oid ?? "", last4: "4358" })
    })
  )

  recorded("of a buyer who was not authenticated are refused", () =>
    Effect.gen(function* () {
      const file = "3ds-callback-not-authenticated.response.json"
      const { errorCode, mdStatus, storeKey = "" } = expectationOf(file)
      const fields = fieldsOf(file)
      const { requests, shop } = shopOf(fields.clientid ?? "", storeKey)
      const call = returnOf(renewed(fields, storeKey), 101n)
      assert.isTrue(shop.threeDS?.isGenuine(call))
      const outcome = yield* shop.threeDS?.complete(call) ?? Effect.die(new Error("no 3-D Secure"))
      assert(outcome._tag === "Refused")
      assert.deepStrictEqual([outcome.code, outcome.answer.fields.mdStatus], [errorCode, mdStatus])
      assert.strictEqual(requests.length, 0)
    })
  )

  recorded("of a card number that the gate did not take are refused with its code", () =>
    Effect.gen(function* () {
      const file = "3ds-callback-invalid-card.response.json"
      const { errorCode, providerErrorCode } = expectationOf(file)
      const recordedFields = fieldsOf(file)
      // The source starred shop, currency and hash.
      assert.deepStrictEqual([recordedFields.clientid, recordedFields.currency], ["*", "*"])
      const { HASH: _, ...kept } = recordedFields
      const fields = { ...kept, clientid: "190100000", currency: "949" }
      const { requests, shop } = shopOf("190100000", "123456")
      const call = returnOf(signed(fields, "123456"), 1n)
      assert.isTrue(shop.threeDS?.isGenuine(call))
      const outcome = yield* shop.threeDS?.complete(call) ?? Effect.die(new Error("no 3-D Secure"))
      assert(outcome._tag === "Refused")
      assert.deepStrictEqual([outcome.code, outcome.answer.responseCode], [errorCode, providerErrorCode])
      assert.strictEqual(requests.length, 0)
    })
  )

  recorded("of a bank page that charges are signed, read as the index says, and no word on our payments", () =>
    Effect.gen(function* () {
      const file = "3dpay-callback-approved-ver3.response.json"
      const expected = expectationOf(file)
      const fields = fieldsOf(file)
      const storeKey = expected.storeKey ?? ""
      assert.strictEqual(version3(fields, storeKey) === fields.HASH, expected.signatureValid)
      assert.strictEqual(fields.mdStatus, expected.mdStatus)
      const { ProcReturnCode = "", Response = "", TransId = "", AuthCode = "", HostRefNum = "", oid = "" } = fields
      const flattened = answerWith({ ProcReturnCode, Response, TransId, AuthCode, HostRefNum, OrderId: oid })
      const { shop } = shopOf(fields.clientid ?? "", storeKey, flattened)
      assert.isFalse(shop.threeDS?.isGenuine(returnOf(fields, 101n)))
      const outcome = yield* shop.authorize(authorizeCall())
      assert(outcome._tag === "Accepted" && expected.outcome === "approved")
      const { answer, providerReference } = outcome
      assert.deepStrictEqual(
        [providerReference, answer.responseCode, answer.fields.AuthCode],
        [expected.providerReference, expected.responseCode, expected.authCode]
      )
    })
  )
})

type Answer = { readonly [name: string]: string | Answer }
const Answer: Schema.Codec<Answer> = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.suspend(() => Answer)])
)

describe("recorded requests of 3-D Secure", () => {
  recorded(
    "have the fields of our form, which authorizes, comes back to one address, and has its own random value",
    () =>
      Effect.gen(function* () {
        const file = "3ds-init-form-ver3.request.json"
        expectationOf(file)
        const { shop } = shopOf("190100000", "123456")
        const { card } = authorizeCall()
        const outcome = yield* shop.authorize(
          authorizeCall({
            reference: "order222",
            money: lira(10_025n),
            card: {
              ...card,
              number: cardNumber("5555444433332226"),
              expMonth: 1,
              expYear: 2022,
              cvc: Redacted.make("123")
            },
            threeDS: { returnUrl: "https://domain.com/success" }
          })
        )
        assert(outcome._tag === "ActionRequired" && outcome.step.type === "form")
        const { hash, rnd, ...ours } = Redacted.value(outcome.step.fields)
        const { hash: _, rnd: __, ...theirs } = fieldsOf(file)
        const own = { TranType: "PreAuth", failUrl: "https://domain.com/success", pan: "5555444433332226" }
        assert.deepStrictEqual(ours, { ...theirs, ...own })
        assert.strictEqual(hash, version3({ ...ours, rnd: rnd ?? "" }, "123456"))
      })
  )

  recorded("have the elements of our completion, which authorizes", () =>
    Effect.gen(function* () {
      const file = "3ds-complete.request.json"
      expectationOf(file)
      const { Name: _, Password: __, ClientId = "", Type: ___, ...theirs } = fieldsOf(file)
      const back = {
        clientid: ClientId,
        storetype: "3d",
        hashAlgorithm: "ver3",
        oid: theirs.OrderId ?? "",
        amount: theirs.Total ?? "",
        currency: theirs.Currency ?? "",
        taksit: theirs.Taksit ?? "",
        rnd: "rand",
        lang: "tr",
        mdStatus: "1",
        md: theirs.Number ?? "",
        xid: theirs.PayerTxnId ?? "",
        eci: theirs.PayerSecurityLevel ?? "",
        cavv: theirs.PayerAuthenticationCode ?? ""
      }
      const { requests, shop } = shopOf(ClientId, "123456", answerWith({}))
      yield* shop.threeDS?.complete(returnOf(signed(back, "123456"), 10_025n)) ?? Effect.void
      const [request] = requests
      assert(request !== undefined)
      const { Name: ____, Password: _____, ClientId: ours, Type, ...rest } = Object(postedElements(request))
      assert.deepStrictEqual([ours, Type, rest], [ClientId, "PreAuth", theirs])
    })
  )
})
