import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { paymentListContract } from "../../adapters/postgres/paymentListContract.ts"
import { paymentStoreContract } from "../../adapters/postgres/paymentStoreContract.ts"
import * as MemoryPaymentStore from "./support/MemoryPaymentStore.ts"

// What the use cases' tests stand on keeps the same contract as the tables do.
layer(MemoryPaymentStore.layer.pipe(Layer.provide(MemoryPaymentStore.Memory.layer)))("MemoryPaymentStore", (it) => {
  paymentStoreContract(it, () => Effect.void)
  paymentListContract(it)
})
