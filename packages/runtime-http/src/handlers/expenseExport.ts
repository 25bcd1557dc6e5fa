import type { Expense } from "@sarraf/domain/expenses/Expense"
import type { ExpenseSearch } from "@sarraf/domain/expenses/ExpenseReading"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import type { Page } from "@sarraf/domain/lists/Page"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { timeOrNull } from "./conventions.ts"
import { type ExportContent, type ExportFormat, makeExportWriter } from "./exportFile.ts"

/** So many are held at a time: half a megabyte or so. */
const pageSize = 500

type Query = Readonly<Record<string, unknown>>

const attachment = (format: ExportFormat) => ({ "content-disposition": `attachment; filename="expenses.${format}"` })

/** Header values are ASCII; JSON may escape whatever is not. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join("")
  )

/** Clients take 16 KiB of headers, and 500 identifiers are as much: a header has their number, and the first that are missing. */
const namedInHeaderMax = 100
const inHeader = <
  M extends { readonly query: { readonly ids: ReadonlyArray<string> }; readonly missing: ReadonlyArray<string> }
>(
  manifest: M
) => ({
  ...manifest,
  query: { ids: manifest.query.ids.length },
  missing: manifest.missing.slice(0, namedInHeaderMax),
  missing_count: manifest.missing.length
})

/** Exports, and what is told of them. */
export const makeExports = Effect.gen(function* () {
  const expenses = yield* Expenses

  const manifestOf = Effect.fnUntraced(function* (format: ExportFormat, query: Query, content: ExportContent) {
    const { at, hash, sequence } = yield* expenses.auditHead
    return { format, query, ...content, audit_head: { sequence, hash, at: timeOrNull(at) } }
  })

  /** The manifest of what is handed out, which the audit trail remembers. */
  const handedOut = (format: ExportFormat, query: Query, content: ExportContent) =>
    Effect.tap(manifestOf(format, query, content), () =>
      expenses.exported({ format, query, rows: content.rows, sha256: content.sha256 })
    )

  const pagesFrom = (search: ExpenseSearch, first: Page<Expense>) => {
    type Next = ReturnType<typeof expenses.list> | undefined
    const after = ({ hasMore, items }: Page<Expense>): Next =>
      hasMore ? expenses.list(search, { limit: pageSize, after: items.at(-1)?.id }) : undefined
    const start: Next = Effect.succeed(first)
    return Stream.unfold(start, (next: Next) =>
      next === undefined ? Effect.succeed(undefined) : Effect.map(next, (page) => [page.items, after(page)] as const)
    )
  }

  const firstPage = (search: ExpenseSearch) => expenses.list(search, { limit: pageSize, after: undefined })

  return {
    /** The expenses with these ids that are within reach, as a file; the others are named as missing. */
    ofIds: Effect.fnUntraced(function* (ids: ReadonlyArray<string>, format: ExportFormat) {
      const asked = [...new Set(ids)]
      const found = yield* expenses.findAll(asked)
      const present = new Set(found.map(({ id }) => id))
      const writer = makeExportWriter(format)
      const text = writer.begin() + writer.write(found) + writer.end()
      const manifest = {
        ...(yield* handedOut(format, { ids: asked }, writer.content())),
        query: { ids: asked },
        missing: asked.filter((id) => !present.has(id))
      }
      const body = format === "csv" ? text : `{"data":${text},"manifest":${JSON.stringify(manifest)}}`
      const headers = format === "csv" ? { "x-export-manifest": asciiJson(inHeader(manifest)) } : {}
      return HttpServerResponse.text(body, {
        contentType: writer.contentType,
        headers: { ...attachment(format), ...headers }
      })
    }),
    /** Everything that is found, page by page, each as it is when it is read; JSON ends with its manifest. */
    all: Effect.fnUntraced(function* (search: ExpenseSearch, query: Query, format: ExportFormat) {
      const first = yield* firstPage(search)
      const writer = makeExportWriter(format)
      const isJson = format === "json"
      let isWhole = false
      const last = Effect.gen(function* () {
        const end = writer.end()
        const manifest = yield* handedOut(format, query, writer.content())
        isWhole = true
        return isJson ? `${end},"manifest":${JSON.stringify(manifest)}}` : end
      })
      const texts = Stream.sync(() => (isJson ? `{"data":${writer.begin()}` : writer.begin())).pipe(
        Stream.concat(Stream.map(pagesFrom(search, first), writer.write)),
        Stream.concat(Stream.fromEffect(last)),
        // What was handed out before the reader left, or the database did, is remembered as well.
        Stream.ensuring(
          Effect.suspend(() =>
            isWhole
              ? Effect.void
              : Effect.ignore(expenses.exported({ format, query, rows: writer.rows(), sha256: null }))
          )
        )
      )
      // It is read after the handler has answered, in the caller's name all the same.
      const context = yield* Effect.context<Effect.Services<typeof last>>()
      return HttpServerResponse.stream(Stream.encodeText(Stream.provideContext(texts, context)), {
        contentType: writer.contentType,
        headers: attachment(format)
      })
    }),
    /** What such an export would hold now; nothing is handed out. */
    manifest: Effect.fnUntraced(function* (search: ExpenseSearch, query: Query, format: ExportFormat) {
      const writer = makeExportWriter(format)
      writer.begin()
      yield* Stream.runForEach(pagesFrom(search, yield* firstPage(search)), (page) =>
        Effect.sync(() => writer.write(page))
      )
      writer.end()
      return yield* manifestOf(format, query, writer.content())
    })
  }
})
