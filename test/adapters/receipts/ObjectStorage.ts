import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/**
 * A storage with one bucket, after Amazon S3's public documentation: PutObject, GetObject, HeadObject and DeleteObject
 * with path-style addresses, each signed with Signature Version 4 in the Authorization header ("Authenticating Requests:
 * Using the Authorization Header").
 */

export const credentials = { accessKeyId: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }
export const region = "eu-central-1"
export const bucket = "our-receipts"

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()
const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content)

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/u

/** What is wrong with a request's signature; undefined where it is right. */
const signatureFault = ({ headers, method = "", url = "" }: IncomingMessage, body: Uint8Array): string | undefined => {
  const [, keyId, day = "", area = "", names = "", signature] = authorization.exec(headers.authorization ?? "") ?? []
  if (keyId !== credentials.accessKeyId || area !== region) return "InvalidAccessKeyId"
  const at = String(headers["x-amz-date"])
  if (!/^\d{8}T\d{6}Z$/u.test(at) || !at.startsWith(day)) return "AuthorizationHeaderMalformed"
  const signed = names.split(";")
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.includes(name))) return "AccessDenied"
  const payload = String(headers["x-amz-content-sha256"])
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(body).digest("hex")) return "XAmzContentSHA256Mismatch"
  const [path, query = ""] = url.split("?")
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join("")
  const canonical = [method, path, query, lines, names, payload].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical).digest("hex")].join("\n")
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${credentials.secret}`, day))
  return hmac(key, text).toString("hex") === signature ? undefined : "SignatureDoesNotMatch"
}

const bodyOf = async (request: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return new Uint8Array(Buffer.concat(parts))
}

interface Reply {
  readonly status: number
  readonly body?: Uint8Array | string
}

const failed = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>No</Message></Error>`
})

/** A running storage; `break` lets it answer 503 from then on. */
export const makeObjectStorage = Effect.gen(function* () {
  const objects = new Map<string, Uint8Array>()
  const seen: Array<string> = []
  let isBroken = false

  const reply = (request: IncomingMessage, body: Uint8Array): Reply => {
    const fault = signatureFault(request, body)
    if (fault !== undefined) return failed(403, fault)
    if (isBroken) return failed(503, "SlowDown")
    const { headers, method, url = "" } = request
    if (!url.startsWith(`/${bucket}/`)) return failed(404, "NoSuchBucket")
    if (method === "PUT") {
      const checksum = headers["x-amz-checksum-sha256"]
      if (checksum !== sha256(body).digest("base64")) return failed(400, "BadDigest")
      objects.set(url, body)
      return { status: 200 }
    }
    const found = objects.get(url)
    if (method === "DELETE") {
      objects.delete(url)
      return { status: 204 }
    }
    return found === undefined ? failed(404, "NoSuchKey") : { status: 200, body: found }
  }

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    seen.push(`${request.method} ${request.url}`)
    const { body: content = "", status } = reply(request, body)
    response.writeHead(status, { "content-length": Buffer.byteLength(content) })
    response.end(request.method === "HEAD" ? undefined : content)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    seen,
    break: Effect.sync(() => {
      isBroken = true
    })
  }
})
