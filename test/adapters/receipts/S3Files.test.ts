import { assert, describe, it } from "@effect/vitest"
import * as S3Files from "@sarraf/adapters/receipts/S3Files"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect, Layer, Redacted } from "effect"
import { pdf } from "../../support/SampleFiles.ts"
import { bucket, credentials, makeObjectStorage, region } from "./ObjectStorage.ts"
import { receiptFilesContract } from "./receiptFilesContract.ts"

const filesAt = (endpoint: string, secret = credentials.secret) =>
  S3Files.layer({
    endpoint,
    name: bucket,
    region,
    accessKeyId: credentials.accessKeyId,
    secretAccessKey: Redacted.make(secret)
  })

receiptFilesContract("a bucket", Layer.unwrap(Effect.map(makeObjectStorage, ({ endpoint }) => filesAt(endpoint))))

const using = <A, E>(
  storage: Layer.Layer<ReceiptFiles>,
  use: (files: ReceiptFiles["Service"]) => Effect.Effect<A, E>
) => Effect.provide(Effect.flatMap(ReceiptFiles, use), Layer.fresh(storage))

describe("A bucket of receipts", () => {
  const sha256Of = (files: ReceiptFiles["Service"]) => files.digest(pdf())

  it.effect("has an object for each organization and content, below one folder", () =>
    Effect.gen(function* () {
      const { endpoint, objects } = yield* makeObjectStorage
      const sha256 = yield* using(filesAt(endpoint), (files) =>
        Effect.tap(sha256Of(files), (digest) => files.write({ organizationId: "org_one", sha256: digest }, pdf()))
      )
      const key = `/${bucket}/receipts/org_one/${sha256.slice(0, 2)}/${sha256}`
      assert.deepStrictEqual([...objects], [[key, pdf()]])
    })
  )

  it.effect("whose key is wrong, that is broken or not there is told as not available", () =>
    Effect.gen(function* () {
      const storage = yield* makeObjectStorage
      const place = { organizationId: "org_one", sha256: "ab".repeat(32) }
      const all = (files: ReceiptFiles["Service"]) =>
        Effect.forEach(
          [files.write(place, pdf()), files.read(place), files.has(place), files.remove(place)],
          (one: Effect.Effect<unknown, { readonly _tag: string }>) => Effect.map(Effect.flip(one), ({ _tag }) => _tag)
        )
      const unavailable = Array.from({ length: 4 }, () => "Unavailable")
      assert.deepStrictEqual(yield* using(filesAt(storage.endpoint, "another secret"), all), unavailable)
      yield* storage.break
      assert.deepStrictEqual(yield* using(filesAt(storage.endpoint), all), unavailable)
      assert.deepStrictEqual(yield* using(filesAt("http://127.0.0.1:1"), all), unavailable)
      assert.strictEqual(storage.objects.size, 0)
    })
  )

  it.effect("refuses what arrives otherwise than it was sent", () =>
    Effect.gen(function* () {
      const { endpoint, objects } = yield* makeObjectStorage
      const place = { organizationId: "org_one", sha256: "ab".repeat(32) }
      const error = yield* Effect.flip(using(filesAt(endpoint), (files) => files.write(place, pdf())))
      assert.strictEqual(error._tag, "Unavailable")
      assert.strictEqual(objects.size, 0)
    })
  )
})
