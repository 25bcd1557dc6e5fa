import { layer } from "@effect/vitest"
import * as PgFollowUps from "@sarraf/adapters/postgres/payments/PgFollowUps"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import { Layer } from "effect"
import * as Database from "../../support/Database.ts"
import { followUpsContract } from "./followUpsContract.ts"
import { insertOrganization } from "./support/Shop.ts"

const onDatabase = Layer.provideMerge(Layer.merge(PgPaymentStore.layer, PgFollowUps.layer), Database.layer)

layer(onDatabase)("PgFollowUps", (it) => followUpsContract(it, insertOrganization))
