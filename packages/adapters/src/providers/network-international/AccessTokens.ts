import { Clock, Deferred, Effect, Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import type { ProviderResponse, ProviderTransport } from "../ProviderTransport.ts"
import type { NetworkInternationalCredentials } from "./Credentials.ts"
import { decodeAccessToken, decodeError, encodeRealm, type NGeniusError } from "./Messages.ts"

/** What came of a token exchange. `Failed`: the gateway does not know the key. `NotSent`: everything else. */
export type TokenReply =
  | { readonly _tag: "Token"; readonly token: Redacted.Redacted<string> }
  | { readonly _tag: "NotSent"; readonly reason: string }
  | { readonly _tag: "Failed"; readonly error: NGeniusError; readonly status: number; readonly json: unknown }

/** Milliseconds that one exchange may take; whoever waits for it has a deadline of its own. */
const exchangeMillis = 10_000
/** Share of its lifetime for which a token is used: 240 of 300 seconds (provider sheet, section 3). */
const usedShare = 0.8

const mediaType = "application/vnd.ni-identity.v1+json"

const notSent = (reason: string): TokenReply => ({ _tag: "NotSent", reason: `no access token: ${reason}` })

interface Exchanged {
  readonly reply: TokenReply
  readonly lifetimeMillis: number
}

const read = ({ body, status }: ProviderResponse): Exchanged => {
  const json = status < 500 ? readJson(body) : Option.none()
  const token = status === 200 || status === 201 ? Option.flatMap(json, decodeAccessToken) : Option.none()
  if (Option.isSome(token)) {
    const { access_token, expires_in } = token.value
    return { reply: { _tag: "Token", token: Redacted.make(access_token) }, lifetimeMillis: expires_in * 1000 }
  }
  const error = status >= 400 ? Option.flatMap(json, decodeError) : Option.none()
  const reply: TokenReply =
    Option.isSome(error) && Option.isSome(json)
      ? { _tag: "Failed", error: error.value, status, json: json.value }
      : notSent(`an unreadable answer with HTTP status ${status}`)
  return { reply, lifetimeMillis: 0 }
}

/**
 * The access token of one account (provider sheet, section 3): exchanged for the key when it is first needed, kept for
 * four fifths of its life, and thrown away when the gateway refuses it. One exchange serves every call that waits for
 * it; it is nobody's child, so that a call which is interrupted does not end it for the others.
 */
export const accessTokens = (options: {
  readonly credentials: NetworkInternationalCredentials
  readonly transport: ProviderTransport["Service"]
  readonly apiUrl: string
}) => {
  const { apiKey, realm } = options.credentials
  let kept: { readonly token: Redacted.Redacted<string>; readonly until: number } | undefined
  let running: Deferred.Deferred<TokenReply> | undefined

  const exchange: Effect.Effect<Exchanged> = Effect.suspend(() =>
    options.transport.send({
      provider: "network-international",
      method: "POST",
      url: `${options.apiUrl}/identity/auth/access-token`,
      headers: { authorization: `Basic ${Redacted.value(apiKey)}`, "content-type": mediaType, accept: mediaType },
      ...(realm === undefined ? {} : { body: encodeRealm(realm) })
    })
  ).pipe(
    Effect.map(read),
    Effect.timeoutOrElse({
      duration: exchangeMillis,
      orElse: () => Effect.succeed<Exchanged>({ reply: notSent("no answer in time"), lifetimeMillis: 0 })
    }),
    Effect.catch(({ reason }) => Effect.succeed<Exchanged>({ reply: notSent(reason), lifetimeMillis: 0 }))
  )

  const exchangeAndKeep = Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const { lifetimeMillis, reply } = yield* exchange
    if (reply._tag === "Token") kept = { token: reply.token, until: startedAt + lifetimeMillis * usedShare }
    return reply
  })

  const shared: Effect.Effect<TokenReply> = Effect.uninterruptibleMask((restore) => {
    if (running !== undefined) return restore(Deferred.await(running))
    const result = Deferred.makeUnsafe<TokenReply>()
    running = result
    const run = Effect.flatMap(Effect.exit(exchangeAndKeep), (exit) => {
      running = undefined
      return Deferred.done(result, exit)
    })
    return Effect.andThen(Effect.forkDetach(run), restore(Deferred.await(result)))
  })

  const current: Effect.Effect<TokenReply> = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    kept !== undefined && now < kept.until ? Effect.succeed({ _tag: "Token", token: kept.token } as const) : shared
  )

  return {
    current,
    /** The token after one that the gateway refused; another call may have come by it already. */
    after: (refused: Redacted.Redacted<string>): Effect.Effect<TokenReply> =>
      Effect.suspend(() => {
        if (kept?.token === refused) kept = undefined
        return current
      })
  }
}
