import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import postgres from "postgres"

/** The database of a running service, as its operator sees it. */
export const openDatabase = async (folder: string, max = 1): Promise<postgres.Sql> => {
  const files = await readdir(folder, { recursive: true })
  const pidFile = files.find((path) => path.endsWith("postmaster.pid"))
  if (pidFile === undefined) throw new Error("The data folder has no postmaster.pid.")
  const [, , , port, socketFolder] = (await readFile(join(folder, pidFile), "utf8")).split("\n")
  return postgres({
    host: socketFolder ?? "",
    port: Number(port),
    user: "sarraf",
    database: "postgres",
    max,
    onnotice: () => {}
  })
}

/** Every row of every table of ours, as PostgreSQL writes it. */
export const everyRow = async (sql: postgres.Sql): Promise<string> => {
  const tables = await sql<Array<{ name: string }>>`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
  const rows: Array<string> = []
  for (const { name } of tables) {
    const found = await sql.unsafe<Array<{ row: string }>>(`SELECT t::text AS row FROM ${name} t`)
    rows.push(...found.map(({ row }) => `${name} ${row}`))
  }
  return rows.join("\n")
}
