import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { type VendorFilter, VendorStore, type VendorsAsOf } from "@sarraf/domain/vendors/VendorStore"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { containing, when } from "../filterConditions.ts"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { type ContractRow, contractColumns, type VendorRow, vendorColumns, vendorOf } from "./VendorRows.ts"

/** Vendors in PostgreSQL. What was spent there is added up from their bills when they are read. */
export const layer = Layer.effect(
  VendorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin

    const vendors = Effect.fnUntraced(function* (
      conditions: ReadonlyArray<Statement.Fragment>,
      { baseCurrency, date }: VendorsAsOf,
      limit: number
    ) {
      const { organizationId } = yield* Caller
      const all = [sql`organization_id = ${organizationId}`, ...conditions]
      const rows = yield* sql<VendorRow>`WITH spent AS (
          SELECT vendor_id, sum(base_minor) AS minor, count(*)::int AS bills, sum(sum(base_minor)) OVER () AS everywhere
          FROM bills WHERE organization_id = ${organizationId} AND status IN ('APPROVED', 'SCHEDULED', 'PAID')
            AND issue_date > (${date}::date - interval '1 year')::date AND issue_date <= ${date}::date
            AND base_currency = ${baseCurrency}
          GROUP BY vendor_id)
        SELECT vendor.*, coalesce(minor, 0)::text AS spent, coalesce(bills, 0) AS spent_bills,
          coalesce(round(100 * minor / nullif(everywhere, 0), 1), 0)::float8 AS spent_share
        FROM (SELECT ${sql.literal(vendorColumns)} FROM vendors WHERE ${sql.and(all)} ORDER BY id DESC LIMIT ${limit}) AS vendor
        LEFT JOIN spent ON spent.vendor_id = vendor.id ORDER BY vendor.id DESC`
      const contracts = yield* sql<ContractRow>`SELECT ${sql.literal(contractColumns)} FROM vendor_contracts
        WHERE organization_id = ${organizationId} AND vendor_id = ANY (${rows.map(({ id }) => id)}::text[])
        ORDER BY vendor_contracts.renews_on NULLS LAST, number`
      const ofVendor = Map.groupBy(contracts, ({ vendor_id }) => vendor_id)
      return rows.map((row) => vendorOf(row, ofVendor.get(row.id) ?? [], baseCurrency))
    })

    const renewing = (before: string, { date }: VendorsAsOf) =>
      sql`id IN (SELECT vendor_id FROM vendor_contracts WHERE vendor_contracts.organization_id = vendors.organization_id
        AND renews_on >= ${date}::date AND renews_on < ${before}::date)`

    const filtered = (filter: VendorFilter, asOf: VendorsAsOf) => [
      ...when(filter.name, (name) => sql`(name ILIKE ${containing(name)} OR legal_name ILIKE ${containing(name)})`),
      ...when(
        filter.categories,
        (some) => sql`lower(category) IN (SELECT lower(named) FROM unnest(${[...some]}::text[]) AS named)`
      ),
      ...when(filter.statuses, (some) => sql`status = ANY (${[...some]}::text[])`),
      ...when(filter.minRisk, (score) => sql`risk_score >= ${score}`),
      ...when(filter.renewingBefore, (before) => renewing(before, asOf))
    ]

    return VendorStore.of({
      find: Effect.fn("PgVendorStore.find")(function* (id, asOf) {
        const [vendor] = yield* vendors([sql`id = ${id}`], asOf, 1)
        return vendor
      }, within),
      list: Effect.fn("PgVendorStore.list")(function* (filter, asOf, page) {
        const conditions = [...filtered(filter, asOf), ...when(page.after, (id) => sql`id < ${id}`)]
        return pageOf(yield* vendors(conditions, asOf, page.limit + 1), page)
      }, within)
    })
  })
)
