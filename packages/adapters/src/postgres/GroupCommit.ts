import { Array, Cause, Context, Effect, Exit, Request, RequestResolver, Semaphore, Tracer } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { isLostDatabase } from "./lostDatabase.ts"

/** Measured: 1,024 rows a statement are slower, and fewer make more round trips and flushes to disk. */
const rowsMaxDefault = 256

/**
 * Statements of one kind at once. Measured with authorizations at 32 connections: the rows of one statement grow while it
 * waits for the one before, and the database spends 335 µs on a payment with one, 371 with two, 385 with four.
 */
const statementsAtOnce = 1

/** A row can only be at fault when the database refused the statement as a whole, and so has written nothing. */
const isRefused = (cause: Cause.Cause<SqlError.SqlError>) =>
  cause.reasons.every((reason) => Cause.isFailReason(reason) && !isLostDatabase(reason.error))

/**
 * Lets concurrent calls share one multi-row statement, so that one round trip and one flush to disk serve them all.
 * The calls of one turn of the event loop form a batch, cut into statements of at most `rowsMax` rows (256); a call
 * that is alone waits for nobody.
 *
 * `statement` answers one result per item, in the items' order (`WITH ORDINALITY` and `ORDER BY`); another number of
 * results is a defect. It runs with the services that were there when `make` ran, never inside a caller's transaction,
 * and to its end: a caller that is interrupted while its statement runs leaves its row written.
 *
 * Each call fails alone: when a statement cannot be built from its items or the database refuses it, its rows are
 * repeated one by one. Where the rows may have been written, which is after a lost database (`isLostDatabase`) and after
 * a defect, nothing is repeated: every call of that statement gets the error.
 */
export const make = Effect.fnUntraced(function* <In, Out>(options: {
  readonly statement: (items: Array.NonEmptyReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, SqlError.SqlError>
  readonly rowsMax?: number
}): Effect.fn.Return<(item: In) => Effect.Effect<Out, SqlError.SqlError>, never, SqlClient.SqlClient> {
  class Row extends Request.Class<{ readonly item: In }, Out, SqlError.SqlError> {}
  type Rows = Array.NonEmptyReadonlyArray<Request.Entry<Row>>
  const rowsMax = options.rowsMax ?? rowsMaxDefault
  // A batch would otherwise run with the services of its first caller: in that caller's transaction, if it has one.
  // The span that is open now has ended by the time of the first batch.
  const home = Context.omit(Tracer.ParentSpan)(yield* Effect.context<SqlClient.SqlClient>())

  const write = (rows: Rows): Effect.Effect<void> =>
    Effect.try({
      try: () => options.statement(Array.map(rows, ({ request }) => request.item)),
      catch: (cause) => new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message: "Not built" }) })
    }).pipe(
      Effect.flatten,
      Effect.flatMap((results) =>
        results.length === rows.length
          ? Effect.succeed(results)
          : Effect.die(new Error(`The statement answered ${results.length} results for ${rows.length} items.`))
      ),
      Effect.matchCauseEffect({
        onSuccess: (results) =>
          Effect.sync(() => {
            for (const [row, result] of Array.zip(rows, results)) row.completeUnsafe(Exit.succeed(result))
          }),
        onFailure: (cause) =>
          rows.length > 1 && isRefused(cause)
            ? Effect.forEach(rows, (row) => write([row]), { discard: true })
            : Effect.sync(() => {
                for (const row of rows) row.completeUnsafe(Exit.failCause(cause))
              })
      })
    )

  // While a statement is under way further calls gather: fewer, larger statements cost less on both sides.
  const turn = yield* Semaphore.make(statementsAtOnce)
  const resolver = RequestResolver.make<Row>((rows) =>
    Effect.forEach(Array.chunksOf(rows, rowsMax), write, { discard: true }).pipe(
      Effect.ensuring(Semaphore.release(turn, 1)),
      Effect.setContext(home),
      Effect.uninterruptible
    )
  ).pipe(RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, Effect.asVoid(Semaphore.take(turn, 1)))))
  return (item) => Effect.request(new Row({ item }), resolver)
})
