import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Bill } from "./Bill.ts"
import type { BillStatus } from "./BillStatus.ts"

/** Every condition that is given must hold. */
export interface BillFilter {
  readonly statuses?: ReadonlyArray<BillStatus>
  readonly vendorId?: string
  /** First and last due date, both included. */
  readonly dueFrom?: CalendarDate
  readonly dueTo?: CalendarDate
  /** Whether it was still to be paid when this day began, and due before it. */
  readonly overdue?: { readonly on: CalendarDate; readonly is: boolean }
}

/** Driven port, for reading: the bills of the caller's organization. */
export class BillStore extends Context.Service<
  BillStore,
  {
    find(id: string): Effect.Effect<Bill | undefined, Unavailable, Caller>
    list(filter: BillFilter, page: PageRequest): Effect.Effect<Page<Bill>, Unavailable, Caller>
  }
>()("@sarraf/domain/bills/BillStore") {}
