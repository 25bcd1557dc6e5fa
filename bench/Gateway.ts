import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ServerProcess from "./ServerProcess.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** What `npm start` gives Node: its flags, and the program. */
const command: ReadonlyArray<string> = scripts.start.replace(/^exec node /, "").split(" ")

/** As a merchant meets it, but for the rate limit, which is there to be hit by one client that sends this much. */
const environment = {
  PORT: "0",
  SARRAF_MODE: "test",
  SARRAF_RATE_LIMIT_PER_SECOND: "1000000",
  LOG_LEVEL: "info"
}

/** The gateway as `npm start` runs it, until the scope closes. `databaseUrl` undefined: with the embedded server. */
export const start = (options: {
  readonly folder: string
  readonly databaseUrl: string | undefined
  /** Where a processor profile goes. */
  readonly profile?: string | undefined
  readonly more?: Readonly<Record<string, string>>
}) =>
  ServerProcess.start(
    "gateway",
    [...(options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`]), ...command],
    {
      ...environment,
      SARRAF_DATA_DIR: join(options.folder, "gateway"),
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
      ...options.more
    }
  )
