import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** The types of columns that a group of rows is written with. */
export type ColumnType = "text" | "integer" | "bigint" | "boolean" | "timestamptz" | "jsonb"

/** Columns in the order in which a statement names them. */
export type Columns = Readonly<Record<string, ColumnType>>

const elementOid: Readonly<Record<ColumnType, number>> = {
  text: PgTypes.OID.text,
  integer: PgTypes.OID.int4,
  bigint: PgTypes.OID.int8,
  boolean: PgTypes.OID.bool,
  timestamptz: PgTypes.OID.timestamptz,
  jsonb: PgTypes.OID.jsonb
}

/** Which row of the first table a row of another one belongs to: their places in their own parameters. */
export const owner = { ord: "integer" } as const

/** `a, b, c`, or `r.a, r.b, r.c`. */
export const names = (columns: Columns, alias = ""): string =>
  Object.keys(columns)
    .map((column) => `${alias}${column}`)
    .join(", ")

/** `a = source.a, b = source.b`, for an update. */
export const replaceBy = (columns: Columns, source: string): string =>
  Object.keys(columns)
    .map((column) => `${column} = ${source}.${column}`)
    .join(", ")

/**
 * Rows as one array a column, from parameter `first` on: `unnest($1::text[], $2::bigint[]) AS alias (a, b)`. Measured on
 * 32 rows of 26 columns: a third of the time that the same rows take as one JSON document.
 */
export const rowsFrom = (columns: Columns, first: number, alias: string): string => {
  const arrays = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`)
  return `unnest(${arrays.join(", ")}) AS ${alias} (${names(columns)})`
}

/** The parameters of `rowsFrom`: times are epoch milliseconds, JSON columns take any value. */
export const rowParameters = (
  columns: Columns,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): ReadonlyArray<PgTypes.Parameter> =>
  Object.entries(columns).map(([column, type]) =>
    Result.getOrThrow(
      PgTypes.array(
        rows.map((row) => row[column]),
        elementOid[type]
      )
    )
  )
