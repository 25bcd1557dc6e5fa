import { request as send } from "node:http"
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport
} from "@modelcontextprotocol/client"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert } from "vitest"

/** Assistants as hosts build them on either generation of the SDK, and as somebody with a socket does. */

export const sandboxOrganization = "org_01kd8z0000e0080000000000s1"
export const otherOrganization = "org_01kd8z0000e0080000000000s2"

export const identity = { name: "test", version: "1.0.0" }
const withToken = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

/** The transports of that SDK are not of the exact kind that this project's types are. */
export type LegacyWire = Parameters<LegacyClient["connect"]>[0]

/** Speaks 2025-11-25. */
export const connectLegacy = async (url: string, token: string): Promise<LegacyClient> => {
  const client = new LegacyClient(identity)
  await client.connect(new LegacyTransport(new URL(url), withToken(token)) as LegacyWire)
  return client
}

/** Speaks 2026-07-28. */
export const connectCurrent = async (url: string, token: string): Promise<CurrentClient> => {
  const client = new CurrentClient(identity, { versionNegotiation: { mode: "auto" } })
  await client.connect(new CurrentTransport(new URL(url), withToken(token)))
  return client
}

/** The organization that `whoami` names. */
export const organizationOf = (result: unknown): string => {
  const { isError, structuredContent } = result as {
    readonly isError?: boolean
    readonly structuredContent?: { readonly organization: { readonly id: string } }
  }
  assert.notStrictEqual(isError, true, JSON.stringify(result))
  return structuredContent?.organization.id ?? ""
}

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

interface RawRequest {
  readonly method?: string
  /** Replaces the path of the address. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

const post = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** Sends what no client would, such as another Host. */
export const raw = (url: string, { body, headers = {}, method = "POST", path }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { host, hostname, pathname, port } = new URL(url)
    const request = send(
      {
        hostname,
        port,
        method,
        path: path ?? pathname,
        headers: { host, ...(method === "POST" ? post : {}), ...headers },
        setHost: false,
        agent: false
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.once("error", reject)
        response.once("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString("utf8")
          })
        )
      }
    )
    request.once("error", reject)
    request.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body))
  })

/** A message of JSON-RPC. */
export const message = (method: string, params: unknown = {}, id = 1) => ({ jsonrpc: "2.0", id, method, params })
export const whoami = message("tools/call", { name: "whoami", arguments: {} })
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
