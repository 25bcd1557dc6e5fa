import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { repairLinks } from "@sarraf/adapters/postgres/embedded/Binaries"
import { Effect } from "effect"

const packageFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "sarraf-binaries-"))
    mkdirSync(join(folder, "native", "lib"), { recursive: true })
    writeFileSync(join(folder, "native", "lib", "libicuuc.so.60.2"), "library")
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

it.effect("makes the links that a blocked install script left out, and keeps those that are there", () =>
  Effect.gen(function* () {
    const folder = yield* packageFolder
    const lib = join(folder, "native", "lib")
    writeFileSync(join(lib, "libicuuc.so"), "there already")
    const links = ["libicuuc.so", "libicuuc.so.60"].map((name) => ({
      source: "native/lib/libicuuc.so.60.2",
      target: `native/lib/${name}`
    }))
    writeFileSync(join(folder, "native", "pg-symlinks.json"), JSON.stringify(links))
    repairLinks(folder)
    repairLinks(folder)
    assert.strictEqual(readlinkSync(join(lib, "libicuuc.so.60")), "libicuuc.so.60.2")
    assert.strictEqual(readFileSync(join(lib, "libicuuc.so.60"), "utf8"), "library")
    assert.strictEqual(readFileSync(join(lib, "libicuuc.so"), "utf8"), "there already")
  })
)

it.effect("does nothing for a package that needs no links", () =>
  Effect.gen(function* () {
    repairLinks(yield* packageFolder)
  })
)
