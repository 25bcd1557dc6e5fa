import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { followUpsContract } from "../../adapters/postgres/followUpsContract.ts"
import { notificationInboxContract } from "../../adapters/postgres/notificationInboxContract.ts"
import * as MemoryFollowUps from "./support/MemoryFollowUps.ts"
import * as MemoryInbox from "./support/MemoryInbox.ts"
import * as MemoryPaymentStore from "./support/MemoryPaymentStore.ts"

// What the use cases' tests stand on keeps the same contracts as the tables do.
const inMemory = Layer.merge(MemoryPaymentStore.layer, MemoryFollowUps.layer).pipe(
  Layer.provide(MemoryPaymentStore.Memory.layer)
)
layer(inMemory)("MemoryFollowUps", (it) => followUpsContract(it, () => Effect.void))
layer(MemoryInbox.layer)("MemoryInbox", (it) => notificationInboxContract(it))
