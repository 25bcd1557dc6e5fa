import { Context, type Redacted } from "effect"

/** What the authorization server signs with: the same in every process of an installation. */
export class AuthorizationKeys extends Context.Service<
  AuthorizationKeys,
  {
    /** A private key for ES256 as JSON (RFC 7517), with a `kid`. */
    readonly signingKey: Redacted.Redacted<string>
    /** For cookies: the first signs, all of them are taken. */
    readonly cookieKeys: ReadonlyArray<Redacted.Redacted<string>>
  }
>()("@sarraf/domain/assistants/AuthorizationKeys") {}
