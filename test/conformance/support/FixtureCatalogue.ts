import type { Catalogue, Prompt, Resource, Tool, ToolResult } from "@sarraf/runtime-mcp/catalogue/Catalogue"

/** What the conformance suite calls by name: its texts are the suite's own ("everything server"). */

/** A red pixel, and a WAV file without a sample. */
const image = {
  type: "image",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  mimeType: "image/png"
}
const audio = {
  type: "audio",
  data: "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=",
  mimeType: "audio/wav"
}
const text = (content: string) => ({ type: "text", text: content })
const embedded = (uri: string, content: string, mimeType = "text/plain") => ({
  type: "resource",
  resource: { uri, mimeType, text: content }
})

const noArguments = { type: "object", properties: {}, additionalProperties: false }

const tool = (
  name: string,
  call: (exchange: Parameters<Tool["call"]>[1]) => Promise<ToolResult> | ToolResult,
  inputSchema: Tool["definition"]["inputSchema"] = noArguments
): Tool => ({
  definition: {
    name,
    title: name,
    description: `Answers what the conformance suite expects of ${name}`,
    inputSchema,
    annotations: { title: name, readOnlyHint: true }
  },
  call: async (_, exchange) => call(exchange)
})

/** Keywords of JSON Schema 2020-12 that have to arrive as they were written. */
const everyKeyword = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

const tools: ReadonlyArray<Tool> = [
  tool("test_simple_text", () => ({ content: [text("This is a simple text response for testing.")] })),
  tool("test_image_content", () => ({ content: [image] })),
  tool("test_audio_content", () => ({ content: [audio] })),
  tool("test_embedded_resource", () => ({
    content: [embedded("test://embedded-resource", "This is an embedded resource content.")]
  })),
  tool("test_multiple_content_types", () => ({
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", JSON.stringify({ test: "data", value: 123 }), "application/json")
    ]
  })),
  tool("test_tool_with_logging", async ({ notify }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await notify("notifications/message", { level: "info", data })
    }
    return { content: [text("Tool with logging executed successfully")] }
  }),
  tool("test_tool_with_progress", async ({ notify }) => {
    for (const progress of [0, 50, 100]) {
      await notify("notifications/progress", { progress, total: 100, message: `Completed step ${progress} of 100` })
    }
    return { content: [text("Done")] }
  }),
  tool("test_error_handling", () => ({
    content: [text("This tool intentionally returns an error for testing")],
    isError: true
  })),
  tool("json_schema_2020_12_tool", () => ({ content: [text("JSON Schema 2020-12")] }), everyKeyword)
]

const prompt = (
  name: string,
  required: ReadonlyArray<string>,
  get: (input: Readonly<Record<string, string>>) => ReadonlyArray<Readonly<Record<string, unknown>>>
): Prompt => ({
  definition: {
    name,
    title: name,
    description: `Answers what the conformance suite expects of ${name}`,
    arguments: required.map((argument) => ({ name: argument, description: argument, required: true }))
  },
  get: async (input) => get(input)
})
const said = (content: Readonly<Record<string, unknown>>) => ({ role: "user", content })

const prompts: ReadonlyArray<Prompt> = [
  prompt("test_simple_prompt", [], () => [said(text("This is a simple prompt for testing."))]),
  prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => [
    said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
  ]),
  prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri = "" }) => [
    said(embedded(resourceUri, "Embedded resource content for testing.")),
    said(text("Please process the embedded resource above."))
  ]),
  prompt("test_prompt_with_image", [], () => [said(image), said(text("Please analyze the image above."))])
]

const resource = (uri: string, mimeType: string): Resource => ({
  definition: { uri, mimeType, name: uri, title: uri, description: `The conformance suite reads ${uri}` }
})

export const fixtureCatalogue: Catalogue = {
  name: "conformance",
  title: "Conformance",
  version: "1.0.0",
  instructions: "Answers what the conformance suite asks for.",
  logs: true,
  tools,
  prompts,
  resources: [resource("test://static-text", "text/plain"), resource("test://static-binary", "image/png")],
  resourceTemplates: [
    {
      definition: {
        uriTemplate: "test://template/{id}/data",
        mimeType: "application/json",
        name: "template",
        title: "Template",
        description: "Data of one id"
      }
    }
  ],
  readResource: async (uri) => {
    if (uri === "test://static-text") {
      return [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }]
    }
    if (uri === "test://static-binary") return [{ uri, mimeType: "image/png", blob: image.data }]
    const id = /^test:\/\/template\/([^/]+)\/data$/u.exec(uri)?.[1]
    if (id === undefined) return undefined
    const data = { id, templateTest: true, data: `Data for ID: ${id}` }
    return [{ uri, mimeType: "application/json", text: JSON.stringify(data) }]
  },
  complete: async ({ value }) => ["paris", "park", "party"].filter((known) => known.startsWith(value))
}
