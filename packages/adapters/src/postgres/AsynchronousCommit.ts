/**
 * A common table expression, `relaxed`, that lets its statement commit without waiting for the disk; read `relaxed.off`
 * before anything is written. The log is written in order, so a later commit that does wait makes this one durable too.
 * Source: PostgreSQL documentation, Asynchronous Commit.
 */
export const relaxedCommit = "relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS off)"
