import { createHash, createHmac } from "node:crypto"
import { makeBodies } from "./bodies.ts"
import { hostileSegment, hostileText } from "./hostile.ts"
import type { Random } from "./Random.ts"
import type { Operation, Specification } from "./Specification.ts"

/** Whole requests: an operation of the specification, with a credential, by its schema or against it. */

export interface FuzzRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer | undefined
}

const gateway = { clientId: "sandbox_client", secret: "sandbox_secret" }
const apiKey = "key_test_sandbox"

type Headers = Array<readonly [name: string, value: string]>

let lastTimestamp = 0
/** Another one each time: two requests with one signature would be one request. */
const nextTimestamp = () => {
  lastTimestamp = Math.max(lastTimestamp + 1, Date.now() - 60_000)
  return String(lastTimestamp)
}

/** Rightly signed seven times of eight, so that most come past the signature. */
const signed = (
  { body, method, target }: Pick<FuzzRequest, "body" | "method" | "target">,
  idempotencyKey: string | undefined,
  random: Random
): Headers => {
  const timestamp = nextTimestamp()
  const bytes = body ?? Buffer.alloc(0)
  const isSecond = random.chance(0.3)
  const hmac = createHmac("sha256", gateway.secret)
  const digest = createHash("sha256").update(bytes).digest("hex")
  if (isSecond) hmac.update([timestamp, method, target, digest, idempotencyKey ?? ""].join("\n"))
  else hmac.update(timestamp).update(bytes)
  const headers: Headers = [
    ["x-client-id", gateway.clientId],
    ["x-timestamp", timestamp],
    ["x-signature", hmac.digest("hex")],
    ...(isSecond ? [["x-signature-version", "2"] as const] : [])
  ]
  if (random.chance(7 / 8)) return headers
  return headers.flatMap(([name, value]) =>
    random.chance(0.5) ? [[name, value]] : random.chance(0.5) ? [] : [[name, headerValue(hostileText(random))]]
  )
}

const bearer = (random: Random, method: string): Headers => {
  if (random.chance(7 / 8)) return [["authorization", `Bearer ${apiKey}`]]
  const other = random.pick([
    "Bearer ",
    "Basic a2V5Og==",
    // The bystander's organization is read at most: what changes it could switch its payments off.
    method === "GET" ? "Bearer key_test_other" : "Bearer key_test_nobody",
    "Bearer mcp_sandbox",
    `Bearer sess_${"a".repeat(43)}`,
    `Bearer ${headerValue(hostileText(random))}`,
    `bearer  ${apiKey}`
  ])
  return [["authorization", other]]
}

/** What may stand in a header: no control character but a tab, and each character one byte. */
const headerValue = (text: string) => Buffer.from(text.replace(/(?!\t)\p{Cc}/gu, "")).toString("latin1")

const contentTypes = [
  "text/plain",
  "application/xml",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "application/json; charset=utf-16",
  "application/json;charset=;;=",
  "text/csv",
  "image/png",
  "json",
  ""
] as const

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/** Headers that mean something to somebody on the way. */
const strangeHeaders = (random: Random): Headers =>
  Array.from({ length: random.below(3) }, () => {
    const name = random.pick([
      "x-request-id",
      "if-match",
      "if-none-match",
      "accept",
      "accept-encoding",
      "content-encoding",
      "cookie",
      "origin",
      "range",
      "x-csrf-token",
      "x-forwarded-for",
      "x-http-method-override",
      "traceparent",
      "b3",
      "upgrade-insecure-requests"
    ])
    return [name, headerValue(hostileText(random))] as const
  })

/** One part of a form, as a browser sends it, or nearly. */
const multipart = (random: Random, fitting: string) => {
  const content = random.pick([
    Buffer.from("%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n%%EOF\n", "latin1"),
    Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
    Buffer.from(fitting),
    Buffer.alloc(0),
    Buffer.alloc(1 + random.below(400_000), "\u0000")
  ])
  const name = random.pick(["file", "receipt", "", "__proto__", 'fi\\"le'])
  const file = random.pick(["a.pdf", "../../a.png", "a\u0000.pdf", "ü".repeat(300), ""])
  const head = `--x\r\ncontent-disposition: form-data; name="${name}"; filename="${file}"\r\ncontent-type: application/pdf\r\n\r\n`
  const tail = random.chance(0.85) ? "\r\n--x--\r\n" : random.pick(["", "\r\n--x", "--x--", "\r\n--x--\r\n--x\r\n"])
  return Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
}

/** Identifiers that the service has given out. */
export interface Ids {
  /** One that fits the operation's path, as far as can be told. */
  readonly forPath: (operation: Operation, random: Random) => string
  readonly any: (random: Random) => string
}

export const makeRequests = (specification: Specification, ids: Ids) => {
  const bodies = makeBodies(specification, ids.any)

  const pathOf = (operation: Operation, random: Random) =>
    operation.path.replace(/\{(\w+)\}/g, () =>
      random.chance(0.85) ? ids.forPath(operation, random) : hostileSegment(random)
    )

  const queryOf = ({ parameters }: Operation, random: Random) => {
    const parts = parameters
      .filter((parameter) => parameter.in === "query" && random.chance(parameter.required === true ? 0.95 : 0.25))
      .flatMap(({ name, schema = {} }) => {
        // A question that asks to be kept waiting would be answered late, and rightly.
        if (name === "wait") return [`wait=${random.pick(["0", "1", "-1", "x", "1e9999", ""])}`]
        const text = random.chance(0.6) ? bodies.text(schema, name, random) : hostileText(random)
        const part = `${encodeURIComponent(name)}=${encodeURIComponent(text.toWellFormed())}`
        return random.chance(0.1) ? [part, part] : [part]
      })
    if (random.chance(0.08))
      parts.push(random.pick(["__proto__=1", "%=%", "a[b][c]=1", "%ff=%ff", "&&&", "=", "x".repeat(5_000)]))
    return parts.length === 0 ? "" : `?${parts.join("&")}`
  }

  const contentOf = ({ body }: Operation, random: Random) => {
    if (body === undefined) return random.chance(0.1) ? Buffer.from("{}") : undefined
    if (random.chance(0.04)) return undefined
    if (body.contentType.startsWith("multipart/")) return multipart(random, "{}")
    if (random.chance(0.45)) return Buffer.from(bodies.fitting(body.schema, random))
    return bodies.spoilt(body.schema, random)
  }

  return (operation: Operation, random: Random): FuzzRequest => {
    const method = random.chance(0.97) ? operation.method : random.pick(methods)
    const target = `${pathOf(operation, random)}${queryOf(operation, random)}`
    const body = contentOf(operation, random)
    const usual = operation.body?.contentType.startsWith("multipart/") ? "multipart/form-data; boundary=x" : undefined
    const type = usual ?? operation.body?.contentType ?? "application/json"
    const idempotencyKey = random.chance(0.25)
      ? random.chance(0.7)
        ? `key-${random.below(500)}`
        : headerValue(hostileText(random)).trim()
      : undefined
    const request = { method, target, body }
    const headers: Headers = [
      ...(operation.isSigned ? signed(request, idempotencyKey, random) : bearer(random, method)),
      ...(body === undefined
        ? []
        : [["content-type", random.chance(0.95) ? type : random.pick(contentTypes)] as const]),
      ...(idempotencyKey === undefined ? [] : [["idempotency-key", idempotencyKey] as const]),
      ...(operation.parameters.some(({ name }) => name === "if-match") && random.chance(0.2)
        ? [["if-match", random.pick(['"1"', "1", "*", '"x"', 'W/"1"', '"99999999999999999999"'])] as const]
        : []),
      ...(random.chance(0.15) ? strangeHeaders(random) : [])
    ]
    return { method, target, headers, body }
  }
}

/** The bytes of a request that ends its connection. */
export const bytesOf = ({ body, headers, method, target }: FuzzRequest): Buffer => {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "host: localhost",
    "connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${body.length}`])
  ]
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body ?? Buffer.alloc(0)])
}
