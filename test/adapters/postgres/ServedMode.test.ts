import { assert, layer } from "@effect/vitest"
import * as PgFollowUps from "@sarraf/adapters/postgres/payments/PgFollowUps"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import { ServedMode } from "@sarraf/adapters/postgres/ServedMode"
import { FollowUps } from "@sarraf/domain/payments/FollowUps"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Effect, Layer } from "effect"
import { noon, settledBy, tell } from "../../domain/payments/support/SamplePayment.ts"
import { lost } from "../../domain/payments/support/ScriptedProvider.ts"
import * as Database from "../../support/Database.ts"
import { insertOrganization, shop, storeHistory } from "./support/Shop.ts"

const live = Layer.merge(PgPaymentStore.layer, PgFollowUps.layer).pipe(
  Layer.provide(Layer.succeed(ServedMode, "live")),
  Layer.provideMerge(Database.layer)
)

const day = 86_400_000

layer(live)("A process of live mode", (it) => {
  it.effect("asks about no payment of a sandbox, expires none, and matches no notification with one", () =>
    Effect.gen(function* () {
      const followUps = yield* FollowUps
      const store = yield* PaymentStore
      const unknown = Effect.fnUntraced(function* (name: string, isSandbox: boolean) {
        const owner = shop(name)
        yield* insertOrganization(owner.caller.organizationId, isSandbox)
        const begun = owner.payment(1)
        yield* storeHistory(owner, [begun, tell(begun, settledBy(begun.payment, lost, noon + 1_000))])
        return begun.payment
      })
      yield* unknown("sandboxed", true)
      const real = yield* unknown("real", false)
      yield* followUps.enlist(noon + 30 * day, null)
      const claimed = yield* followUps.claim(noon + 30 * day, 100, [])
      assert.deepStrictEqual(
        claimed.map(({ caller, paymentId }) => [paymentId, caller.livemode]),
        [[real.id, true]]
      )
      assert.isUndefined(yield* store.findAttempt("akbank", "sandboxed-1"))
      const found = yield* store.findAttempt("akbank", "real-1")
      assert.strictEqual(found?.paymentId, real.id)
    })
  )
})
