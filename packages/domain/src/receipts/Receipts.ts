import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound, StateRefused } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { ExpenseStore } from "../expenses/ExpenseStore.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import { Caller, type RoleMissing } from "../organizations/Caller.ts"
import { permitted, type Reach } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Instant } from "../time/Instant.ts"
import { fileNameOf } from "./FileName.ts"
import { recognise } from "./MediaType.ts"
import { type Receipt, receiptBytesMax, receiptIdIn } from "./Receipt.ts"
import { ReceiptFiles } from "./ReceiptFiles.ts"
import { ReceiptLinks } from "./ReceiptLinks.ts"
import { ReceiptStore } from "./ReceiptStore.ts"

/** A link to a receipt opens it for so long (contract section 6). */
const linkMillis = 5 * 60_000

/** The content is none that a receipt may have; `found` says what it is: "a GIF image". */
export class ReceiptUnreadable extends Schema.TaggedError<ReceiptUnreadable>()("ReceiptUnreadable", {
  found: Schema.String
}) {}

/** The file has more than `receiptBytesMax` bytes. */
export class ReceiptTooLarge extends Schema.TaggedError<ReceiptTooLarge>()("ReceiptTooLarge", {
  bytes: Schema.Number
}) {}

export interface OpenedReceipt {
  readonly receipt: Receipt
  readonly content: Uint8Array
}

export interface ReceiptLink {
  readonly token: string
  readonly expiresAt: Instant
}

type Refused = RoleMissing | NotFound | Unavailable

/** A receipt as the audit trail keeps it. */
const documentOf = ({ bytes, fileName, id, mediaType, sha256 }: Receipt) => ({
  id,
  file_name: fileName,
  media_type: mediaType,
  bytes,
  sha256
})

const notFound = (id: string) => new NotFound({ resource: "receipt", id })

/** Who opens a receipt by its link: whoever has it, for the organization that it was made in. */
const linkHolder = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "AUDITOR",
  name: "system",
  kind: "system",
  userId: null,
  createdBy: null
})

/** Which receipts a caller reads: its own uploads, and those of the expenses within its reach. */
const makeReachable = Effect.gen(function* () {
  const store = yield* ReceiptStore
  const expenses = yield* ExpenseStore
  return Effect.fnUntraced(function* (receipt: Receipt | undefined, reach: Reach) {
    const { name, userId } = yield* Caller
    if (receipt === undefined) return undefined
    const isOwn = receipt.uploadedBy === name || (userId !== null && receipt.userId === userId)
    if (isOwn || reach === "all") return receipt
    const named = yield* store.namedBy(receipt.id)
    return named.length > 0 && (yield* expenses.findAll(named, reach)).length > 0 ? receipt : undefined
  })
})

/** Takes receipts in: the content first, then the row that names it, so that a receipt that is there can be read. */
const makeAdd = Effect.gen(function* () {
  const store = yield* ReceiptStore
  const files = yield* ReceiptFiles
  const identifiers = yield* Identifiers
  const units = yield* UnitOfWork
  const audit = yield* AuditTrail

  const keep = Effect.fnUntraced(function* (receipt: Receipt, content: Uint8Array, organizationId: string) {
    const { sha256 } = receipt
    yield* store.claim(receipt)
    if (!(yield* files.has({ organizationId, sha256 }))) yield* files.write({ organizationId, sha256 }, content)
    yield* store.insert(receipt)
    yield* audit.append({
      action: "receipt.created",
      subject: { type: "receipt", id: receipt.id },
      after: documentOf(receipt)
    })
    return receipt
  })

  return Effect.fn("Receipts.add")(function* (fileName: string, content: Uint8Array) {
    const { caller } = yield* permitted("receipt.create")
    if (content.length === 0) {
      return yield* new InvalidFields({ faults: [{ path: "file", message: "must not be empty" }] })
    }
    if (content.length > receiptBytesMax) return yield* new ReceiptTooLarge({ bytes: content.length })
    const recognised = recognise(content)
    if (Result.isFailure(recognised)) return yield* new ReceiptUnreadable({ found: recognised.failure })
    const receipt: Receipt = {
      id: yield* identifiers.next("rcp"),
      fileName: fileNameOf(fileName, recognised.success),
      mediaType: recognised.success,
      bytes: content.length,
      sha256: yield* files.digest(content),
      uploadedBy: caller.name,
      userId: caller.userId,
      createdAt: yield* Clock.currentTimeMillis
    }
    return yield* units.run(keep(receipt, content, caller.organizationId))
  })
})

/** Driving port: receipts, uploaded once and never changed. */
export class Receipts extends Context.Service<
  Receipts,
  {
    /** Keeps a file: `InvalidFields` where it is empty, else the two refusals below by its size and its content. */
    add(
      fileName: string,
      content: Uint8Array
    ): Effect.Effect<Receipt, RoleMissing | InvalidFields | ReceiptTooLarge | ReceiptUnreadable | Unavailable, Caller>
    find(id: string): Effect.Effect<Receipt, Refused, Caller>
    open(id: string): Effect.Effect<OpenedReceipt, Refused, Caller>
    /** Makes a link that opens it for five minutes, for whoever has the link. Recorded in the audit trail. */
    link(id: string): Effect.Effect<ReceiptLink, Refused, Caller>
    /** `NotFound` for a link that is over or was never made, and for a receipt that is gone. */
    openLink(token: string): Effect.Effect<OpenedReceipt, NotFound | Unavailable>
    /** Of one's own, or by an administrator, while no expense names it. */
    remove(id: string): Effect.Effect<void, Refused | StateRefused, Caller>
    /**
     * In a unit of work, for a `receipt_url` that an expense is given: whether it names a receipt of ours that is not there
     * or not within the caller's reach. One that is there stays until the unit ends. Without this check whoever knows
     * the id of a receipt could read it through an expense of their own.
     */
    isMissing(receiptUrl: string): Effect.Effect<boolean, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/receipts/Receipts") {
  static readonly layer = Layer.effect(
    Receipts,
    Effect.gen(function* () {
      const store = yield* ReceiptStore
      const files = yield* ReceiptFiles
      const links = yield* ReceiptLinks
      const units = yield* UnitOfWork
      const audit = yield* AuditTrail
      const reachable = yield* makeReachable

      const find = Effect.fn("Receipts.find")(function* (id: string) {
        const { reach } = yield* permitted("receipt.read")
        const receipt = yield* reachable(yield* store.find(id), reach)
        return receipt ?? (yield* notFound(id))
      })

      const opened = Effect.fnUntraced(function* (receipt: Receipt, organizationId: string) {
        const content = yield* files.read({ organizationId, sha256: receipt.sha256 })
        if (content === undefined) return yield* Effect.die(new Error(`The file of ${receipt.id} is gone`))
        return { receipt, content }
      })

      return Receipts.of({
        add: yield* makeAdd,
        find,
        open: Effect.fn("Receipts.open")(function* (id) {
          const { organizationId } = yield* Caller
          return yield* opened(yield* find(id), organizationId)
        }),
        link: Effect.fn("Receipts.link")(function* (id) {
          const { organizationId } = yield* Caller
          return yield* units.run(
            Effect.gen(function* () {
              yield* find(id)
              const expiresAt = (yield* Clock.currentTimeMillis) + linkMillis
              yield* audit.append({ action: "receipt.link_made", subject: { type: "receipt", id } })
              return { token: links.make({ organizationId, receiptId: id, expiresAt }), expiresAt }
            })
          )
        }),
        openLink: Effect.fn("Receipts.openLink")(function* (token) {
          const linked = links.read(token)
          if (linked === undefined || linked.expiresAt <= (yield* Clock.currentTimeMillis)) return yield* notFound("")
          const { organizationId, receiptId } = linked
          const receipt = yield* Effect.provideService(store.find(receiptId), Caller, linkHolder(organizationId))
          return yield* opened(receipt ?? (yield* notFound(receiptId)), organizationId)
        }),
        remove: Effect.fn("Receipts.remove")(function* (id) {
          const { reach } = yield* permitted("receipt.create")
          yield* units.run(
            Effect.gen(function* () {
              const receipt = yield* reachable(yield* store.lock(id, "exclusive"), reach)
              if (receipt === undefined) return yield* notFound(id)
              if ((yield* store.namedBy(id)).length > 0) {
                const reason = "An expense names it: give that one another receipt first."
                return yield* new StateRefused({ resource: "receipt", status: "in use", allowed: [], reason })
              }
              yield* store.remove(id)
              const subject = { type: "receipt", id }
              yield* audit.append({ action: "receipt.deleted", subject, before: documentOf(receipt) })
            })
          )
        }),
        isMissing: Effect.fn("Receipts.isMissing")(function* (url) {
          const id = receiptIdIn(url)
          if (id === undefined) return false
          const { reach } = yield* permitted("receipt.read")
          return yield* units.run(
            Effect.gen(function* () {
              return (yield* reachable(yield* store.lock(id, "shared"), reach)) === undefined
            })
          )
        })
      })
    })
  )
}
