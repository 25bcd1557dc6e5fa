import { CursorSeals } from "@sarraf/domain/assistants/CursorSeals"
import type { Page, PageRequest } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Schema, Struct } from "effect"
import { CursorRefused, type Refusal } from "./refusals.ts"
import { textOrNull } from "./shapes.ts"
import { answerLengthMax, makeTool } from "./tool.ts"

const itemsUsual = 25

/** The arguments of every list, beside its filters. */
export const pageFields = {
  limit: Schema.optionalKey(
    Schema.Int.annotate({ description: `How many items at most, ${itemsUsual} by default` }).check(
      Schema.isBetween({ minimum: 1, maximum: 100 })
    )
  ),
  cursor: Schema.optionalKey(
    Schema.String.annotate({
      description: "The next_cursor of the answer before, for the items after it; with the same filters"
    }).check(Schema.isMaxLength(500))
  )
}

type PageArguments = Schema.Struct<typeof pageFields>["Type"]

/** A list as it is written down; see `ToolSpecification`. */
interface ListSpecification<I extends PageArguments, Item, A, R> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The filters, and `pageFields`. */
  readonly input: Schema.Codec<I, unknown>
  readonly item: Schema.Codec<Item, unknown>
  /** Newest first. */
  readonly list: (input: I, page: PageRequest) => Effect.Effect<Page<A>, Refusal, R>
  /** Where it stands in the list. */
  readonly keyOf: (item: A) => string
  readonly show: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Item>, Refusal, R>
}

/** As many of the first items as fit into an answer, and one at least. */
export const fitting = <A>(items: ReadonlyArray<A>, lengthMax = answerLengthMax): ReadonlyArray<A> => {
  let length = 0
  const beyond = items.findIndex((item) => {
    length += JSON.stringify(item).length + 1
    return length > lengthMax
  })
  return beyond < 0 ? items : items.slice(0, Math.max(beyond, 1))
}

/** What a cursor is good for: the same tool, organization and filters. */
const contextOf = (tool: string, organizationId: string, input: PageArguments): string => {
  const filters = Object.entries(Struct.omit(input, ["limit", "cursor"]))
  return JSON.stringify([organizationId, tool, filters.sort(([one], [other]) => (one < other ? -1 : 1))])
}

/** Makes a tool that answers a part of a list, `{ items, next_cursor }`, as long as an answer may be. */
export const makeListTool = <I extends PageArguments, Item, A, R>({
  item,
  keyOf,
  list,
  show,
  ...shared
}: ListSpecification<I, Item, A, R>) =>
  Effect.gen(function* () {
    const seals = yield* CursorSeals
    return yield* makeTool({
      ...shared,
      output: Schema.Struct({
        items: Schema.Array(item).annotate({ description: "Newest first" }),
        next_cursor: textOrNull("Pass it as cursor for the items after these; null where these are the last")
      }),
      read: Effect.fnUntraced(function* (input: I) {
        const { organizationId } = yield* Caller
        const { cursor, limit = itemsUsual } = input
        const context = contextOf(shared.name, organizationId, input)
        const after = cursor === undefined ? undefined : seals.open(context, cursor)
        if (cursor !== undefined && after === undefined) return yield* new CursorRefused()
        const page = yield* list(input, { limit, after })
        const items = fitting(yield* show(page.items))
        const last = page.items[items.length - 1]
        const isWhole = items.length === page.items.length && !page.hasMore
        return { items, next_cursor: isWhole || last === undefined ? null : seals.seal(context, keyOf(last)) }
      })
    })
  })
