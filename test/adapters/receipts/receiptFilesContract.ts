import { assert, layer } from "@effect/vitest"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect, type Layer } from "effect"
import { pdf, png } from "../../support/SampleFiles.ts"

/** The port's promises, which each storage keeps. */
export const receiptFilesContract = <E>(name: string, storage: Layer.Layer<ReceiptFiles, E>) =>
  layer(storage)(`Receipts in ${name}`, (it) => {
    const placeOf = (content: Uint8Array, organizationId = "org_one") =>
      Effect.map(
        Effect.flatMap(ReceiptFiles, (files) => files.digest(content)),
        (sha256) => ({ organizationId, sha256 })
      )

    it.effect("are read as they were written, each organization's its own", () =>
      Effect.gen(function* () {
        const files = yield* ReceiptFiles
        const place = yield* placeOf(pdf("first"))
        const other = { ...place, organizationId: "org_two" }
        assert.isUndefined(yield* files.read(place))
        assert.isFalse(yield* files.has(place))
        yield* files.write(place, pdf("first"))
        assert.deepStrictEqual(yield* files.read(place), pdf("first"))
        assert.isTrue(yield* files.has(place))
        assert.isUndefined(yield* files.read(other))
        assert.isFalse(yield* files.has(other))
      })
    )

    it.effect("may be written again, also at the same time, and removed again", () =>
      Effect.gen(function* () {
        const files = yield* ReceiptFiles
        const place = yield* placeOf(png())
        const writes = Array.from({ length: 5 }, () => files.write(place, png()))
        yield* Effect.all(writes, { concurrency: "unbounded", discard: true })
        assert.deepStrictEqual(yield* files.read(place), png())
        yield* files.remove(place)
        assert.isUndefined(yield* files.read(place))
        yield* files.remove(place)
        yield* files.write(place, png())
        assert.isTrue(yield* files.has(place))
      })
    )

    it.effect("may be of any bytes up to the largest", () =>
      Effect.gen(function* () {
        const files = yield* ReceiptFiles
        const content = new Uint8Array(10 * 1_048_576).map((_, index) => index * 31)
        const place = yield* placeOf(content)
        yield* files.write(place, content)
        const read = (yield* files.read(place)) ?? new Uint8Array()
        assert.strictEqual((yield* placeOf(read)).sha256, place.sha256)
      })
    )

    it.effect("are told apart by SHA-256", () =>
      Effect.gen(function* () {
        const { digest } = yield* ReceiptFiles
        // FIPS 180-4, the digest of nothing.
        const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        assert.strictEqual(yield* digest(new Uint8Array()), empty)
      })
    )

    it.effect("have no place that a person could have named", () =>
      Effect.gen(function* () {
        const files = yield* ReceiptFiles
        const { sha256 } = yield* placeOf(pdf())
        for (const place of [
          { organizationId: "../org_one", sha256 },
          { organizationId: "org_one", sha256: "../../secret" },
          { organizationId: "", sha256 }
        ]) {
          assert.strictEqual((yield* Effect.exit(files.write(place, pdf())))._tag, "Failure")
          assert.strictEqual((yield* Effect.exit(files.read(place)))._tag, "Failure")
        }
      })
    )
  })
