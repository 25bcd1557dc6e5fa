import { ReceiptFiles, type ReceiptPlace } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect, Layer, Redacted } from "effect"
import { S3mini } from "s3mini"
import { attempt, digest, nameOf } from "./receiptStorage.ts"

/** A bucket of an S3-compatible storage, and credentials that may read, write and delete in it. */
export interface Bucket {
  /** Without the bucket: `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string
  readonly name: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

/** The largest receipt at a megabyte a second, and below the time that a request may take. */
const requestMillisMax = 20_000

const keyOf = (place: ReceiptPlace): string => `receipts/${nameOf(place)}`

/** What the storage checks the body against (Amazon S3, "Checking object integrity"): the digest, in base64. */
const checksumOf = ({ sha256 }: ReceiptPlace): string => Buffer.from(sha256, "hex").toString("base64")

/** Receipts as objects of a bucket, which is addressed in the path. */
export const layer = ({ accessKeyId, endpoint, name, region, secretAccessKey }: Bucket) =>
  Layer.sync(ReceiptFiles, () => {
    const s3 = new S3mini({
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      endpoint: `${endpoint}/${name}`,
      region,
      requestAbortTimeout: requestMillisMax
    })
    return ReceiptFiles.of({
      digest,
      write: Effect.fn("S3Files.write")((place, content) =>
        attempt("written", async () => {
          const checksum = { "x-amz-checksum-sha256": checksumOf(place) } as const
          await s3.putObject(keyOf(place), content, "application/octet-stream", undefined, checksum, content.length)
        })
      ),
      read: Effect.fn("S3Files.read")((place) =>
        attempt("read", async () => {
          const content = await s3.getObjectArrayBuffer(keyOf(place))
          return content === null ? undefined : new Uint8Array(content)
        })
      ),
      has: Effect.fn("S3Files.has")((place) =>
        attempt("looked up", async () => (await s3.objectExists(keyOf(place))) === true)
      ),
      remove: Effect.fn("S3Files.remove")((place) =>
        attempt("removed", async () => {
          await s3.deleteObject(keyOf(place))
        })
      )
    })
  })
