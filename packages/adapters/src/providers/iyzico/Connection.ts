import { randomUUID } from "node:crypto"
import { Effect, Option } from "effect"
import { type NoReply, noReplyOf, unanswered } from "../ProviderReply.ts"
import type { ProviderRequest, ProviderResponse, ProviderTransport } from "../ProviderTransport.ts"
import type { IyzicoCredentials } from "./Credentials.ts"
import { type Answer, decodeAnswer, parse } from "./Messages.ts"
import { authorizationHeader, demandsSignature, isSignature, type SignedTexts } from "./Signature.ts"

export interface Account {
  readonly credentials: IyzicoCredentials
  readonly transport: ProviderTransport["Service"]
}

/** What came back, before anything is made of it. */
export type Reply =
  | NoReply
  /** `success`, and signed where it has to be; `json` is the whole document. */
  | { readonly _tag: "Answered"; readonly answer: Answer; readonly json: unknown }
  /** `failure` with a code. */
  | { readonly _tag: "Failed"; readonly answer: Answer; readonly code: string }

/** The body decides: failures come with status 200 or 400, by the age of the documentation (provider sheet, section 2). */
const read = ({ body, status }: ProviderResponse): Reply => {
  const json = status === 200 || (status >= 400 && status < 500) ? parse(body) : Option.none()
  const decoded = Option.flatMap(json, decodeAnswer)
  if (Option.isNone(json) || Option.isNone(decoded)) {
    return unanswered(`an unreadable answer with HTTP status ${status}`)
  }
  const answer = decoded.value
  if (answer.status === "failure") {
    return answer.errorCode
      ? { _tag: "Failed", answer, code: answer.errorCode }
      : unanswered("a failure without a code")
  }
  return status === 200
    ? { _tag: "Answered", answer, json: json.value }
    : unanswered(`a success with HTTP status ${status}`)
}

const headers = { accept: "application/json", "x-iyzi-client-version": "sarraf-1" }
const utf8 = new TextEncoder()

/** The two kinds of request to one account (provider sheet, sections 2 and 3). */
export const connectionOf = ({ credentials, transport }: Account) => {
  const { apiUrl = "https://api.iyzipay.com", secretKey } = credentials

  const verified = (reply: Reply, signedTexts: SignedTexts | null): Reply => {
    if (reply._tag !== "Answered" || signedTexts === null) return reply
    const { signature } = reply.answer
    if (!signature) return demandsSignature(credentials) ? unanswered("the answer is not signed") : reply
    return signedTexts(reply.answer).some((text) => isSignature(secretKey, text, signature))
      ? reply
      : unanswered("the answer's signature is wrong")
  }

  const exchange = (request: Pick<ProviderRequest, "body" | "method">, path: string, query: string) =>
    Effect.suspend(() => {
      const randomKey = randomUUID()
      return transport.send({
        provider: "iyzico",
        ...request,
        url: apiUrl + path + query,
        headers: {
          ...headers,
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
          authorization: authorizationHeader(credentials, randomKey, path, request.body ?? new Uint8Array()),
          "x-iyzi-rnd": randomKey
        }
      })
    }).pipe(
      Effect.map(read),
      Effect.catch((failure) => Effect.succeed<Reply>(noReplyOf(failure)))
    )

  return {
    /** `signedTexts`: null where the answer has no signature. */
    post: (path: string, content: object, signedTexts: SignedTexts | null): Effect.Effect<Reply> => {
      const body = utf8.encode(JSON.stringify(content))
      return Effect.map(exchange({ method: "POST", body }, path, ""), (reply) => verified(reply, signedTexts))
    },
    get: (path: string, query: Readonly<Record<string, string>>): Effect.Effect<Reply> =>
      exchange({ method: "GET" }, path, `?${new URLSearchParams(query)}`)
  }
}
export type Connection = ReturnType<typeof connectionOf>
