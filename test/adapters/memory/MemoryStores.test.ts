import { assert, layer } from "@effect/vitest"
import { Memory } from "@sarraf/adapters/memory/Memory"
import * as MemoryChallengeSteps from "@sarraf/adapters/memory/MemoryChallengeSteps"
import * as MemoryFollowUps from "@sarraf/adapters/memory/MemoryFollowUps"
import * as MemoryNotificationInbox from "@sarraf/adapters/memory/MemoryNotificationInbox"
import * as MemoryPaymentStore from "@sarraf/adapters/memory/MemoryPaymentStore"
import * as MemoryRequestLedger from "@sarraf/adapters/memory/MemoryRequestLedger"
import type { RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Clock, Effect, Layer } from "effect"
import { begunEvent, request, start, told } from "../../domain/payments/support/SamplePayment.ts"
import { challengeStepsContract } from "../postgres/challengeStepsContract.ts"
import { followUpsContract } from "../postgres/followUpsContract.ts"
import { notificationInboxContract } from "../postgres/notificationInboxContract.ts"
import { paymentListContract } from "../postgres/paymentListContract.ts"
import { paymentStoreContract } from "../postgres/paymentStoreContract.ts"
import { requestLedgerContract } from "../postgres/requestLedgerContract.ts"

// The stores in memory keep the same contracts as the tables do.
const stores = Layer.mergeAll(MemoryPaymentStore.layer, MemoryFollowUps.layer, MemoryRequestLedger.layer).pipe(
  Layer.provide(Memory.layer)
)

const begin = Effect.fnUntraced(function* (record: RequestRecord, at: number) {
  const asked = request({
    id: record.paymentId,
    organizationId: record.organizationId,
    clientId: record.caller,
    merchantReference: `order of ${record.paymentId}`,
    createdAt: at
  })
  const attempt = start({ reference: `reference of ${record.paymentId}` })
  const event = { ...begunEvent(asked, attempt), at }
  assert.isTrue(yield* (yield* PaymentStore).begin(told(asked, attempt).payment, event, record))
})

layer(Layer.fresh(stores))("MemoryPaymentStore", (it) => {
  paymentStoreContract(it, () => Effect.void)
  paymentListContract(it)
})
layer(Layer.fresh(stores))("MemoryFollowUps", (it) => followUpsContract(it, () => Effect.void))
layer(Layer.fresh(stores))("MemoryRequestLedger", (it) => {
  requestLedgerContract(it, { begin, now: Clock.currentTimeMillis })
})
layer(MemoryNotificationInbox.layer)("MemoryNotificationInbox", (it) => notificationInboxContract(it))
layer(MemoryChallengeSteps.layer)("MemoryChallengeSteps", (it) => challengeStepsContract(it, Clock.currentTimeMillis))
