import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import type { ChallengeOwner } from "@sarraf/domain/payments/ChallengeTokens"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../../signing/Vault.ts"
import { deleteRows } from "../deleteRows.ts"
import { orUnavailable } from "../orUnavailable.ts"

const Step = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ type: Schema.Literal("redirect"), url: Schema.String }),
    Schema.Struct({
      type: Schema.Literal("form"),
      action: Schema.String,
      fields: Schema.Record(Schema.String, Schema.String)
    })
  ])
)
const decodeStep = Schema.decodeUnknownEffect(Step)
const encodeStep = Schema.encodeEffect(Step)

const textOf = (step: BuyerStep) =>
  encodeStep(step.type === "form" ? { ...step, fields: Redacted.value(step.fields) } : step)

const stepOf = (step: typeof Step.Type): BuyerStep =>
  step.type === "form" ? { ...step, fields: Redacted.make(step.fields, { label: "3D Secure form" }) } : step

/** A sealed step opens in its own payment's row only. */
const placeOf = ({ caller, paymentId }: ChallengeOwner): string =>
  `challenge_steps/${caller.organizationId}/${paymentId}`

/** Steps sealed by the installation's key in the UNLOGGED table `challenge_steps`; the database's clock ends them. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* makeVault

  const keep = Effect.fn("PgChallengeSteps.keep")(function* (owner: ChallengeOwner, step: BuyerStep, until: number) {
    const sealed = vault.seal(Redacted.make(yield* Effect.orDie(textOf(step))), placeOf(owner))
    yield* sql`INSERT INTO challenge_steps (organization_id, payment_id, sealed, expires_at)
      VALUES (${owner.caller.organizationId}, ${owner.paymentId}, ${sealed}, ${new Date(until)})
      ON CONFLICT (organization_id, payment_id) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at`
  }, orUnavailable)

  const take = Effect.fn("PgChallengeSteps.take")(
    function* (owner: ChallengeOwner) {
      const [row] = yield* sql<{ sealed: string; in_time: boolean }>`DELETE FROM challenge_steps
      WHERE organization_id = ${owner.caller.organizationId} AND payment_id = ${owner.paymentId}
      RETURNING sealed, expires_at > now() AS in_time`
      if (row === undefined || !row.in_time) return undefined
      const text = yield* vault.open(row.sealed, placeOf(owner))
      return stepOf(yield* Effect.orDie(decodeStep(Redacted.value(text))))
    },
    Effect.catchTag("SealBroken", ({ message }) =>
      // The challenge ends, as after a crash of the database; the buyer pays anew.
      Effect.as(Effect.logWarning(`A 3D Secure step could not be opened. ${message}`), undefined)
    ),
    orUnavailable
  )

  const sweep = orUnavailable(deleteRows(sql, "challenge_steps", sql`expires_at < now()`))

  return ChallengeSteps.of({ keep, take, sweep })
})

export const layer = Layer.effect(ChallengeSteps, make)
