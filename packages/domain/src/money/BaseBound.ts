import { Effect, Result } from "effect"
import { InvalidFields } from "../errors/Refusals.ts"
import { fromDecimal } from "./Money.ts"

/**
 * A bound of a list's filter in minor units of the organization's currency: `baseBound("TRY", "149.90", "min_amount")` is
 * 14990n, and undefined where none is asked for. `InvalidFields` at the path where it is no amount of that currency.
 */
export const baseBound = (baseCurrency: string, decimal: string | undefined, path: string) => {
  if (decimal === undefined) return Effect.undefined
  const money = fromDecimal(baseCurrency, decimal)
  if (Result.isSuccess(money)) return Effect.succeed(money.success.minor)
  const message = `must be an amount in ${baseCurrency}: this is ${money.failure}`
  return Effect.fail(new InvalidFields({ faults: [{ path, message }] }))
}
