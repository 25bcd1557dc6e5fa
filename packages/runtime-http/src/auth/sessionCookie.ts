import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Redacted } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

/**
 * Holds the token of a session that was begun with `cookie: true`. Over https browsers take this name from this very host
 * alone (RFC 6265bis, 4.1.3.2): a neighbour under the same domain cannot put a session of its own in its place.
 */
export const sessionCookie = (isSecure: boolean): string => (isSecure ? "__Host-sarraf_session" : "sarraf_session")

/** Read and sent by the browser alone, and never along with what another site began (RFC 6265bis, 5.2). */
const options = (isSecure: boolean) => ({ httpOnly: true, sameSite: "strict", path: "/", secure: isSecure }) as const

/** Sets the cookie in the answer. `isSecure`: the service is reached over https. */
export const setSessionCookie = (token: Redacted.Redacted<string>, expiresAt: number, isSecure: boolean) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(
      HttpServerResponse.setCookie(response, sessionCookie(isSecure), Redacted.value(token), {
        ...options(isSecure),
        expires: new Date(expiresAt)
      })
    )
  )

/** Takes it from the browser. */
export const dropSessionCookie = (isSecure: boolean) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(HttpServerResponse.expireCookie(response, sessionCookie(isSecure), options(isSecure)))
  )

/** What a changing request has to bring along in `x-csrf-token`: nobody who has not the token can make it. */
export const csrfToken = (token: Redacted.Redacted<string>): string =>
  createHmac("sha256", Redacted.value(token)).update("sarraf csrf").digest("base64url")

export const isCsrfToken = (given: string | undefined, token: Redacted.Redacted<string>): boolean => {
  const right = Buffer.from(csrfToken(token))
  const sent = Buffer.from(given ?? "")
  return right.length === sent.length && timingSafeEqual(right, sent)
}
