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

/** The cut with the fewest sums that tells these columns apart, if there is one. */
export const cutOf = (wanted: ReadonlyArray<SummedColumn>): string | undefined =>
  cuts.find(([, columns]) => wanted.every((column) => columns.includes(column)))?.[0]

/** The columns of `cutRows`. */
export const cutColumns: ReadonlyArray<string> = ["cut", ...summedColumns]

/** Each cut as a row of SQL: its name, and the columns that it tells apart, the others null. */
export const cutRows: string = cuts
  .map(([cut, columns]) => [`'${cut}'`, ...summedColumns.map((column) => (columns.includes(column) ? column : "NULL"))])
  .map((values) => `(${values.join(", ")})`)
  .join(", ")
