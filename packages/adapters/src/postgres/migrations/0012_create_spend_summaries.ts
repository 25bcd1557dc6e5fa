import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** What changes and sums have in common: whose, of when and what for, and what is counted. */
const summed = `
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    month DATE NOT NULL CHECK (extract(day FROM month) = 1),
    status TEXT NOT NULL,
    category TEXT,
    merchant TEXT,
    user_id TEXT,
    department_id TEXT,
    currency TEXT NOT NULL,
    base_currency TEXT,
    expenses BIGINT NOT NULL,
    amount NUMERIC NOT NULL,
    base_amount NUMERIC NOT NULL,
    without_receipt BIGINT NOT NULL,
    decided BIGINT NOT NULL,
    decision_millis NUMERIC NOT NULL`

/** The columns that changes and sums are told apart by, and those that are added up. */
const dimensions = "organization_id, month, status, category, merchant, user_id, department_id, currency, base_currency"
const measures = ["expenses", "amount", "base_amount", "without_receipt", "decided", "decision_millis"]

/**
 * Writes what the rows of one statement on `expenses` add to the sums: an old row is taken away, a new one added. An
 * update of nothing that is summed writes nothing. Changes are only ever inserted, so that no transaction waits for
 * another one's.
 */
const recorder = (operation: string, rows: string) => `CREATE FUNCTION record_spend_of_${operation}() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO spend_changes (${dimensions}, ${measures.join(", ")})
    SELECT ${dimensions}, ${measures.map((measure) => `sum(sign * ${measure})`).join(", ")}
    FROM (
      SELECT sign, organization_id, date_trunc('month', date::timestamp)::date AS month, status, category, merchant, user_id,
        department_id, currency, base_currency, 1 AS expenses, amount::numeric AS amount,
        coalesce(base_minor, 0)::numeric AS base_amount, (receipt_url IS NULL)::int AS without_receipt,
        (decision IS NOT NULL)::int AS decided, coalesce(round(extract(epoch FROM decision) * 1000), 0) AS decision_millis
      FROM (SELECT *, decided_at - submitted_at AS decision FROM (${rows}) AS row) AS changed
    ) AS signed
    GROUP BY ${dimensions}
    HAVING ${measures.map((measure) => `sum(sign * ${measure}) <> 0`).join(" OR ")};
  RETURN NULL;
END $$`

const recorders = {
  insert: { rows: "SELECT 1 AS sign, * FROM new_rows", tables: "NEW TABLE AS new_rows" },
  update: {
    rows: "SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows",
    tables: "NEW TABLE AS new_rows OLD TABLE AS old_rows"
  },
  delete: { rows: "SELECT -1 AS sign, * FROM old_rows", tables: "OLD TABLE AS old_rows" }
}

/** The columns that the rows of a cut tell apart, beside month, status and currency; `spent_` counts three statuses as one. */
const cuts = ["total", "category", "department", "user", "merchant", "category_department"]

/**
 * Sums of expenses by month, status and currency, and by what a report groups by: `cut` names the columns that a row of
 * `spend_sums` tells apart, the others are null in it. What was not added to the sums yet is in `spend_changes`. A report
 * is the sum of both, and exact at every moment.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // For lists of a department: without it an empty one is looked for in all expenses.
  yield* sql`CREATE INDEX expenses_department ON expenses (organization_id, department_id, id)`

  yield* sql`CREATE TABLE spend_changes (${sql.literal(summed)},
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (organization_id, id))`
  yield* isolate("spend_changes", { grants: "SELECT, INSERT" })

  yield* sql`CREATE TABLE spend_sums (${sql.literal(summed)},
    cut TEXT NOT NULL,
    CONSTRAINT spend_sums_cell UNIQUE NULLS NOT DISTINCT
      (organization_id, cut, month, status, currency, base_currency, category, merchant, user_id, department_id))
    PARTITION BY LIST (cut)`
  for (const cut of cuts.flatMap((each) => [each, `spent_${each}`])) {
    yield* sql`CREATE TABLE ${sql(`spend_sums_${cut}`)} PARTITION OF spend_sums FOR VALUES IN (${sql.literal(`'${cut}'`)})
      WITH (fillfactor = 80)`
  }
  yield* isolate("spend_sums", { grants: "SELECT" })

  for (const [operation, { rows, tables }] of Object.entries(recorders)) {
    yield* sql`${sql.literal(recorder(operation, rows))}`
    yield* sql`CREATE TRIGGER record_spend_of_${sql.literal(operation)}
      AFTER ${sql.literal(operation.toUpperCase())} ON expenses REFERENCING ${sql.literal(tables)}
      FOR EACH STATEMENT EXECUTE FUNCTION record_spend_of_${sql.literal(operation)}()`
  }
})
