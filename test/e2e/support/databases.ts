import { randomUUID } from "node:crypto"
import postgres from "postgres"

/** An empty database on the run's PostgreSQL, whose socket is in `host`, for services that share one. */
export const createDatabase = async (host: string) => {
  const name = `e2e_${randomUUID().replaceAll("-", "")}`
  const asking = async (statement: string) => {
    const sql = postgres({ host, username: "postgres", database: "postgres", max: 1, onnotice: () => {} })
    try {
      await sql.unsafe(statement)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  await asking(`CREATE DATABASE ${name}`)
  return {
    url: `postgres://postgres@localhost/${name}?host=${encodeURIComponent(host)}`,
    drop: () => asking(`DROP DATABASE ${name} WITH (FORCE)`)
  }
}
