import { assert, describe, it } from "@effect/vitest"
import {
  answerHash,
  formHash,
  isSameHash,
  requestHash,
  returnHash,
  secDataOf
} from "@sarraf/adapters/providers/garanti/Signature"
import { Effect, Redacted, Schema } from "effect"
import { recordingsOf } from "../recordings.ts"
import { credentials } from "./Sample.ts"

const { password, storeKey, terminalId } = credentials
const secData = secDataOf(password, terminalId)
const request = { orderId: "order222", terminalId, cardNumber: "", amount: "10025", currency: "949" }
const form = {
  terminalid: terminalId,
  orderid: "order222",
  txnamount: "10025",
  txncurrencycode: "949",
  successurl: "https://domain.com/success",
  errorurl: "https://domain.com/fail_url",
  txntype: "sales",
  txninstallmentcount: ""
}
const answer = {
  code: "00",
  retrefNum: "335709663080",
  authCode: "103550",
  provDate: "20231223 19:24:30",
  orderId: "202312238064"
}

describe("hashes by the sheet's vectors (section 3)", () => {
  it("mixes the password with the terminal's nine digits", () => {
    assert.strictEqual(Redacted.value(secData), "1639636D00AB5EF0B3CE073BB222BFAAC2C2C38D")
  })

  it("signs a request without a card, with one, and a void", () => {
    assert.strictEqual(
      requestHash(request, secData),
      "0CFE09F107274C6A07292DA061A4EECAB0F5F0CF87F831F2D3626A3346A941126C52D1D95A3B77ADF5AC348B3D25C76BA5D8D98A29557D087D3367BFFACCD25C"
    )
    assert.strictEqual(
      requestHash({ ...request, cardNumber: "5555444433332222" }, secData),
      "2005F771B622399C0EC7B8BBBE9B5F7989B9587175239F0695C1E5D3BFAA0CF6D747A9CEE64D78B7081CB5193541AD9D129B929653E2B68BCAE6939E281D752E"
    )
    assert.strictEqual(
      requestHash({ ...request, orderId: "4499996", amount: "100" }, secData),
      "C0C88761726D1844AF49FBE756DBE4586F7339169994CF700AE50AA8EAD0C8E81F5828C3392CE39CFC3F8C976FC3E24B576F4DB55DAF2E7D3A6F6B6E5E89B189"
    )
  })

  it("signs the form of 3-D Secure", () => {
    assert.strictEqual(
      formHash(form, storeKey, secData),
      "372D6CB20B2B699D0A6667DFF46E3AA8CF3F9D8C2BB69A7C411895151FFCFAAB5277CCFE3B3A06035FEEFBFBFD40C79DBE51DBF867D0A24B37335A28F0CEFDE2"
    )
  })

  it("verifies an answer", () => {
    assert.strictEqual(
      answerHash(answer, secData),
      "1724AAE56E9EF08EAF70633AB5F56F55E538A18201A3A98E03D1DDFC4E2A3185FF6421261F96B3F3B052F0090D5CC15F3254051304F0589BD2061F2622B320A0"
    )
  })

  it("compares hashes in either case, and tells others apart", () => {
    assert.isTrue(isSameHash("0aFf", "0AfF"))
    for (const other of ["0AFE", "0AF", "", "0AFF0"]) assert.isFalse(isSameHash("0AFF", other))
  })
})

const { read, recorded } = recordingsOf("garanti")
const Text = Schema.optionalKey(Schema.String)
const Vector = Schema.Struct({
  kind: Schema.String,
  orderId: Text,
  cardNumber: Text,
  amount: Text,
  currency: Text,
  successUrl: Text,
  errorUrl: Text,
  type: Text,
  installment: Text,
  fixture: Text,
  code: Text,
  retrefNum: Text,
  authCode: Text,
  provDate: Text,
  hash: Text
})
const Vectors = Schema.Struct({ secData: Schema.Struct({ value: Schema.String }), vectors: Schema.Array(Vector) })
const Returned = Schema.Record(Schema.String, Schema.NullOr(Schema.String))

const computed = (vector: typeof Vector.Type): readonly [actual: string, expected: string | undefined] => {
  const { amount = "", currency = "", orderId = "" } = vector
  if (vector.kind === "request") {
    const cardNumber = vector.cardNumber ?? ""
    return [requestHash({ orderId, terminalId, cardNumber, amount, currency }, secData), vector.hash]
  }
  if (vector.kind === "3d form") {
    const fields = {
      terminalid: terminalId,
      orderid: orderId,
      txnamount: amount,
      txncurrencycode: currency,
      successurl: vector.successUrl ?? "",
      errorurl: vector.errorUrl ?? "",
      txntype: vector.type ?? "",
      txninstallmentcount: vector.installment ?? ""
    }
    return [formHash(fields, storeKey, secData), vector.hash]
  }
  if (vector.kind === "response") {
    const { authCode = "", code = "", provDate = "", retrefNum = "" } = vector
    return [answerHash({ code, retrefNum, authCode, provDate, orderId }, secData), vector.hash]
  }
  const returned = Schema.decodeUnknownSync(Returned)(read(vector.fixture ?? ""))
  const fields = Object.fromEntries(Object.entries(returned).map(([name, value]) => [name, value ?? ""]))
  const names = (fields.hashparams ?? "").split(":").filter((name) => name !== "")
  return [returnHash(fields, names, storeKey), fields.hash]
}

describe("hashes by the recorded vectors", () => {
  recorded("hold, each of hash-vectors.json", () =>
    Effect.sync(() => {
      const file = Schema.decodeUnknownSync(Vectors)(read("hash-vectors.json"))
      assert.strictEqual(Redacted.value(secData), file.secData.value)
      assert.lengthOf(file.vectors, 7)
      for (const vector of file.vectors) {
        const [actual, expected] = computed(vector)
        assert.strictEqual(actual, expected)
      }
    })
  )
})
