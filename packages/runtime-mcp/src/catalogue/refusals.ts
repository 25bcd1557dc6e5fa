import type { TooSlow } from "@sarraf/domain/assistants/AssistantReads"
import type { InvalidFields, NotFound } from "@sarraf/domain/errors/Refusals"
import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import type { RoleMissing } from "@sarraf/domain/organizations/Caller"
import { Schema, SchemaIssue } from "effect"
import type { ToolResult } from "./Catalogue.ts"

/** A cursor that is not the `next_cursor` of this tool, organization and filters. */
export class CursorRefused extends Schema.TaggedError<CursorRefused>()("CursorRefused", {}) {}

/** Why a tool may refuse to answer. */
export type Refusal = CursorRefused | InvalidFields | NotFound | RoleMissing | TooSlow | Unavailable

/** An answer that tells the model what to do instead. */
export const refused = (sentence: string): ToolResult => ({
  content: [{ type: "text", text: sentence }],
  isError: true
})

const faultLine = (path: string, message: string) => `- ${path === "" ? "arguments" : path}: ${message}`

const listed = (tool: string, lines: ReadonlyArray<string>) =>
  refused(`The arguments of ${tool} do not fit. Correct these and call it again:\n${lines.join("\n")}`)

/** A refusal of a use case, in a sentence. What is another organization's is refused like what nobody has. */
export const refusalOf = (tool: string, refusal: Refusal): ToolResult => {
  switch (refusal._tag) {
    case "CursorRefused":
      return refused(
        "This cursor is not valid here: pass the next_cursor of an earlier answer of this tool with the same filters, or leave cursor out to begin anew."
      )
    case "InvalidFields":
      return listed(
        tool,
        refusal.faults.map(({ message, path }) => faultLine(path, message))
      )
    case "NotFound":
      return refused(
        `There is no such ${refusal.resource}, or this person may not see it. Take ids from the list tools' answers.`
      )
    case "RoleMissing":
      return refused(
        `This person's role does not allow it: it takes one of ${refusal.needed.join(", ")}. Say so; calling again does not help.`
      )
    case "TooSlow":
      return refused(
        "This took too long and was stopped. Ask for less: a shorter period, fewer filters, a smaller limit."
      )
    case "Unavailable":
      return refused("The service cannot read its data at this moment. Call again in some seconds.")
  }
}

/** A model may send wrong arguments in as many places as fit into a request; the answer stays small. */
const faultsMax = 20
const messageLengthMax = 200
const pathLengthMax = 80

const standardIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const pathOf = (path: ReadonlyArray<unknown>): string =>
  path.reduce<string>((joined, key) => {
    if (typeof key === "number") return `${joined}[${key}]`
    return joined === "" ? String(key) : `${joined}.${String(key)}`
  }, "")

const short = (written: string, lengthMax: number) =>
  written.length > lengthMax ? `${written.slice(0, lengthMax)}…` : written

/** Every fault of arguments that did not decode, 20 at most, by their places. */
export const argumentFaults = (tool: string, issue: SchemaIssue.Issue, known: ReadonlyArray<string>): ToolResult => {
  const { issues } = standardIssues(issue)
  const lines = issues.slice(0, faultsMax).map(({ message, path = [] }) => {
    const place = short(pathOf(path), pathLengthMax)
    const unknown = `is not an argument of this tool: it takes ${known.join(", ") || "none"}`
    const said = message.startsWith("Expected no excess property")
      ? unknown
      : message.replace(/^Missing key/u, "is required")
    return faultLine(place, short(said, messageLengthMax + unknown.length))
  })
  return listed(tool, issues.length > faultsMax ? [...lines, `- and ${issues.length - faultsMax} more`] : lines)
}
