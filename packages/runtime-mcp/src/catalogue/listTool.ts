import { CursorSeals } from "@sarraf/domain/assistants/CursorSeals"
import { InvalidFields } from "@sarraf/domain/errors/Refusals"
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

/** What a cursor is good for: the same tool, organization, person and filters. */
const contextOf = (tool: string, { organizationId, userId }: Caller["Service"], input: PageArguments): string => {
  const filters = Object.entries(Struct.omit(input, ["limit", "cursor"]))
  return JSON.stringify([organizationId, userId, tool, filters.sort(([one], [other]) => (one < other ? -1 : 1))])
}

/** Filters that are the two ends of a range, and what is said where they are the wrong way round. */
const ends = [
  ["from", "to", "must not be before from"],
  ["due_from", "due_to", "must not be before due_from"],
  ["min_amount", "max_amount", "must not be less than min_amount"]
] as const

/** Days are compared as text, amounts as numbers: both are of forms where that is right. */
const isBelow = (one: unknown, other: unknown): boolean =>
  typeof one === "string" &&
  typeof other === "string" &&
  (one.includes("-") ? one < other : Number(one) < Number(other))

/** `InvalidFields` where a range ends before it begins: nothing is in it, which would look like an answer. */
const ranges = (input: object) => {
  const given = new Map<string, unknown>(Object.entries(input))
  const faults = ends
    .filter(([low, high]) => isBelow(given.get(high), given.get(low)))
    .map(([, path, message]) => ({ path, message }))
  return faults.length === 0 ? Effect.void : Effect.fail(new InvalidFields({ faults }))
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
        const caller = yield* Caller
        yield* ranges(input)
        const { cursor, limit = itemsUsual } = input
        const context = contextOf(shared.name, caller, input)
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
