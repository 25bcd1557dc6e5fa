import { toDecimal } from "./Money.ts"

/** Major units as a JSON number, for documents: 14990n of TRY → 149.9 (contract section 1). */
export const majorUnits = (currency: string, minor: bigint): number => Number(toDecimal(currency, minor))

export const majorUnitsOrNull = (currency: string, minor: bigint | null): number | null =>
  minor === null ? null : majorUnits(currency, minor)
