import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { it } from "@effect/vitest"
import type { Effect } from "effect"

const root = process.env.SARRAF_RECORDINGS ?? join(import.meta.dirname, "../../../../shared/providers/fixtures")
const absent = "The recordings are not at hand: set SARRAF_RECORDINGS to their folder."

/** One provider's recordings: in `SARRAF_RECORDINGS`, by default `../shared/providers/fixtures` beside the repository. */
export const recordingsOf = (provider: string) => {
  const folder = resolve(root, provider)
  const isPresent = existsSync(join(folder, "index.json"))
  return {
    isPresent,
    readBytes: (file: string): Uint8Array => readFileSync(join(folder, file)),
    /** A recording kept as JSON. */
    read: (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8")),
    /** A test of recordings; reported as skipped, with the reason, where they are not at hand. */
    recorded: (name: string, test: () => Effect.Effect<void>) =>
      isPresent ? it.effect(name, test) : it(name, (context) => context.skip(absent))
  }
}
