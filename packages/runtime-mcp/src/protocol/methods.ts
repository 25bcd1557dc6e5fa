import { Option, Schema } from "effect"
import type { Catalogue, ToolResult } from "../catalogue/Catalogue.ts"
import type { Conduct, Reply } from "./Conduct.ts"
import { invalidParams } from "./ProtocolFault.ts"

type Json = Record<string, unknown>

/** Answers a method of the protocol with its result, or rejects with a `ProtocolFault`. */
export type Method = (params: unknown, reply: Reply) => Promise<Json>

const list = Schema.Struct({ cursor: Schema.optional(Schema.String) })
const toolCall = Schema.Struct({
  _meta: Schema.optional(
    Schema.Struct({ progressToken: Schema.optional(Schema.Union([Schema.String, Schema.Number])) })
  ),
  name: Schema.String,
  // Hosts send null for what they leave out.
  arguments: Schema.optional(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})
const promptCall = Schema.Struct({
  name: Schema.String,
  arguments: Schema.optional(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
})
const resourceCall = Schema.Struct({ uri: Schema.String })
const completionCall = Schema.Struct({
  ref: Schema.Union([
    Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
    Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
  ]),
  argument: Schema.Struct({ name: Schema.String, value: Schema.String })
})

/** Completions of one answer (specification, server/utilities/completion). */
const completionsMax = 100

/** What a call has that no name of the catalogue stands for. */
const unnamed = "unknown"

const decode = <A>(schema: Schema.ConstraintDecoder<A>, params: unknown, what: string): A => {
  const decoded = Schema.decodeUnknownOption(schema)(params ?? {})
  if (Option.isSome(decoded)) return decoded.value
  throw invalidParams(`The parameters of ${what} do not have the form that the protocol gives them`)
}

/** Lists fit on one page, so that no cursor is ever handed out. */
const listed =
  (method: string, result: () => Json): Method =>
  async (params) => {
    if (decode(list, params, method).cursor !== undefined) throw invalidParams("There is no page with this cursor")
    return result()
  }

const rowsOf = ({ structuredContent }: ToolResult): number | null => {
  const items = structuredContent?.items
  return Array.isArray(items) ? items.length : null
}

/** Progress goes to a client that has asked for it, under the token that it gave (server/utilities/progress). */
const withProgress = ({ notify, signal }: Reply, progressToken: string | number | undefined): Reply => ({
  signal,
  notify: async (method, params) => {
    if (method !== "notifications/progress") return notify(method, params)
    if (progressToken !== undefined) await notify(method, { ...params, progressToken })
  }
})

const callTool =
  (catalogue: Catalogue, conduct: Conduct): Method =>
  async (params, reply) => {
    const { _meta, arguments: input, name } = decode(toolCall, params, "tools/call")
    const tool = catalogue.tools.find(({ definition }) => definition.name === name)
    if (tool === undefined) throw invalidParams("There is no tool with this name")
    const result = await conduct(
      {
        method: "tools/call",
        name: () => name,
        run: (exchange) => tool.call(input ?? {}, exchange),
        judge: (answer) => ({ judgement: answer.isError === true ? "refused" : "answered", rows: rowsOf(answer) })
      },
      withProgress(reply, _meta?.progressToken)
    )
    return { ...result }
  }

const getPrompt =
  (catalogue: Catalogue, conduct: Conduct): Method =>
  async (params, reply) => {
    const { arguments: given, name } = decode(promptCall, params, "prompts/get")
    const input = given ?? {}
    const prompt = catalogue.prompts.find(({ definition }) => definition.name === name)
    if (prompt === undefined) throw invalidParams("There is no prompt with this name")
    const missing = prompt.definition.arguments.filter((argument) => argument.required && !(argument.name in input))
    if (missing.length > 0) throw invalidParams(`The prompt needs ${missing.map((one) => one.name).join(", ")}`)
    const messages = await conduct(
      {
        method: "prompts/get",
        name: () => name,
        run: (exchange) => prompt.get(input, exchange),
        judge: (answer) => ({ judgement: answer === undefined ? "not_found" : "answered", rows: null })
      },
      reply
    )
    if (messages === undefined) throw invalidParams("The arguments do not fit this prompt")
    return { description: prompt.definition.description, messages }
  }

const readResource =
  (catalogue: Catalogue, conduct: Conduct): Method =>
  async (params, reply) => {
    const { uri } = decode(resourceCall, params, "resources/read")
    const contents = await conduct(
      {
        method: "resources/read",
        name: (answer) => (answer === undefined ? unnamed : uri),
        run: (exchange) => catalogue.readResource(uri, exchange),
        judge: (answer) => ({ judgement: answer === undefined ? "not_found" : "answered", rows: null })
      },
      reply
    )
    if (contents === undefined) throw invalidParams("Resource not found", { uri })
    return { contents }
  }

const complete =
  (catalogue: Catalogue, conduct: Conduct, propose: NonNullable<Catalogue["complete"]>): Method =>
  async (params, reply) => {
    const { argument, ref } = decode(completionCall, params, "completion/complete")
    const of = ref.type === "ref/prompt" ? ref.name : ref.uri
    const isKnown =
      ref.type === "ref/prompt"
        ? catalogue.prompts.some(({ definition }) => definition.name === of)
        : catalogue.resourceTemplates.some(({ definition }) => definition.uriTemplate === of)
    if (!isKnown) throw invalidParams("There is no such prompt or resource template")
    const values = await conduct(
      {
        method: "completion/complete",
        name: () => of,
        run: (exchange) => propose({ of, argument: argument.name, value: argument.value }, exchange),
        judge: (answer) => ({ judgement: "answered", rows: answer.length })
      },
      reply
    )
    const shown = values.slice(0, completionsMax)
    return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } }
  }

/** Everything that a conversation can ask, whatever the revision: one table for both generations of the protocol. */
export const makeMethods = (catalogue: Catalogue, conduct: Conduct): ReadonlyMap<string, Method> =>
  new Map<string, Method>([
    ["tools/list", listed("tools/list", () => ({ tools: catalogue.tools.map(({ definition }) => definition) }))],
    ["tools/call", callTool(catalogue, conduct)],
    [
      "prompts/list",
      listed("prompts/list", () => ({ prompts: catalogue.prompts.map(({ definition }) => definition) }))
    ],
    ["prompts/get", getPrompt(catalogue, conduct)],
    [
      "resources/list",
      listed("resources/list", () => ({ resources: catalogue.resources.map(({ definition }) => definition) }))
    ],
    [
      "resources/templates/list",
      listed("resources/templates/list", () => ({
        resourceTemplates: catalogue.resourceTemplates.map(({ definition }) => definition)
      }))
    ],
    ["resources/read", readResource(catalogue, conduct)],
    ...(catalogue.complete === undefined
      ? []
      : [["completion/complete", complete(catalogue, conduct, catalogue.complete)] as const])
  ])

/**
 * For what a client answers when it is asked something, which it never is here. The SDKs' own reads its rules anew for each
 * conversation, which is each request: a tenth of the time of a call.
 */
const jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "Nothing was asked" }) as const
}

/** What both generations announce. */
export const announced = ({ complete: completes, instructions, logs, name, title, version }: Catalogue) => ({
  implementation: { name, title, version },
  options: {
    instructions,
    jsonSchemaValidator,
    capabilities: {
      tools: {},
      prompts: {},
      resources: {},
      ...(completes === undefined ? {} : { completions: {} }),
      ...(logs === undefined ? {} : { logging: {} })
    }
  }
})
