import { type Receipt, receiptBytesMax, receiptUrl } from "@sarraf/domain/receipts/Receipt"
import { Receipts, type ReceiptTooLarge, type ReceiptUnreadable } from "@sarraf/domain/receipts/Receipts"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as problems from "../api/problems.ts"
import { uploadBytesMax } from "../api/receipts.ts"
import { PublicAddress } from "../auth/PublicAddress.ts"
import { readBody } from "../auth/requestBody.ts"
import { linkUrl } from "../http/LinkedReceipts.ts"
import { receiptResponse } from "../http/ReceiptContent.ts"
import { invalid, refusals, timeOf, withLocation } from "./conventions.ts"

const ofUpload = {
  ...Struct.pick(refusals, ["RoleMissing", "InvalidFields", "Unavailable"]),
  ReceiptTooLarge: ({ bytes }: ReceiptTooLarge) =>
    Effect.fail(
      new problems.PayloadTooLarge({ detail: `A receipt may have ${receiptBytesMax} bytes; this one has ${bytes}.` })
    ),
  ReceiptUnreadable: ({ found }: ReceiptUnreadable) =>
    Effect.fail(
      new problems.UnsupportedMediaType({ detail: `A receipt is a PDF, PNG, JPEG or WebP file; this is ${found}.` })
    )
}
const ofOne = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])
const ofRemoval = Struct.pick(refusals, ["RoleMissing", "NotFound", "StateRefused", "Unavailable"])

/** The one file of a form, whatever its field is called. */
const uploadedFile = Effect.fnUntraced(function* (contentType: string | undefined) {
  const body = yield* readBody(uploadBytesMax)
  if (contentType === undefined || !/^multipart\/form-data\s*;/iu.test(contentType)) {
    return yield* new problems.UnsupportedMediaType({ detail: "Send the file as a part of multipart/form-data." })
  }
  const form = yield* Effect.tryPromise({
    try: () => new Response(body, { headers: { "content-type": contentType } }).formData(),
    catch: () => invalid({ path: "", message: "the body must be well-formed multipart/form-data" })
  })
  const [file, ...others] = [...form.values()].filter((part) => typeof part !== "string")
  if (file === undefined) return yield* invalid({ path: "file", message: "is required: a part with a file name" })
  if (others.length > 0) return yield* invalid({ path: "file", message: "must be the only file of the form" })
  return { name: file.name, content: new Uint8Array(yield* Effect.promise(() => file.arrayBuffer())) }
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "receipts",
  Effect.fn(function* (handlers) {
    const receipts = yield* Receipts
    const { baseUrl } = yield* PublicAddress

    const receiptBody = (receipt: Receipt) => ({
      id: receipt.id,
      receipt_url: receiptUrl(baseUrl, receipt.id),
      file_name: receipt.fileName,
      media_type: receipt.mediaType,
      bytes: receipt.bytes,
      sha256: receipt.sha256,
      created_at: timeOf(receipt.createdAt),
      uploaded_by: receipt.uploadedBy
    })

    return handlers
      .handleRaw("create", ({ request }) =>
        Effect.gen(function* () {
          const { content, name } = yield* uploadedFile(request.headers["content-type"])
          const receipt = yield* receipts.add(name, content)
          yield* withLocation(`/api/receipts/${receipt.id}`)
          return receiptBody(receipt)
        }).pipe(Effect.catchTags(ofUpload))
      )
      .handle("content", ({ params }) =>
        Effect.map(receipts.open(params.id), receiptResponse).pipe(Effect.catchTags(ofOne))
      )
      .handle("metadata", ({ params }) =>
        Effect.map(receipts.find(params.id), receiptBody).pipe(Effect.catchTags(ofOne))
      )
      .handle("link", ({ params }) =>
        Effect.map(receipts.link(params.id), ({ expiresAt, token }) => ({
          url: linkUrl(baseUrl, token),
          expires_at: timeOf(expiresAt)
        })).pipe(Effect.catchTags(ofOne))
      )
      .handle("remove", ({ params }) => receipts.remove(params.id).pipe(Effect.catchTags(ofRemoval)))
  })
)
