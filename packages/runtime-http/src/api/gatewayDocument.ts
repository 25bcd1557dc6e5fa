type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const header = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description })

/** The three headers that every request is signed with (specification 5.1). */
const securitySchemes = {
  clientId: header("x-client-id", "The API client identifier."),
  timestamp: header("x-timestamp", "Unix time in milliseconds; at most 5 minutes from the server's."),
  signature: header(
    "x-signature",
    "Lowercase hexadecimal HMAC-SHA256 of the text of x-timestamp followed by the exact bytes of the body, keyed with the client secret. With x-signature-version: 2 of timestamp, method, path with query, SHA-256 of the body in hex and Idempotency-Key, joined by line feeds."
  )
}

const security = [{ clientId: [], timestamp: [], signature: [] }]

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible ASCII characters. A repeat with the same key and content is answered from what the first began.",
  schema: { type: "string", minLength: 1, maxLength: 255 }
}

/** A body that may be null may also be absent. */
const withOptionalBody = (operation: Fields): Fields => {
  const { requestBody } = operation
  if (!isObject(requestBody) || !JSON.stringify(requestBody).includes('{"type":"null"}')) return operation
  return { ...operation, requestBody: { ...requestBody, required: false } }
}

const signed = (method: string, operation: unknown): unknown => {
  if (!isObject(operation)) return operation
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : []
  return {
    ...withOptionalBody(operation),
    security,
    parameters: method === "post" ? [...parameters, idempotencyKey] : parameters
  }
}

/** Adds to the generated document what the gateway's middleware demands: how requests are signed, and Idempotency-Key. */
export const withSignedRequests = (document: Fields): Fields => {
  const paths = isObject(document.paths) ? document.paths : {}
  const components = isObject(document.components) ? document.components : {}
  const described = Object.entries(paths).map(([path, item]) => {
    if (!path.startsWith("/pf/v1/") || !isObject(item)) return [path, item] as const
    const operations = Object.entries(item).map(([method, operation]) => [method, signed(method, operation)] as const)
    return [path, Object.fromEntries(operations)] as const
  })
  const schemes = isObject(components.securitySchemes) ? components.securitySchemes : {}
  return {
    ...document,
    paths: Object.fromEntries(described),
    components: { ...components, securitySchemes: { ...schemes, ...securitySchemes } }
  }
}
