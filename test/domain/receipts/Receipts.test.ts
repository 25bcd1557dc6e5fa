import { assert, layer } from "@effect/vitest"
import * as MemoryReceiptFiles from "@sarraf/adapters/memory/MemoryReceiptFiles"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import type { Reach } from "@sarraf/domain/organizations/Permissions"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { type Receipt, receiptBytesMax, receiptUrl } from "@sarraf/domain/receipts/Receipt"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { type LinkedReceipt, ReceiptLinks } from "@sarraf/domain/receipts/ReceiptLinks"
import { ReceiptStore } from "@sarraf/domain/receipts/ReceiptStore"
import { Receipts } from "@sarraf/domain/receipts/Receipts"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { joined, pdf, png } from "../../support/SampleFiles.ts"

/** What the test arranges and looks at: rows, who sees which expense, and what was recorded. */
interface Book {
  readonly receipts: Map<string, Receipt>
  /** The expense that names a receipt, and how far one must reach to see it. */
  readonly named: Map<string, { readonly expense: string; readonly seenWith: ReadonlyArray<Reach> }>
  readonly recorded: Array<string>
}
const Book = Context.Reference<Book>("test/Book", {
  defaultValue: () => ({ receipts: new Map(), named: new Map(), recorded: [] })
})

const book = Layer.effect(
  Book,
  Effect.sync((): Book => ({ receipts: new Map(), named: new Map(), recorded: [] }))
)

const stores = Layer.unwrap(
  Effect.map(Book, ({ named, receipts, recorded }) => {
    const find = (id: string) => Effect.sync(() => receipts.get(id))
    return Layer.mergeAll(
      Layer.succeed(ReceiptStore, {
        find,
        lock: find,
        namedBy: (id) =>
          Effect.sync(() => [...named].flatMap(([receipt, { expense }]) => (receipt === id ? [expense] : []))),
        claim: () => Effect.void,
        insert: (receipt) => Effect.sync(() => void receipts.set(receipt.id, receipt)),
        remove: (id) => Effect.sync(() => void receipts.delete(id))
      }),
      Layer.mock(ExpenseStore, {
        findAll: (ids, reach) =>
          Effect.sync(() => {
            const seen = [...named.values()].filter(
              ({ expense, seenWith }) => ids.includes(expense) && seenWith.includes(reach)
            )
            return seen.map(({ expense }) => ({ id: expense }) as never)
          })
      }),
      Layer.mock(AuditTrail, {
        append: ({ action, subject }) => Effect.sync(() => void recorded.push(`${action} ${subject.id}`))
      })
    )
  })
)

const links = Layer.sync(ReceiptLinks, () => {
  const made = new Map<string, LinkedReceipt>()
  return ReceiptLinks.of({
    make: (linked) => {
      made.set(`token-${made.size}`, linked)
      return `token-${made.size - 1}`
    },
    read: (token) => made.get(token)
  })
})

let counted = 0
const identifiers = Layer.succeed(Identifiers, {
  next: (prefix) => Effect.sync(() => `${prefix}_${String(++counted).padStart(26, "0")}`),
  randomBytes: () => Effect.die("unused")
})
const units = Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect })

const receipts = Receipts.layer.pipe(
  Layer.provide([stores, links, identifiers, units]),
  Layer.provideMerge(Layer.merge(MemoryReceiptFiles.layer, book))
)

/** `ayse` is a person; `key` an API key. */
const as = (role: Role, person: string | null = "ayse", organizationId = "org_one") =>
  Effect.provideService(Caller, {
    organizationId,
    role,
    name: person === null ? "key:test" : `user:usr_${person}`,
    kind: person === null ? "key" : "user",
    userId: person === null ? null : `usr_${person}`,
    createdBy: null
  })

const add = (content = pdf(), name = "lunch.pdf") => Effect.flatMap(Receipts, (all) => all.add(name, content))
const find = (id: string) => Effect.flatMap(Receipts, (all) => all.find(id))
const isFound = (id: string) => Effect.match(find(id), { onSuccess: () => true, onFailure: () => false })
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

layer(receipts)("Receipts", (it) => {
  it.effect("are kept with what they are, whoever says otherwise", () =>
    Effect.gen(function* () {
      const receipt = yield* as("MEMBER")(add(png(), "C:\\lunch.pdf"))
      assert.deepInclude(receipt, {
        fileName: "lunch.pdf",
        mediaType: "image/png",
        bytes: png().length,
        uploadedBy: "user:usr_ayse",
        userId: "usr_ayse"
      })
      const { content } = yield* as("MEMBER")(Effect.flatMap(Receipts, (all) => all.open(receipt.id)))
      assert.deepStrictEqual(content, png())
      assert.include((yield* Book).recorded, `receipt.created ${receipt.id}`)
    })
  )

  it.effect("of the same content are two, and kept once for each organization", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* as("MEMBER")(add()), yield* as("OWNER", null)(add())]
      assert.notStrictEqual(one.id, other.id)
      assert.strictEqual(one.sha256, other.sha256)
      const files = yield* ReceiptFiles
      assert.isTrue(yield* files.has({ organizationId: "org_one", sha256: one.sha256 }))
      assert.isFalse(yield* files.has({ organizationId: "org_two", sha256: one.sha256 }))
    })
  )

  it.effect("are refused empty, too large, and of any other kind", () =>
    Effect.gen(function* () {
      const refused = (content: Uint8Array) => tagOf(as("MEMBER")(add(content)))
      assert.strictEqual(yield* refused(new Uint8Array()), "InvalidFields")
      assert.strictEqual(yield* refused(new Uint8Array(receiptBytesMax + 1)), "ReceiptTooLarge")
      assert.strictEqual(yield* refused(joined("GIF89a")), "ReceiptUnreadable")
      const largest = joined(pdf(), new Uint8Array(receiptBytesMax - 2 * pdf().length), pdf())
      assert.strictEqual((yield* as("MEMBER")(add(largest))).bytes, receiptBytesMax)
    })
  )

  it.effect("are uploaded by everybody but an AUDITOR", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* tagOf(as("AUDITOR")(add())), "RoleMissing")
      for (const role of ["MEMBER", "APPROVER", "ADMIN", "OWNER"] as const) yield* as(role)(add())
    })
  )

  it.effect("are read by who uploaded them, by who sees an expense that names them, and by who sees all", () =>
    Effect.gen(function* () {
      const { id } = yield* as("MEMBER")(add())
      const seenBy = Effect.fnUntraced(function* () {
        const readers = [
          as("MEMBER"),
          as("MEMBER", "mehmet"),
          as("APPROVER", "mehmet"),
          as("AUDITOR", "mehmet"),
          as("ADMIN", null)
        ]
        return yield* Effect.forEach(readers, (reader) => reader(isFound(id)))
      })
      assert.deepStrictEqual(yield* seenBy(), [true, false, false, true, true])
      const { named } = yield* Book
      named.set(id, { expense: "exp_1", seenWith: ["decidable"] })
      assert.deepStrictEqual(yield* seenBy(), [true, false, true, true, true])
      named.set(id, { expense: "exp_1", seenWith: ["own"] })
      assert.deepStrictEqual(yield* seenBy(), [true, true, false, true, true])
      named.delete(id)
      assert.isFalse(yield* as("ADMIN")(isFound("rcp_nobody")))
    })
  )

  it.effect("are missing for an expense of somebody who may not read them", () =>
    Effect.gen(function* () {
      const { id } = yield* as("MEMBER")(add())
      const isMissing = (url: string) => Effect.flatMap(Receipts, (all) => all.isMissing(url))
      const url = receiptUrl("https://pay.example.com", id)
      assert.isFalse(yield* as("MEMBER")(isMissing(url)))
      assert.isTrue(yield* as("MEMBER", "mehmet")(isMissing(url)))
      assert.isTrue(
        yield* as("MEMBER")(isMissing(receiptUrl("https://pay.example.com", "rcp_01kd8z0000e0080000000000r9")))
      )
      assert.isFalse(yield* as("MEMBER", "mehmet")(isMissing("https://files.example.com/receipt.pdf")))
    })
  )

  it.effect("are removed by who uploaded them while no expense names them", () =>
    Effect.gen(function* () {
      const { id } = yield* as("MEMBER")(add())
      const remove = Effect.flatMap(Receipts, (all) => all.remove(id))
      assert.strictEqual(yield* tagOf(as("MEMBER", "mehmet")(remove)), "NotFound")
      assert.strictEqual(yield* tagOf(as("AUDITOR")(remove)), "RoleMissing")
      const { named, recorded } = yield* Book
      named.set(id, { expense: "exp_2", seenWith: [] })
      assert.strictEqual(yield* tagOf(as("MEMBER")(remove)), "StateRefused")
      named.delete(id)
      yield* as("MEMBER")(remove)
      assert.isFalse(yield* as("OWNER")(isFound(id)))
      assert.include(recorded, `receipt.deleted ${id}`)
    })
  )

  it.effect("are opened by a link for five minutes, and not after they are gone", () =>
    Effect.gen(function* () {
      const all = yield* Receipts
      const { id } = yield* as("MEMBER")(add(pdf("linked")))
      assert.strictEqual(yield* tagOf(as("MEMBER", "mehmet")(all.link(id))), "NotFound")
      const { expiresAt, token } = yield* as("MEMBER")(all.link(id))
      assert.strictEqual(expiresAt, 300_000)
      assert.deepStrictEqual((yield* all.openLink(token)).content, pdf("linked"))
      yield* TestClock.adjust("299999 millis")
      assert.strictEqual((yield* all.openLink(token)).receipt.id, id)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* tagOf(all.openLink(token)), "NotFound")
      assert.strictEqual(yield* tagOf(all.openLink("made up")), "NotFound")
      const again = yield* as("MEMBER")(all.link(id))
      yield* as("MEMBER")(all.remove(id))
      assert.strictEqual(yield* tagOf(all.openLink(again.token)), "NotFound")
      assert.include((yield* Book).recorded, `receipt.link_made ${id}`)
    })
  )

  it.effect("leave no row where their file could not be written", () =>
    Effect.gen(function* () {
      const failing = Layer.mock(ReceiptFiles, {
        digest: () => Effect.succeed("0".repeat(64)),
        has: () => Effect.succeed(false),
        write: () => new Unavailable()
      })
      const before = (yield* Book).receipts.size
      const all = yield* Effect.provide(
        Effect.map(Receipts, (service) => service),
        Layer.fresh(Receipts.layer).pipe(Layer.provide([stores, links, identifiers, units, failing]))
      )
      assert.strictEqual(yield* tagOf(as("MEMBER")(all.add("lunch.pdf", pdf()))), "Unavailable")
      assert.strictEqual((yield* Book).receipts.size, before)
    })
  )
})
