import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Vendor, VendorStatus } from "./Vendor.ts"

/** Every condition that is given must hold. */
export interface VendorFilter {
  /** A part of the name or the legal name, any case. */
  readonly name?: string
  readonly categories?: ReadonlyArray<string>
  readonly statuses?: ReadonlyArray<VendorStatus>
  /** 0 to 100, included. */
  readonly minRisk?: number
  /** Has a contract that renews from the present day on, and before this day. */
  readonly renewingBefore?: CalendarDate
}

/** What vendors are read as of. */
export interface VendorsAsOf {
  /** The present day, where the organization is. */
  readonly date: CalendarDate
  /** In which `Vendor.spend` is. */
  readonly baseCurrency: string
}

/** Driven port, for reading: the vendors of the caller's organization. */
export class VendorStore extends Context.Service<
  VendorStore,
  {
    find(id: string, asOf: VendorsAsOf): Effect.Effect<Vendor | undefined, Unavailable, Caller>
    list(filter: VendorFilter, asOf: VendorsAsOf, page: PageRequest): Effect.Effect<Page<Vendor>, Unavailable, Caller>
  }
>()("@sarraf/domain/vendors/VendorStore") {}
