import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect, Layer } from "effect"
import { attempt, digest, nameOf } from "./receiptStorage.ts"

/** What is not whole yet has its own folder; a crash may leave something there, which is removed a day later. */
const unfinished = "unfinished"
const unfinishedMillisMax = 24 * 3_600_000

const absent = (error: NodeJS.ErrnoException) => {
  if (error.code !== "ENOENT") throw error
  return undefined
}

/** Makes the names in a folder durable: a rename alone may be lost with the power. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await fs.open(folder, "r")
  await handle.sync().finally(() => handle.close())
}

/** Writes beside the place and renames into it, so that a name always stands for the whole content. */
const writeWhole = async (folder: string, name: string, content: Uint8Array): Promise<void> => {
  const target = join(folder, name)
  const fresh = join(folder, unfinished, randomBytes(12).toString("hex"))
  await fs.mkdir(dirname(fresh), { recursive: true, mode: 0o700 })
  await fs.mkdir(dirname(target), { recursive: true, mode: 0o700 })
  try {
    const handle = await fs.open(fresh, "wx", 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(fresh, target)
  } catch (error) {
    await fs.rm(fresh, { force: true })
    throw error
  }
  for (let at = dirname(target); at.length >= folder.length; at = dirname(at)) await syncFolder(at)
}

/** A start has to wait for nobody's old files, and to fail for none of them. */
const removeUnfinished = async (folder: string): Promise<void> => {
  const place = join(folder, unfinished)
  const names = (await fs.readdir(place).catch(absent)) ?? []
  for (const name of names) {
    const found = await fs.stat(join(place, name)).catch(absent)
    if (found !== undefined && Date.now() - found.mtimeMs > unfinishedMillisMax) {
      await fs.rm(join(place, name), { force: true })
    }
  }
}

/** Receipts as files below a folder, which several processes may share. */
export const layer = (folder: string) =>
  Layer.effect(
    ReceiptFiles,
    Effect.as(
      Effect.ignore(attempt("cleared away", () => removeUnfinished(folder))),
      ReceiptFiles.of({
        digest,
        write: Effect.fn("FolderFiles.write")((place, content) =>
          attempt("written", () => writeWhole(folder, nameOf(place), content))
        ),
        read: Effect.fn("FolderFiles.read")((place) =>
          attempt("read", async () => {
            const content = await fs.readFile(join(folder, nameOf(place))).catch(absent)
            return content === undefined ? undefined : new Uint8Array(content)
          })
        ),
        has: Effect.fn("FolderFiles.has")((place) =>
          attempt("looked up", async () => (await fs.stat(join(folder, nameOf(place))).catch(absent)) !== undefined)
        ),
        remove: Effect.fn("FolderFiles.remove")((place) =>
          attempt("removed", () => fs.rm(join(folder, nameOf(place)), { force: true }))
        )
      })
    )
  )
