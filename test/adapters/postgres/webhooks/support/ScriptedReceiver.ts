import { Effect } from "effect"
import { receiving } from "../../../webhooks/receivers.ts"

/** What a receiver does with a message. */
export type Reaction = number | "closes" | "hangs" | { readonly status: number; readonly retryAfter: string }

export interface ReceivedMessage {
  /** The event's. */
  readonly id: string
  readonly body: string
  readonly path: string
  readonly signature: string
}

/** A receiver on the loopback address that does as it is told: `react` is given the event's id and how often it came. */
export const scripted = Effect.fnUntraced(function* (react: (id: string, count: number, path: string) => Reaction) {
  const messages: Array<ReceivedMessage> = []
  const counts = new Map<string, number>()
  const accepted = new Set<string>()
  const held: Array<() => void> = []
  const origin = yield* receiving((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const id = String(request.headers["webhook-id"])
      const path = request.url ?? ""
      const body = Buffer.concat(parts).toString()
      messages.push({ id, body, path, signature: String(request.headers["x-service-signature"]) })
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      const reaction = react(id, count, path)
      if (reaction === "hangs") {
        held.push(() => response.writeHead(500).end())
        return
      }
      if (reaction === "closes") {
        request.socket.destroy()
        return
      }
      const { retryAfter, status } =
        typeof reaction === "number" ? { status: reaction, retryAfter: undefined } : reaction
      if (status >= 200 && status < 300) accepted.add(id)
      if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter)
      response.statusCode = status
      response.end(`answer ${status}`)
    })
  })
  return {
    url: (path = "/hook") => `${origin}${path}`,
    /** In the order of their arrival. */
    messages,
    /** Answers what hangs. */
    release: Effect.sync(() => {
      for (const answer of held.splice(0)) answer()
    }),
    countOf: (id: string) => counts.get(id) ?? 0,
    /** Events that were answered with 2xx. */
    accepted
  }
})
