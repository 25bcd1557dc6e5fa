import { assert, it } from "@effect/vitest"
import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { toDecimal } from "@sarraf/domain/money/Money"
import { operationBody } from "@sarraf/runtime-http/handlers/transactionBody"
import { Schema } from "effect"

const Minor = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999_999_999 }))

it.prop("tells an amount as the number that its decimal text is", [PaymentCurrency, Minor], ([currency, minor]) => {
  const operation = {
    id: "op_01h455vb4pex5vsknk084sn02q",
    type: "CAPTURE",
    minor: BigInt(minor),
    final: true,
    status: "SUCCEEDED",
    reference: null,
    providerRequest: "r1",
    providerReference: null,
    responseCode: "00",
    fields: {},
    availableFrom: null,
    error: null,
    createdAt: 0,
    deadline: null,
    completedAt: 0
  } as const
  assert.strictEqual(operationBody(currency, operation).amount, Number(toDecimal(currency, BigInt(minor))))
})
