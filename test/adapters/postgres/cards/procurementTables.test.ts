import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  billIn,
  sampleBill,
  sampleCard,
  sampleTransaction,
  sampleVendor
} from "../../../domain/cards/support/SampleProcurement.ts"
import * as Database from "../../../support/Database.ts"
import { layerPostgres } from "../support/Arrangement.ts"
import { insertProcurement, organization } from "../support/Procurement.ts"

const tables = ["cards", "card_transactions", "vendors", "vendor_contracts", "bills"] as const

const contract = {
  title: "Lease",
  startsOn: "2026-01-01",
  endsOn: null,
  renewsOn: "2027-01-01",
  noticeDays: 30,
  annualMinor: 1n,
  currency: "TRY"
}

const everything = {
  cards: [sampleCard()],
  transactions: [sampleTransaction()],
  vendors: [sampleVendor({ contracts: [contract] })],
  bills: [sampleBill()]
}

layer(Layer.provideMerge(layerPostgres, Database.layer))("The tables of cards, vendors and bills", (it) => {
  it.effect("show and take an organization's own rows alone, whatever a statement forgot to say", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [own, theirs] = [yield* organization("own"), yield* organization("theirs")]
      yield* insertProcurement(own, everything)
      const within = <A, E, R>(organizationId: string, effect: Effect.Effect<A, E, R>) =>
        sql.withTransaction(
          Effect.andThen(
            sql`SELECT set_config('role', 'sarraf_tenant', true), set_config('sarraf.organization', ${organizationId}, true)`,
            effect
          )
        )
      for (const table of tables) {
        const rows = (organizationId: string) => within(organizationId, sql`SELECT * FROM ${sql(table)}`)
        assert.strictEqual((yield* rows(own)).length, 1, table)
        assert.strictEqual((yield* rows(theirs)).length, 0, table)
        const changed = yield* within(
          theirs,
          sql`UPDATE ${sql(table)} SET organization_id = organization_id RETURNING organization_id`
        )
        assert.strictEqual(changed.length, 0, table)
      }
      const smuggled = yield* Effect.result(
        within(theirs, insertProcurement(own, { vendors: [sampleVendor({ id: "vend_2" })] }))
      )
      assert.strictEqual(smuggled._tag, "Failure")
    })
  )

  it.effect("refuse rows that cannot be", () =>
    Effect.gen(function* () {
      const id = yield* organization("checked")
      yield* insertProcurement(id, everything)
      const impossible = [
        { cards: [sampleCard({ id: "card_2", status: "FROZEN" })] },
        { cards: [sampleCard({ id: "card_2", closedAt: 1 })] },
        { cards: [sampleCard({ id: "card_2", last4: "12345" })] },
        { cards: [sampleCard({ id: "card_2", validUntil: "2025-12-31" })] },
        { cards: [sampleCard({ id: "card_2", userId: "usr_nobody" })] },
        { transactions: [sampleTransaction({ id: "ctx_2", cardId: "card_2" })] },
        { transactions: [sampleTransaction({ id: "ctx_2", status: "DECLINED" })] },
        { transactions: [sampleTransaction({ id: "ctx_2", status: "CLEARED" })] },
        { transactions: [sampleTransaction({ id: "ctx_2", mcc: "58" })] },
        { vendors: [sampleVendor({ id: "vend_2", riskScore: 101 })] },
        { vendors: [sampleVendor({ id: "vend_2", bankAccount: { last4: "1234", country: "TR", currency: "TRY" } })] },
        { bills: [sampleBill({ id: "bill_2", vendorId: "vend_2" })] },
        { bills: [sampleBill({ id: "bill_2", taxMinor: 120_001n })] },
        { bills: [sampleBill({ ...billIn.APPROVED, id: "bill_2", digest: null })] },
        { bills: [sampleBill({ ...billIn.SCHEDULED, id: "bill_2", scheduledFor: null })] },
        { bills: [sampleBill({ ...billIn.PAID, id: "bill_2", paidAt: null })] },
        { bills: [sampleBill({ id: "bill_2", status: "REJECTED" })] }
      ]
      for (const rows of impossible) {
        const refused = yield* Effect.result(insertProcurement(id, rows))
        assert.strictEqual(refused._tag, "Failure", JSON.stringify(Object.keys(rows)))
      }
    })
  )
})
