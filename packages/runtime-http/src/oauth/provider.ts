import type { IncomingMessage } from "node:http"
import { connectionSecondsMax } from "@sarraf/domain/assistants/AssistantConnections"
import { assistantScope } from "@sarraf/domain/assistants/AssistantPrincipal"
import type { ConnectionOfGrant } from "@sarraf/domain/assistants/ConnectionStore"
import {
  type AdapterFactory,
  type ClientMetadata,
  type Configuration,
  errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
  Provider
} from "oidc-provider"
import {
  type ClientMetadata as ClaimedMetadata,
  clientHostOf,
  isHostOf,
  isNative,
  policyBreach,
  redirectHostOf,
  redirectKindOf
} from "./clientPolicy.ts"
import { errorPage, returnPage } from "./pages.ts"
import { showPage } from "./showPage.ts"

/** What the authorization server is made of and asks while it works. */
export interface ProviderParts {
  /** The public address, an origin. */
  readonly issuer: string
  /** `SARRAF_MCP_URL`, letter for letter: the audience of every token. */
  readonly mcpUrl: string
  readonly adapter: AdapterFactory
  readonly signingKey: JWK
  readonly cookieKeys: ReadonlyArray<string>
  /** Hosts that no client may have, and what is below them. */
  readonly deniedHosts: ReadonlyArray<string>
  /** Whether one more document of a client may be fetched for this caller; undefined for a page of ours. */
  readonly mayFetch: (request: IncomingMessage | undefined) => Promise<boolean>
  readonly fetch: NonNullable<Configuration["fetch"]>
  /** The connection that a grant stands for, of this mode and open; undefined otherwise. */
  readonly connectionOf: (grantId: string) => Promise<ConnectionOfGrant | undefined>
}

/** Seconds. A code is redeemed at once; who signs in has ten minutes for it, the code of an authenticator included. */
const lifetimes = {
  AuthorizationCode: 60,
  AccessToken: 600,
  IdToken: 600,
  RefreshToken: 30 * 86_400,
  Grant: connectionSecondsMax,
  Interaction: 600,
  Session: 900
}

const cookie = { signed: true, httpOnly: true, sameSite: "lax" } as const

/** Over https their names keep hosts beside or below ours from setting them (RFC 6265bis, section 4.1.3). */
const cookieNames = (issuer: string) => {
  const [own, secure] = issuer.startsWith("https:") ? ["__Host-", "__Secure-"] : ["", ""]
  return {
    session: `${own}sarraf_oauth`,
    interaction: `${secure}sarraf_connect`,
    resume: `${secure}sarraf_connect_resume`
  }
}

/** In bytes. The library sets no bound to keys, and they come from a host that nobody knows. */
const fetchResponseBodyLimits = {
  "client_id metadata document": 5 * 1024,
  jwks_uri: 64 * 1024,
  sector_identifier_uri: 5 * 1024
}

/** Every path that the library serves, besides those below the authorization endpoint. */
export const endpoints = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  introspection: "/oauth/introspect",
  jwks: "/oauth/jwks"
}

/** Nobody but the library's tests and old clients comes here; they are moved out of the way of ours. */
const unusedEndpoints = {
  end_session: "/oauth/end-session",
  userinfo: "/oauth/userinfo",
  device_authorization: "/oauth/device",
  code_verification: "/oauth/device/verify",
  pushed_authorization_request: "/oauth/request",
  backchannel_authentication: "/oauth/backchannel",
  challenge: "/oauth/challenge"
}

/**
 * The library's policy, and two rules of ours. Each request begins with the password: there is no page to sign out on, so
 * that nobody is kept signed in. Each has a consent of its own, since each connection is of one organization.
 */
const makePolicy = () => {
  const { base, Check } = interactionPolicy
  const policy = base()
  const ask = (isAnswered: boolean) => (isAnswered ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT)
  policy
    .get("login")
    ?.checks.add(
      new Check("password_required", "the person has to sign in", "login_required", (ctx) =>
        ask(ctx.oidc.result?.login !== undefined)
      )
    )
  policy
    .get("consent")
    ?.checks.add(
      new Check("organization_required", "the person has to choose an organization", "consent_required", (ctx) =>
        ask(ctx.oidc.result?.consent !== undefined)
      )
    )
  return policy
}

/** For every client, registered or fetched. */
const applyPolicy = (metadata: ClientMetadata, deniedHosts: ReadonlyArray<string>) => {
  const claimed: ClaimedMetadata = metadata
  const breach = policyBreach(claimed, deniedHosts)
  if (breach?.error === "invalid_redirect_uri") {
    // The error of the library for redirects has a fixed text that explains nothing.
    throw new errors.CustomOIDCProviderError("invalid_redirect_uri", breach.description)
  }
  if (breach !== undefined) throw new errors.InvalidClientMetadata(breach.description)
  if (isNative(claimed)) metadata.application_type = "native"
  // The library makes a secret before it knows that by default there is none.
  if ((metadata.token_endpoint_auth_method ?? "none") === "none") {
    delete metadata.client_secret
    delete metadata.client_secret_expires_at
  }
}

const features = ({ deniedHosts, mayFetch, mcpUrl }: ProviderParts) =>
  ({
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // Our resource server does not check proofs, and would take a bound token as a plain one.
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
    introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: true,
      ack: "draft-02",
      // There is no request of the library while a page of ours looks a client up.
      allowFetch: async (ctx: KoaContextWithOIDC | undefined, clientId) =>
        !isHostOf(deniedHosts, new URL(clientId).hostname) && (await mayFetch(ctx?.req)),
      allowClient: (_ctx, { clientId }) => !isHostOf(deniedHosts, clientHostOf(clientId)?.replace(/:\d+$/u, "") ?? "")
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => mcpUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, resource) => {
        if (resource !== mcpUrl && resource !== `${mcpUrl}/`) throw new errors.InvalidTarget()
        return {
          scope: assistantScope,
          audience: mcpUrl,
          accessTokenTTL: lifetimes.AccessToken,
          accessTokenFormat: "opaque"
        }
      }
    }
  }) satisfies Configuration["features"]

const configuration = (parts: ProviderParts): Configuration => ({
  adapter: parts.adapter,
  jwks: { keys: [parts.signingKey] },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  cookies: {
    keys: [...parts.cookieKeys],
    names: cookieNames(parts.issuer),
    short: cookie,
    long: cookie
  },
  responseTypes: ["code"],
  scopes: ["offline_access", assistantScope],
  pkce: { required: () => true },
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
  clientDefaults: {
    id_token_signed_response_alg: "ES256",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  },
  routes: { ...unusedEndpoints, ...endpoints },
  features: features(parts),
  extraClientMetadata: {
    properties: ["x_policy"],
    validator: (_ctx, _key, _value, metadata) => applyPolicy(metadata, parts.deniedHosts)
  },
  fetch: parts.fetch,
  fetchResponseBodyLimits,
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  // Whichever token a client gives back, all of the grant go; what is left of it would be of no use to anybody.
  revokeGrantPolicy: () => true,
  expiresWithSession: async () => false,
  loadExistingGrant: async ({ oidc: { provider, result } }) => {
    const grantId = result?.consent?.grantId
    return grantId === undefined ? undefined : provider.Grant.find(grantId)
  },
  // A token is of a connection, which may have ended; a sign-in was just looked at.
  findAccount: async (_ctx, accountId, token) => {
    const grantId = token !== undefined && "grantId" in token ? token.grantId : undefined
    if (grantId !== undefined && (await parts.connectionOf(grantId))?.userId !== accountId) return undefined
    return { accountId, claims: () => ({ sub: accountId }) }
  },
  extraTokenClaims: async (_ctx, token) => {
    const grantId = "grantId" in token ? token.grantId : undefined
    const connection = grantId === undefined ? undefined : await parts.connectionOf(grantId)
    return connection === undefined ? undefined : { org_id: connection.organizationId }
  },
  interactions: { url: (_ctx, { uid }) => `/connect/${uid}`, policy: makePolicy() },
  renderError: (ctx, out) => showPage(ctx, errorPage(out, ctx.status)),
  clientBasedCORS: () => false,
  discovery: { service_documentation: `${parts.issuer}/docs` },
  ttl: lifetimes
})

/** There is one thing to ask for, and it is asked for where a client has not said so. */
const withScope = (scope: string | undefined): string => {
  const asked = (scope ?? "").split(" ").filter((one) => one !== "")
  return (asked.includes(assistantScope) ? asked : [...asked, assistantScope]).join(" ")
}

type Query = KoaContextWithOIDC["query"]

/** A parameter that is there twice is left as it is, and refused later. */
const completed = (query: Query): Query => {
  const { response_mode, scope } = query
  return {
    ...query,
    ...(Array.isArray(scope) ? {} : { scope: withScope(scope) }),
    // A code is in the query of the redirect and nowhere else; the library has more ways, and knows none of this name.
    ...(typeof response_mode === "string" && response_mode !== "query" ? { response_mode: "unsupported" } : {})
  }
}

/**
 * A refusal goes to a site only when the person goes there: anybody registers a client, and a link to us would else lead to
 * whatever site they like (RFC 9700, section 4.11.2). Nothing but refusals leads there before somebody has signed in.
 */
const askBeforeLeaving = (ctx: ReturnType<Provider["createContext"]>) => {
  const location = ctx.response.get("location")
  if (!URL.canParse(location) || redirectKindOf(location) !== "site") return
  const { hash, search } = new URL(location)
  // The library puts a refusal of the implicit flow into the fragment.
  const told = new URLSearchParams(hash === "" ? search : hash.slice(1))
  const error = { error: told.get("error") ?? "", error_description: told.get("error_description") ?? undefined }
  ctx.remove("location")
  showPage(ctx, returnPage(error, { href: location, host: redirectHostOf(location) }))
}

/** The library, configured; it answers what `endpoints` names and nothing else is asked of it. */
export const makeProvider = (parts: ProviderParts): Provider => {
  const provider = new Provider(parts.issuer, configuration(parts))
  provider.use(async (ctx, next) => {
    const isAuthorization = ctx.path === endpoints.authorization
    if (isAuthorization) ctx.query = completed(ctx.query)
    await next()
    if (isAuthorization) askBeforeLeaving(ctx)
    if (ctx.status === 503) ctx.set("retry-after", "5")
    // It lists all that it has.
    if (ctx.path.startsWith("/.well-known/")) Object.assign(ctx.body ?? {}, { response_modes_supported: ["query"] })
  })
  // Handlers make the address of this request the issuer's, whatever it came with.
  provider.proxy = true
  return provider
}
