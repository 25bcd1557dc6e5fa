import type { AssistantPrincipal } from "@sarraf/domain/assistants/AssistantPrincipal"

type Json = Readonly<Record<string, unknown>>

/** One call, whatever the protocol revision it came by. */
export interface Exchange {
  /** Whom it acts for. There is no call without one. */
  readonly principal: AssistantPrincipal
  /** Ends when the client has gone or no longer wants it. */
  readonly signal: AbortSignal
  /** Tells the client something while the call runs, where its transport can: `notifications/progress`, for example. */
  notify(method: string, params: Json): Promise<void>
}

/** What a call gives: content blocks of the protocol, and the same as JSON where the tool has an output schema. */
export interface ToolResult {
  readonly content: ReadonlyArray<Json>
  readonly structuredContent?: Json
  readonly isError?: boolean
}

/** A tool as it is advertised, and what it does. */
export interface Tool {
  readonly definition: {
    readonly name: string
    readonly title: string
    readonly description: string
    /** JSON Schema 2020-12 of an object. */
    readonly inputSchema: Json
    readonly outputSchema?: Json
    readonly annotations: Json
  }
  /** Wrong arguments and refusals are results with `isError`; a rejected promise is a fault of the service. */
  call(input: unknown, exchange: Exchange): Promise<ToolResult>
}

/** A text that a person may start from. */
export interface Prompt {
  readonly definition: {
    readonly name: string
    readonly title: string
    readonly description: string
    readonly arguments: ReadonlyArray<{
      readonly name: string
      readonly description: string
      readonly required: boolean
    }>
  }
  /** The messages; undefined where the arguments do not fit. */
  get(input: Readonly<Record<string, string>>, exchange: Exchange): Promise<ReadonlyArray<Json> | undefined>
}

export interface Resource {
  readonly definition: {
    readonly uri: string
    readonly name: string
    readonly title: string
    readonly description: string
    readonly mimeType: string
  }
}

export interface ResourceTemplate {
  readonly definition: {
    readonly uriTemplate: string
    readonly name: string
    readonly title: string
    readonly description: string
    readonly mimeType: string
  }
}

/** A value that somebody is about to type, and where it belongs. */
export interface Completion {
  /** A prompt's name, or a resource template's `uriTemplate`. */
  readonly of: string
  readonly argument: string
  readonly value: string
}

/** Everything that an assistant can be offered, in the order in which it is listed. */
export interface Catalogue {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string
  readonly tools: ReadonlyArray<Tool>
  readonly prompts: ReadonlyArray<Prompt>
  readonly resources: ReadonlyArray<Resource>
  readonly resourceTemplates: ReadonlyArray<ResourceTemplate>
  /** The contents; undefined where there is no such resource for this principal. */
  readResource(uri: string, exchange: Exchange): Promise<ReadonlyArray<Json> | undefined>
  /** Proposes values for arguments of prompts and templates; absent where nothing is proposed. */
  complete?(completion: Completion, exchange: Exchange): Promise<ReadonlyArray<string>>
  /** Whether calls tell the client log messages, which revision 2026-07-28 has deprecated; absent where they do not. */
  readonly logs?: true
}
