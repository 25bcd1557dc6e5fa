import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { makePresentDay } from "../organizations/PresentDay.ts"
import type { Bill } from "./Bill.ts"
import { type BillFilter, BillStore } from "./BillStore.ts"

/** What is looked for. */
export interface BillSearch extends Omit<BillFilter, "overdue"> {
  /** True: still to be paid, and due before today, where the organization is. False: everything else. */
  readonly overdue?: boolean
}

/** Driving port, for reading: what vendors want to be paid. A MEMBER sees none of it. */
export class Bills extends Context.Service<
  Bills,
  {
    get(id: string): Effect.Effect<Bill, NotFound | RoleMissing | Unavailable, Caller>
    list(search: BillSearch, page: PageRequest): Effect.Effect<Page<Bill>, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/bills/Bills") {
  static readonly layer: Layer.Layer<Bills, never, BillStore | Organizations> = Layer.effect(
    Bills,
    Effect.gen(function* () {
      const store = yield* BillStore
      const presentDay = yield* makePresentDay
      return Bills.of({
        get: Effect.fn("Bills.get")(function* (id) {
          yield* permitted("bill.read")
          const bill = yield* store.find(id)
          return bill === undefined ? yield* new NotFound({ resource: "bill", id }) : bill
        }),
        list: Effect.fn("Bills.list")(function* ({ overdue, ...filter }, page) {
          yield* permitted("bill.read")
          if (overdue === undefined) return yield* store.list(filter, page)
          return yield* store.list({ ...filter, overdue: { on: (yield* presentDay).date, is: overdue } }, page)
        })
      })
    })
  )
}
