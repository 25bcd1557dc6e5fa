import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The audit trail is append-only by the database, and its rows become links of a hash chain per organization. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE audit_log
    ADD COLUMN sequence BIGINT CHECK (sequence > 0),
    ADD COLUMN previous_hash TEXT CHECK (previous_hash ~ '^[0-9a-f]{64}$'),
    ADD COLUMN hash TEXT CHECK (hash ~ '^[0-9a-f]{64}$'),
    ADD CONSTRAINT sealed_whole CHECK (num_nulls(sequence, previous_hash, hash) IN (0, 3))`
  // A chain has each number once, and its end is found at once. Without unsealed rows in it no look for those takes it.
  yield* sql`CREATE UNIQUE INDEX audit_log_chain ON audit_log (organization_id, sequence) WHERE sequence IS NOT NULL`
  // All that an idle database is asked about: it is empty then.
  yield* sql`CREATE INDEX audit_log_unsealed ON audit_log (organization_id, id) WHERE sequence IS NULL`

  yield* sql`CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'The audit trail is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END $$`
  yield* sql`CREATE TRIGGER audit_log_undeleted BEFORE DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`
  // Sealing passes without a call: it gives a row its place, once, and changes nothing else.
  yield* sql`CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log FOR EACH ROW
    WHEN (OLD.sequence IS NOT NULL OR NEW.sequence IS NULL OR
      (OLD.organization_id, OLD.id, OLD.at, OLD.actor, OLD.request_id, OLD.address, OLD.action, OLD.subject, OLD.subject_id,
        OLD.before, OLD.after, OLD.detail) IS DISTINCT FROM
      (NEW.organization_id, NEW.id, NEW.at, NEW.actor, NEW.request_id, NEW.address, NEW.action, NEW.subject, NEW.subject_id,
        NEW.before, NEW.after, NEW.detail))
    EXECUTE FUNCTION refuse_audit_change()`
  yield* sql`CREATE TRIGGER audit_log_kept BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`
  // Only the sealer gives numbers.
  yield* sql`CREATE TRIGGER audit_log_sealed_later BEFORE INSERT ON audit_log
    FOR EACH ROW WHEN (NEW.sequence IS NOT NULL) EXECUTE FUNCTION refuse_audit_change()`
})
