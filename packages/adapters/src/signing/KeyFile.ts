import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Redacted } from "effect"

/** The key file cannot be read or made. `message` says which and what to do. */
export class KeyFileUnusable extends Data.TaggedError("KeyFileUnusable")<{ readonly message: string }> {}

const readKey = async (file: string): Promise<Uint8Array | undefined> => {
  const text = await fs.readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text.trim(), "base64"))
}

/** Links the finished file into place: of two processes that start at once one makes the key and both read it. */
const makeKey = async (folder: string, file: string): Promise<void> => {
  await fs.mkdir(folder, { recursive: true })
  const fresh = `${file}.${randomBytes(6).toString("hex")}`
  await fs.writeFile(fresh, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 })
  await fs.link(fresh, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  await fs.rm(fresh)
}

/** The encryption key of TEST mode: 32 bytes as base64 in `encryption-key` of the data folder, made at the first start. */
export const keyFromFolder = (folder: string): Effect.Effect<Redacted.Redacted<Uint8Array>, KeyFileUnusable> => {
  const file = join(folder, "encryption-key")
  return Effect.tryPromise({
    try: async () => {
      const found = await readKey(file)
      if (found !== undefined) return found
      await makeKey(folder, file)
      return readKey(file)
    },
    catch: (error) =>
      new KeyFileUnusable({
        message: `The key file ${file} cannot be used (${error instanceof Error ? error.message : "unknown"}): make its folder writable, or set SARRAF_ENCRYPTION_KEY.`
      })
  }).pipe(
    Effect.flatMap((key) =>
      key?.length === 32
        ? Effect.succeed(Redacted.make(key, { label: "encryption key" }))
        : Effect.fail(
            new KeyFileUnusable({
              message: `The key file ${file} does not hold 32 bytes as base64: restore it, or set SARRAF_ENCRYPTION_KEY.`
            })
          )
    )
  )
}
