import { AssistantReads } from "@sarraf/domain/assistants/AssistantReads"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Record as Records, Result, Schema } from "effect"
import type { Exchange, Tool, ToolResult } from "./Catalogue.ts"
import { argumentFaults, type Refusal, refusalOf } from "./refusals.ts"
import { cut } from "./shapes.ts"

const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** About 20,000 tokens of JSON: hosts cut an answer at 25,000. */
export const answerLengthMax = 60_000

/** Texts of an answer that is longer all the same are cut shorter, in these steps; no id or cursor is as long as the last. */
const textLengths = [1_000, 300, 120]

const withTexts = (value: unknown, lengthMax: number): unknown => {
  if (typeof value === "string") return value.length > lengthMax ? cut(value, lengthMax - 40) : value
  if (Array.isArray(value)) return value.map((item) => withTexts(item, lengthMax))
  return isRecord(value) ? Records.map(value, (member) => withTexts(member, lengthMax)) : value
}

/** The answer as it is where it fits, else with its longest texts cut. */
const fittingTexts = (answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const isTooLong = (one: unknown) => JSON.stringify(one).length > answerLengthMax
  return textLengths.reduce(
    (shown, lengthMax) => (isTooLong(shown) ? Records.map(shown, (member) => withTexts(member, lengthMax)) : shown),
    answer
  )
}

/** A tool as it is written down: its schemas are what is advertised, what is checked, and what the types come from. */
export interface ToolSpecification<I, O, R> {
  readonly name: string
  readonly title: string
  /** When to use it and what it answers. */
  readonly description: string
  readonly input: Schema.Codec<I, unknown>
  readonly output: Schema.Codec<O, unknown>
  readonly read: (input: I) => Effect.Effect<O, Refusal, R>
}

const dialect = "https://json-schema.org/draft/2020-12/schema"

/** JSON Schema 2020-12 of a schema that knows no members beside its own. */
const jsonSchemaOf = (schema: Schema.Constraint): Readonly<Record<string, unknown>> => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  const definitions = Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions }
  // Of a schema without members nothing is said but that it is not null, and hosts demand an object's.
  const shape =
    "type" in document.schema ? document.schema : { type: "object", properties: {}, additionalProperties: false }
  return { $schema: dialect, ...shape, ...definitions }
}

/** Who asks, from the credential alone. */
export const callerOf = ({ principal }: Exchange): Caller["Service"] => ({
  organizationId: principal.organizationId,
  role: principal.role,
  name: `user:${principal.userId}`,
  kind: "user",
  userId: principal.userId,
  createdBy: null
})

/** Models send null for what they leave out. */
const withoutNulls = (input: unknown): unknown =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    : (input ?? {})

const answered = (structuredContent: Readonly<Record<string, unknown>>): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent
})

/**
 * Makes a tool of its specification. Everything that a call reads is read in one transaction that cannot write, as the
 * person whom the assistant acts for.
 */
export const makeTool = <I, O, R>({ description, input, name, output, read, title }: ToolSpecification<I, O, R>) =>
  Effect.gen(function* () {
    const reads = yield* AssistantReads
    const context = yield* Effect.context<Exclude<R, Caller>>()
    const inputSchema = jsonSchemaOf(input)
    const outputSchema = jsonSchemaOf(output)
    const known = Object.keys(isRecord(inputSchema.properties) ? inputSchema.properties : {})
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(input), { onExcessProperty: "error", errors: "all" })
    const encode = Schema.encodeSync(Schema.toCodecJson(output))

    const answer = (found: O): ToolResult => {
      const encoded: unknown = encode(found)
      if (!isRecord(encoded)) throw new Error(`The answer of ${name} is no object`)
      return answered(fittingTexts(encoded))
    }

    const tool: Tool = {
      definition: {
        name,
        title,
        description,
        inputSchema,
        outputSchema,
        annotations: {
          title,
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false
        }
      },
      call: async (given, exchange) => {
        const decoded = decode(withoutNulls(given))
        if (Result.isFailure(decoded)) return argumentFaults(name, decoded.failure.issue, known)
        const asked = read(decoded.success).pipe(
          Effect.map(answer),
          reads.run,
          Effect.catch((refusal) => Effect.succeed(refusalOf(name, refusal))),
          Effect.withSpan(`assistant.${name}`),
          Effect.provideService(Caller, callerOf(exchange))
        )
        return Effect.runPromiseWith(context)(asked, { signal: exchange.signal })
      }
    }
    return tool
  })
