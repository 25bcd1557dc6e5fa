import { createHash, createHmac } from "node:crypto"

/**
 * A client of the gateway that was written from its specification alone: it signs with Node's own `crypto` and sends
 * with Node's own `fetch`, so that no mistake of the server can hide in code which both sides share.
 */

export interface Credentials {
  readonly clientId: string
  readonly secret: string
}
export const sandbox: Credentials = { clientId: "sandbox_client", secret: "sandbox_secret" }
/** Of another organization. */
export const otherSandbox: Credentials = { clientId: "sandbox_client_2", secret: "sandbox_secret_2" }

/** Bytes that are ready to be sent, once or again. */
export interface SignedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text, or undefined where it is not JSON. */
  readonly json: unknown
}

export interface SigningOptions {
  readonly timestamp?: number | string
  readonly idempotencyKey?: string
  /** Signs method, path and key as well (`x-signature-version: 2`). */
  readonly version2?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const hmac = (secret: string, ...parts: ReadonlyArray<string | Uint8Array>) => {
  const hash = createHmac("sha256", secret)
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

let lastTimestamp = 0
/** Never the same twice, and half a minute old, so that a burst of requests does not reach into the future. */
export const nextTimestamp = () => {
  lastTimestamp = Math.max(lastTimestamp + 1, Date.now() - 30_000)
  return lastTimestamp
}

const bytesOf = (body: unknown) => {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
}

/** A body is sent as it is when it is a text or bytes, and as JSON otherwise. */
export const signRequest = (
  { clientId, secret }: Credentials,
  method: string,
  path: string,
  body?: unknown,
  { headers, idempotencyKey, timestamp = nextTimestamp(), version2 = false }: SigningOptions = {}
): SignedRequest => {
  const bytes = bytesOf(body)
  const content = bytes ?? new Uint8Array()
  const digest = createHash("sha256").update(content).digest("hex")
  const signature = version2
    ? hmac(secret, [timestamp, method, path, digest, idempotencyKey ?? ""].join("\n"))
    : hmac(secret, String(timestamp), content)
  return {
    method,
    path,
    body: bytes,
    headers: {
      "x-client-id": clientId,
      "x-timestamp": String(timestamp),
      "x-signature": signature,
      ...(version2 ? { "x-signature-version": "2" } : {}),
      ...(bytes === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...headers
    }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const answerOf = (status: number, headers: Headers, text: string): Answer => ({
  status,
  headers,
  text,
  json: parsed(text)
})

/** Changes headers of a request after it was signed; `undefined` leaves one out. */
export const withHeaders = (
  request: SignedRequest,
  changes: Readonly<Record<string, string | undefined>>
): SignedRequest => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries({ ...request.headers, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    )
  )
})

const payments = "/pf/v1/payments"
export const pathOf = (id: string, operation?: string) =>
  operation === undefined ? `${payments}/${id}` : `${payments}/${id}/${operation}`
export const authorizePath = `${payments}/authorize`

/** The base address is asked for at each request, since a restarted service has another port. */
export const makeClient = (service: () => { readonly url: string }, credentials: Credentials = sandbox) => {
  const sign = (method: string, path: string, body?: unknown, options?: SigningOptions) =>
    signRequest(credentials, method, path, body, options)
  const send = async ({ body, headers, method, path }: SignedRequest): Promise<Answer> => {
    const response = await fetch(new URL(path, service().url), {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body: new Uint8Array(body) })
    })
    return answerOf(response.status, response.headers, await response.text())
  }
  const request = (method: string, path: string, body?: unknown, options?: SigningOptions) =>
    send(sign(method, path, body, options))
  return {
    sign,
    send,
    request,
    authorize: (body: unknown, options?: SigningOptions) => request("POST", authorizePath, body, options),
    capture: (id: string, body?: unknown, options?: SigningOptions) =>
      request("POST", pathOf(id, "capture"), body, options),
    refund: (id: string, body?: unknown, options?: SigningOptions) =>
      request("POST", pathOf(id, "refund"), body, options),
    cancel: (id: string, body?: unknown, options?: SigningOptions) =>
      request("POST", pathOf(id, "void"), body, options),
    find: (id: string, query = "") => request("GET", `${pathOf(id)}${query}`),
    list: (query = "") => request("GET", `${payments}${query}`),
    /** A plain address that asks for no signature. */
    visit: (path: string) => send({ method: "GET", path, headers: {}, body: undefined })
  }
}
export type Client = ReturnType<typeof makeClient>
