import { Result } from "effect"
import { StateRefused } from "../errors/Refusals.ts"

/** state × command → state. A state that allows nothing has an empty row. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string>>>>

type KeysOfEach<T> = T extends T ? keyof T & string : never

/** Whatever may be done in some state. */
export type CommandOf<Table extends StateTable> = KeysOfEach<Table[keyof Table]>

/**
 * The state after the command, as the table has it: `decideBy("card", cardTransitions)("ACTIVE", "freeze")` is `FROZEN`.
 * `StateRefused`, with the commands that the state does allow, where it is not in the table.
 */
export const decideBy =
  <const Table extends StateTable>(
    resource: string,
    table: Table,
    isState: (state: string) => state is keyof Table & string
  ) =>
  (status: keyof Table & string, command: CommandOf<Table>): Result.Result<keyof Table & string, StateRefused> => {
    const row: Readonly<Record<string, string>> = table[status] ?? {}
    const next = row[command]
    return next !== undefined && isState(next)
      ? Result.succeed(next)
      : Result.fail(new StateRefused({ resource, status, allowed: Object.keys(row) }))
  }
