import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { keyFromFolder } from "@sarraf/adapters/signing/KeyFile"
import { Effect, Redacted } from "effect"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sarraf-key-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)

const textOf = (key: Redacted.Redacted<Uint8Array>) => Buffer.from(Redacted.value(key)).toString("base64")

describe("keyFromFolder", () => {
  it.effect("makes 32 bytes at the first start, in a folder that it makes, and reads them at the next", () =>
    Effect.gen(function* () {
      const data = join(yield* folder, "deep", "data")
      const key = yield* keyFromFolder(data)
      assert.strictEqual(Redacted.value(key).length, 32)
      assert.strictEqual(textOf(yield* keyFromFolder(data)), textOf(key))
      assert.strictEqual(readFileSync(join(data, "encryption-key"), "utf8"), `${textOf(key)}\n`)
    })
  )

  it.effect("lets nobody else read the key, and leaves nothing beside it", () =>
    Effect.gen(function* () {
      const data = yield* folder
      yield* keyFromFolder(data)
      assert.strictEqual(statSync(join(data, "encryption-key")).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(data), ["encryption-key"])
    })
  )

  it.effect("makes one key for all processes that start at once", () =>
    Effect.gen(function* () {
      const data = yield* folder
      const keys = yield* Effect.all(
        Array.from({ length: 16 }, () => keyFromFolder(data)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(keys.map(textOf)).size, 1)
      assert.deepStrictEqual(readdirSync(data), ["encryption-key"])
    })
  )

  it.effect.each(["", "short", Buffer.alloc(31).toString("base64"), Buffer.alloc(33).toString("base64")])(
    "refuses a file that holds %j, says which, and leaves it alone",
    (content) =>
      Effect.gen(function* () {
        const data = yield* folder
        const file = join(data, "encryption-key")
        writeFileSync(file, content)
        const { message } = yield* Effect.flip(keyFromFolder(data))
        assert.include(message, file)
        assert.include(message, "SARRAF_ENCRYPTION_KEY")
        assert.strictEqual(readFileSync(file, "utf8"), content)
      })
  )

  it.effect("says what to do where the folder cannot be made", () =>
    Effect.gen(function* () {
      const made = yield* folder
      writeFileSync(join(made, "file"), "")
      const { message } = yield* Effect.flip(keyFromFolder(join(made, "file", "data")))
      assert.include(message, "make its folder writable")
    })
  )
})
