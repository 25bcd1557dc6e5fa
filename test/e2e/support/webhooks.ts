import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "vitest"
import { type Bearer, bodyOf } from "./bearer.ts"

/** A webhook endpoint as the API shows it. */
export interface WebhookBody {
  readonly id: string
  readonly version: number
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly retry: Readonly<Record<string, number>>
  readonly concurrency: number
  readonly status: string
  readonly disabled_reason: string | null
  readonly failing_since: string | null
  readonly former_secret_until: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly secret?: string
  readonly warnings?: ReadonlyArray<{ readonly path: string }>
}

/** A delivery as the API shows it. */
export interface DeliveryBody {
  readonly id: string
  readonly endpoint_id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: string
  readonly attempts: ReadonlyArray<{
    readonly number: number
    readonly at: string
    readonly duration_ms: number
    readonly status: number | null
    readonly error: string | null
    readonly answer: string | null
  }>
  readonly next_attempt_at: string | null
  readonly created_at: string
  readonly completed_at: string | null
}

/** Nobody listens there, and nothing is sent while nothing happens. */
export const idleUrl = "https://receiver.example/hooks"

export const makeWebhook = async (bearer: Bearer, fields: object = {}): Promise<WebhookBody> =>
  bodyOf<WebhookBody>(await bearer("POST", "/api/webhooks", { url: idleUrl, events: ["*"], ...fields }), 201)

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that keeps what it gets, and answers with what `answer` says of each. */
export const startReceiver = async (answer: (count: number) => number = () => 200) => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") })
      response.statusCode = answer(received.length)
      response.end(`answer ${received.length}`)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** Asks again until it is so; how long that may take is the test's own limit. */
export const eventually = async <A>(ask: () => Promise<A>, isSo: (answer: A) => boolean): Promise<A> => {
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The newest delivery of an endpoint, once it is in this state. */
export const delivered = async (bearer: Bearer, endpointId: string, status: string): Promise<DeliveryBody> => {
  const [newest] = await eventually(
    async () =>
      bodyOf<{ readonly data: ReadonlyArray<DeliveryBody> }>(
        await bearer("GET", `/api/webhooks/${endpointId}/deliveries?limit=1`)
      ).data,
    ([first]) => first?.status === status
  )
  assert.isDefined(newest)
  return newest
}
