import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as FolderFiles from "@sarraf/adapters/receipts/FolderFiles"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect, Layer } from "effect"
import { pdf } from "../../support/SampleFiles.ts"
import { receiptFilesContract } from "./receiptFilesContract.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(join(tmpdir(), "sarraf-receipts-"))),
  (path) => Effect.promise(() => fs.rm(path, { recursive: true }))
)

receiptFilesContract("a folder", Layer.unwrap(Effect.map(folder, (path) => FolderFiles.layer(join(path, "receipts")))))

const place = { organizationId: "org_one", sha256: "ab".repeat(32) }
const using = <A, E>(path: string, use: (files: ReceiptFiles["Service"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(ReceiptFiles, use), Layer.fresh(FolderFiles.layer(path)))

describe("A folder of receipts", () => {
  it.effect("holds whole files alone, that only its owner reads", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* using(path, (files) => files.write(place, pdf()))
      const names = yield* Effect.promise(() => fs.readdir(path, { recursive: true }))
      assert.deepStrictEqual(names.sort(), ["org_one", "org_one/ab", `org_one/ab/${place.sha256}`, "unfinished"])
      const { mode } = yield* Effect.promise(() => fs.stat(join(path, "org_one", "ab", place.sha256)))
      assert.strictEqual(mode & 0o777, 0o600)
    })
  )

  it.effect("that cannot be written is told as not available, and nothing of it stays", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.promise(() => fs.writeFile(join(path, "org_one"), "in the way"))
      const error = yield* Effect.flip(using(path, (files) => files.write(place, pdf())))
      assert.strictEqual(error._tag, "Unavailable")
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(join(path, "unfinished"))), [])
      assert.strictEqual((yield* Effect.flip(using(path, (files) => files.read(place))))._tag, "Unavailable")
    })
  )

  it.effect("is cleared of what was left unfinished a day ago", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const unfinished = join(path, "unfinished")
      yield* Effect.promise(async () => {
        await fs.mkdir(unfinished)
        for (const name of ["old", "fresh"]) await fs.writeFile(join(unfinished, name), "half")
        const longAgo = new Date(Date.now() - 25 * 3_600_000)
        await fs.utimes(join(unfinished, "old"), longAgo, longAgo)
      })
      yield* using(path, (files) => files.has(place))
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(unfinished)), ["fresh"])
    })
  )
})
