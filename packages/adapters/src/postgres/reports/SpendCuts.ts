import { spentStatuses } from "@sarraf/domain/reports/Spend"

/** The columns of an expense that sums tell apart beside month, status and currency. */
const summedColumns = ["category", "department_id", "user_id", "merchant"] as const
export type SummedColumn = (typeof summedColumns)[number]

/**
 * Of which columns sums are kept, the fewest sums first. More pairs would not be worth it: of a busy organization's people
 * and merchants there are soon as many pairs as expenses. What asks for them is answered from the expenses themselves.
 */
const cuts: ReadonlyArray<readonly [string, ReadonlyArray<SummedColumn>]> = [
  ["total", []],
  ["category", ["category"]],
  ["department", ["department_id"]],
  ["user", ["user_id"]],
  ["merchant", ["merchant"]],
  ["category_department", ["category", "department_id"]]
]

/** Most reports are of what was spent: each cut is kept a second time, for the three statuses together. */
const spentCut = (cut: string) => `spent_${cut}`
/** What stands in such a sum for the status. */
const spentStatus = "'SPENT'"

const isSpent = (statuses: ReadonlyArray<string>) =>
  statuses.length === spentStatuses.length && spentStatuses.every((status) => statuses.includes(status))

/** Where sums are read: `isSpent` where those of the cut are of the statuses already. */
interface ChosenCut {
  readonly cut: string
  readonly isSpent: boolean
}

/** The cut with the fewest sums that tells these columns and statuses apart, if there is one. */
export const cutOf = (
  wanted: ReadonlyArray<SummedColumn>,
  statuses: ReadonlyArray<string> | undefined
): ChosenCut | undefined => {
  const [cut] = cuts.find(([, columns]) => wanted.every((column) => columns.includes(column))) ?? []
  if (cut === undefined) return undefined
  return statuses !== undefined && isSpent(statuses) ? { cut: spentCut(cut), isSpent: true } : { cut, isSpent: false }
}

/** The columns of `cutRows`. */
export const cutColumns: ReadonlyArray<string> = ["cut", "status", ...summedColumns]

const rowOf = (cut: string, status: string, columns: ReadonlyArray<SummedColumn>) =>
  `(${[`'${cut}'`, status, ...summedColumns.map((column) => (columns.includes(column) ? column : "NULL"))].join(", ")})`

/** Each cut as a row of SQL: its name, the status and the columns that it tells apart, the others null. */
export const cutRows: string = cuts
  .flatMap(([cut, columns]) => [rowOf(cut, "status", columns), rowOf(spentCut(cut), spentStatus, columns)])
  .join(", ")

/** Which of `cutRows` a change belongs to. */
export const belongsToCut = `cell.status <> ${spentStatus}
  OR taken.status IN (${spentStatuses.map((status) => `'${status}'`).join(", ")})`
