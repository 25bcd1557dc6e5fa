import type { Statement } from "effect/sql"

/** The condition of a filter that is asked for; none where it is not. */
export const when = <A>(
  value: A | undefined,
  condition: (value: A) => Statement.Fragment
): ReadonlyArray<Statement.Fragment> => (value === undefined ? [] : [condition(value)])

/** For ILIKE: a text that a column contains; what is a wildcard stands for itself. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/gu, "\\$&")}%`
