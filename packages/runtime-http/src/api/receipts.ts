import { receiptMediaTypes } from "@sarraf/domain/receipts/MediaType"
import { receiptBytesMax } from "@sarraf/domain/receipts/Receipt"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic, BodyForm, ShownOnce } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { idParams, Timestamp } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

/** What a form has beside its file: boundaries, names, and fields that nobody asked for. */
const formBytesMax = 65_536
export const uploadBytesMax = receiptBytesMax + formBytesMax

/** The form of an upload; it is read by hand, since what matters is the content and not what the form says of it. */
const UploadReceipt = Schema.Struct({
  file: Schema.String.annotate({
    format: "binary",
    description: "One file of 10 MiB at most: PDF, PNG, JPEG or WebP, which is known by its content."
  })
})
  .annotate({ identifier: "UploadReceipt" })
  .pipe(HttpApiSchema.asMultipart())

const ReceiptBody = Schema.Struct({
  id: Schema.String,
  receipt_url: Schema.String.annotate({
    description: "What an expense's receipt_url takes. A GET with the caller's credential answers the file itself."
  }),
  file_name: Schema.String,
  media_type: Schema.Literals(receiptMediaTypes),
  bytes: Schema.Number,
  sha256: Schema.String,
  created_at: Timestamp,
  uploaded_by: Schema.String
}).annotate({ identifier: "Receipt" })

const LinkBody = Schema.Struct({
  url: Schema.optionalKey(Schema.String).annotate({
    description: "Opens the file without a credential; shown once."
  }),
  expires_at: Timestamp
}).annotate({ identifier: "ReceiptLink" })

const shared = [problems.Forbidden, problems.ServiceUnavailable] as const
const ofOne = [problems.NotFound, ...shared] as const

const create = HttpApiEndpoint.post("create", "/api/receipts", {
  payload: UploadReceipt,
  success: ReceiptBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.PayloadTooLarge, problems.UnsupportedMediaType, ...shared]
})
  .annotate(BodyForm, { bytesMax: uploadBytesMax, isJson: false })
  .annotate(OpenApi.Summary, "Upload a receipt as multipart/form-data; the answer's receipt_url goes into an expense")

const content = HttpApiEndpoint.get("content", "/api/receipts/:id", {
  params: idParams,
  success: HttpApiSchema.StreamUint8Array({ contentType: receiptMediaTypes }),
  error: [...ofOne]
}).annotate(OpenApi.Summary, "Read a receipt's file: this is its receipt_url")

const metadata = HttpApiEndpoint.get("metadata", "/api/receipts/:id/metadata", {
  params: idParams,
  success: ReceiptBody,
  error: [...ofOne]
}).annotate(OpenApi.Summary, "Read what is known of a receipt: its name, type, size and digest")

const link = HttpApiEndpoint.post("link", "/api/receipts/:id/link", {
  params: idParams,
  success: LinkBody.pipe(HttpApiSchema.status(201)),
  error: [...ofOne]
})
  .annotate(ShownOnce, ["url"])
  .annotate(OpenApi.Summary, "Make a link that opens a receipt for five minutes, for whoever has it")

const remove = HttpApiEndpoint.delete("remove", "/api/receipts/:id", {
  params: idParams,
  success: HttpApiSchema.NoContent,
  error: [problems.InvalidState, ...ofOne]
}).annotate(OpenApi.Summary, "Remove a receipt that no expense names")

/** Receipts (contract section 6, expenses). */
export class ReceiptsApi extends HttpApiGroup.make("receipts")
  .add(create)
  .add(content)
  .add(metadata)
  .add(link)
  .add(remove)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
