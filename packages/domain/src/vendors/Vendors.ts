import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { makePresentDay } from "../organizations/PresentDay.ts"
import type { Vendor } from "./Vendor.ts"
import { type VendorFilter, VendorStore } from "./VendorStore.ts"

/** Driving port, for reading: whom the organization buys from, how risky that is, and what was spent there. */
export class Vendors extends Context.Service<
  Vendors,
  {
    get(id: string): Effect.Effect<Vendor, NotFound | RoleMissing | Unavailable, Caller>
    list(filter: VendorFilter, page: PageRequest): Effect.Effect<Page<Vendor>, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/vendors/Vendors") {
  static readonly layer: Layer.Layer<Vendors, never, Organizations | VendorStore> = Layer.effect(
    Vendors,
    Effect.gen(function* () {
      const store = yield* VendorStore
      const presentDay = yield* makePresentDay
      const asOf = Effect.map(presentDay, ({ date, organization: { baseCurrency } }) => ({ date, baseCurrency }))
      return Vendors.of({
        get: Effect.fn("Vendors.get")(function* (id) {
          yield* permitted("vendor.read")
          const vendor = yield* store.find(id, yield* asOf)
          return vendor === undefined ? yield* new NotFound({ resource: "vendor", id }) : vendor
        }),
        list: Effect.fn("Vendors.list")(function* (filter, page) {
          yield* permitted("vendor.read")
          return yield* store.list(filter, yield* asOf, page)
        })
      })
    })
  )
}
