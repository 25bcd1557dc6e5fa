import { eventCatalogue, examplePayload, payloadSchema } from "@sarraf/domain/events/EventCatalogue"
import { type EventType, eventTypes } from "@sarraf/domain/events/EventLog"
import { Schema } from "effect"
import { type CachedDocument, makeDocument } from "./CachedDocument.ts"
import { documentPage, escapeHtml } from "./documentPage.ts"
import { type SchemaMember, schemaMembers } from "./schemaMembers.ts"

/** Where the JSON Schema of a type's payload is. */
const schemaPath = (type: EventType) => `/docs/events/${type}.json`

/** The payload of a type as JSON Schema 2020-12. Members that it does not name may come: it stays true of what is added. */
const payloadJsonSchema = (type: EventType) => {
  const { schema } = Schema.toJsonSchemaDocument(payloadSchema(type))
  return { $schema: "https://json-schema.org/draft/2020-12/schema", $id: schemaPath(type), ...schema }
}

/** The schemas by the last segment of their paths: `card.frozen.json`. */
export const eventSchemaDocuments = (): ReadonlyMap<string, CachedDocument> =>
  new Map(
    eventTypes.map((type) => [
      `${type}.json`,
      makeDocument(
        "application/schema+json; charset=utf-8",
        `${JSON.stringify(payloadJsonSchema(type), undefined, 2)}\n`
      )
    ])
  )

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<string>) => `<table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>`

const memberRow = ({ description, isRequired, name, type }: SchemaMember) => {
  const told = [isRequired ? "" : "Optional.", escapeHtml(description)].filter((part) => part !== "").join(" ")
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(type)}</td><td>${told}</td></tr>`
}

const members = (rows: ReadonlyArray<SchemaMember>) => table(["Member", "Type", "Meaning"], rows.map(memberRow))

const membersOf = (type: EventType) => schemaMembers(payloadJsonSchema(type))

const indexRow = (type: EventType) =>
  `<tr><td><a href="#${type}"><code>${type}</code></a></td><td>${escapeHtml(eventCatalogue[type].happens)}</td></tr>`

/** The members of every payload; what is inside `data` differs by type. */
const envelope = () => {
  const [first] = eventTypes
  return membersOf(first)
    .filter(({ name }) => !/^data\..*\./u.test(name))
    .map((member) => (member.name === "type" ? { ...member, type: "one of the eleven types" } : member))
}

const objectMembers = (type: EventType) =>
  membersOf(type)
    .filter(({ name }) => name.startsWith("data.object."))
    .map((member) => ({ ...member, name: member.name.slice("data.object.".length) }))

const section = (type: EventType) => {
  const { happens, objectName } = eventCatalogue[type]
  return `<section id="${type}">
<h2><code>${type}</code></h2>
<p>${escapeHtml(happens)} <a href="${schemaPath(type)}">JSON Schema</a></p>
<pre><code>${escapeHtml(JSON.stringify(examplePayload(type), undefined, 2))}</code></pre>
<details><summary><code>data.object</code>: the ${objectName}</summary>
${members(objectMembers(type))}
</details>
</section>`
}

const headers: ReadonlyArray<readonly [name: string, meaning: string]> = [
  [
    "x-service-signature",
    "<code>t=&lt;unix ms&gt;,v1=&lt;hex&gt;</code>: HMAC-SHA256 of <code>&lt;t&gt;.&lt;body&gt;</code>, in lower case, keyed with the endpoint's secret as it was shown, <code>whsec_</code> included. For 24 hours after a rotation there are two <code>v1</code>; one that fits is enough."
  ],
  ["webhook-id", "The event's <code>id</code>, the same at each attempt. Standard Webhooks."],
  ["webhook-timestamp", "When this attempt was made, in Unix seconds. Standard Webhooks."],
  [
    "webhook-signature",
    "<code>v1,&lt;base64&gt;</code>: HMAC-SHA256 of <code>&lt;webhook-id&gt;.&lt;webhook-timestamp&gt;.&lt;body&gt;</code>, keyed with the bytes that follow <code>whsec_</code> in base64; two of them, with a space between, after a rotation. Standard Webhooks."
  ],
  ["content-type", "<code>application/json</code>"]
]

/** Every event: when it happens, what it tells, and how it comes. */
export const eventsPage = (): CachedDocument =>
  documentPage(
    "Events and webhooks",
    `<nav><a href="/docs">API reference</a> · <a href="/docs/errors">Error codes</a></nav>
<main>
<h1>Events and webhooks</h1>
<p class="lead">An event is committed together with the change that made it. It is in <code>GET /api/events</code>, and each endpoint of <code>/api/webhooks</code> that subscribes to its type is sent it, at least once.</p>
${table(["Type", "When"], eventTypes.map(indexRow))}
<h2>The payload</h2>
<p>The same JSON wherever an event is shown. Ignore members that you do not know: more may come without a new <code>api_version</code>.</p>
${members(envelope())}
<h2>Repeats and order</h2>
<p>A delivery may come twice: what has an <code>id</code> that you know is a repeat. Deliveries may overtake each other: of two events of one object the one with the higher <code>sequence</code> is the later.</p>
<h2>The headers of a delivery</h2>
${table(
  ["Header", "Meaning"],
  headers.map(([name, meaning]) => `<tr><td><code>${name}</code></td><td>${meaning}</td></tr>`)
)}
${eventTypes.map(section).join("\n")}
</main>`
  )
