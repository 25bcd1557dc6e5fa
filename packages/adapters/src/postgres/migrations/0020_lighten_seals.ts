import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Hashes of the audit chain are checked by their length. A regular expression was a twentieth of the database's time for
 * a payment, and a wrong hash of any spelling breaks the chain, which is how it is found.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What is there already has passed the stricter check.
  yield* sql`ALTER TABLE audit_log
    DROP CONSTRAINT audit_log_previous_hash_check,
    DROP CONSTRAINT audit_log_hash_check,
    ADD CONSTRAINT audit_log_hash_lengths CHECK (octet_length(hash) = 64 AND octet_length(previous_hash) = 64) NOT VALID`
})
