import type { ConditionJson } from "@sarraf/domain/policies/Condition"
import { fieldNames } from "@sarraf/domain/policies/fields"
import { operators } from "@sarraf/domain/policies/operators"
import { readCondition } from "@sarraf/domain/policies/readCondition"
import { Schema } from "effect"

/** Money names its currency, or is in the base currency's major units. */
const Item = Schema.Union([
  Schema.String,
  Schema.Finite,
  Schema.Boolean,
  Schema.Struct({ amount: Schema.Finite, currency: Schema.String })
])

/** A condition as answers show it; the language is described in docs/policies.md. */
export const PolicyCondition: Schema.Codec<ConditionJson> = Schema.Union([
  Schema.Struct({
    field: Schema.String.annotate({ description: fieldNames.join(", ") }),
    op: Schema.Literals(operators),
    value: Schema.Union([Item, Schema.Array(Item)])
  }),
  Schema.Struct({ all: Schema.Array(Schema.suspend(() => PolicyCondition)) }),
  Schema.Struct({ any: Schema.Array(Schema.suspend(() => PolicyCondition)) }),
  Schema.Struct({ not: Schema.suspend(() => PolicyCondition) })
]).annotate({ identifier: "PolicyCondition" })

/**
 * A condition as requests bring it. The domain reads it, since it knows which operators and values fit which field and
 * tells all faults with their paths; its members that mean nothing are unknown fields like those of any body.
 */
export const Conditions = Schema.Json.check(
  Schema.makeFilter(
    (json: Schema.Json, _, options) => {
      const { faults, unknown } = readCondition(json)
      const ignored = options.onExcessProperty === "error" ? unknown : []
      return [
        ...faults.map(({ message, path }) => ({ path, issue: message })),
        ...ignored.map((path) => ({ path, issue: "is not a known field" }))
      ]
    },
    {
      representation: { id: "@sarraf/runtime-http/Conditions", payload: null, schemas: [PolicyCondition.ast] },
      toJsonSchema: ({ schemas: [schema = {}] }) => [schema, true]
    }
  )
)
