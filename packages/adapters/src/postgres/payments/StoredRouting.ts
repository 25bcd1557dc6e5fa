import type { RoutingExplanation, RoutingFigures } from "@sarraf/domain/routing/Route"
import { Schema, SchemaTransformation } from "effect"

const healths = ["closed", "halfOpen", "open"] as const

/** As it was kept until each reason was written once. */
const Spelled = Schema.Struct({
  order: Schema.Array(Schema.String),
  rule: Schema.NullOr(Schema.String),
  policyVersion: Schema.Finite,
  reasons: Schema.Record(Schema.String, Schema.String),
  decidedBy: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        provider: Schema.String,
        costBasisPoints: Schema.Finite,
        successRate: Schema.Finite,
        health: Schema.Literals(healths)
      })
    )
  )
})

const Grouped = Schema.Struct({
  order: Schema.Array(Schema.String),
  rule: Schema.NullOr(Schema.String),
  policyVersion: Schema.Finite,
  /** The providers that a reason holds for, by the reason. */
  reasonOf: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  /** Provider, basis points, success rate, health. */
  figures: Schema.optionalKey(
    Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.Finite, Schema.Literals(healths)]))
  )
})

type Stored = typeof Grouped.Type

const spell = ({ figures, reasonOf, ...rest }: Stored): RoutingExplanation => {
  const reasons = Object.entries(reasonOf).flatMap(([reason, providers]) =>
    providers.map((provider) => [provider, reason] as const)
  )
  const decidedBy = figures?.map(
    ([provider, costBasisPoints, successRate, health]): RoutingFigures => ({
      provider,
      costBasisPoints,
      successRate,
      health
    })
  )
  return {
    ...rest,
    reasons: Object.fromEntries(reasons.sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(decidedBy === undefined ? {} : { decidedBy })
  }
}

/**
 * A routing explanation as it is stored: dozens of providers share a few reasons, so that each reason is written once.
 * Spelled out for each provider it was most of a payment's bytes, and more than PostgreSQL stores uncompressed.
 */
export const groupReasons = ({ decidedBy, reasons, ...rest }: RoutingExplanation): Stored => {
  const reasonOf: Record<string, Array<string>> = {}
  for (const [provider, reason] of Object.entries(reasons)) {
    const providers = reasonOf[reason]
    if (providers === undefined) reasonOf[reason] = [provider]
    else providers.push(provider)
  }
  const figures = decidedBy?.map(
    ({ costBasisPoints, health, provider, successRate }) => [provider, costBasisPoints, successRate, health] as const
  )
  return { ...rest, reasonOf, ...(figures === undefined ? {} : { figures }) }
}

/** Reads what `groupReasons` wrote, and what was written before it. */
export const StoredRouting = Schema.Union([
  Grouped.pipe(Schema.decodeTo(Spelled, SchemaTransformation.transform({ decode: spell, encode: groupReasons }))),
  Spelled
])
