import type {
  ConnectFailed,
  NoAnswer,
  ProviderRequest,
  ProviderResponse,
  ProviderTransport
} from "@sarraf/adapters/providers/ProviderTransport"
import { Effect } from "effect"

export type Answer = ProviderResponse | Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>

/** A provider that gives these answers in turn, and the requests that it was sent. */
export const answersInTurn = (answers: ReadonlyArray<Answer>) => {
  const requests: Array<ProviderRequest> = []
  const transport: ProviderTransport["Service"] = {
    send: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const answer = answers[requests.length - 1]
        if (answer === undefined) return Effect.die(new Error("The provider was asked more often than foreseen."))
        return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
      })
  }
  return { requests, transport }
}

/** Bytes stand for themselves: a document that was recorded, or none at all. */
export const jsonAnswer = (
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" }
): ProviderResponse => ({
  status,
  headers,
  body: json instanceof Uint8Array ? json : new TextEncoder().encode(JSON.stringify(json))
})

export const jsonOf = ({ body }: ProviderRequest): unknown =>
  body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body))
