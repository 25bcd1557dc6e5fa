import { createHash, randomBytes } from "node:crypto"
import { assert } from "vitest"

/** An assistant that connects by OAuth, and the browser of the person who lets it: both by hand, redirect by redirect. */

export const sandboxOrganization = "org_01kd8z0000e0080000000000s1"
export const otherOrganization = "org_01kd8z0000e0080000000000s2"
export const redirectUri = "http://127.0.0.1:3999/callback"

type Service = () => { readonly url: string }
type Texts = Readonly<Record<string, string>>

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

const answered = async (response: Response): Promise<Answered> => {
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
}

export const postForm = async (url: string, fields: Texts, headers: Texts = {}): Promise<Answered> =>
  answered(await fetch(url, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" }))

/** Registers a client (RFC 7591), by default one that runs on the person's machine. */
export const register = async (service: Service, metadata: Readonly<Record<string, unknown>> = {}): Promise<Answered> =>
  answered(
    await fetch(new URL("/oauth/register", service().url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Test assistant", redirect_uris: [redirectUri], ...metadata })
    })
  )

export const registered = async (service: Service, metadata: Readonly<Record<string, unknown>> = {}) => {
  const { json, status, text } = await register(service, metadata)
  assert.strictEqual(status, 201, text)
  return String(json.client_id)
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

const cookieOf = (line: string): Cookie & { readonly isGone: boolean } => {
  const [pair = "", ...attributes] = line.split(/;\s*/u)
  const equals = pair.indexOf("=")
  const path = attributes.find((one) => one.toLowerCase().startsWith("path="))?.slice(5) ?? "/"
  return {
    name: pair.slice(0, equals),
    value: pair.slice(equals + 1),
    path,
    isGone: attributes.some((one) => one.startsWith("expires=Thu, 01 Jan 1970"))
  }
}

/** Keeps cookies as a browser does, and follows no redirect by itself. */
export const makeBrowser = (service: Service) => {
  let cookies: ReadonlyArray<Cookie> = []
  const visit = async (address: string, form?: Texts, headers: Texts = {}): Promise<Answered> => {
    const url = new URL(address, service().url)
    const sent = cookies.filter(({ path }) => url.pathname.startsWith(path))
    const response = await fetch(url, {
      method: form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        accept: "text/html",
        cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; "),
        ...headers
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) })
    })
    for (const line of response.headers.getSetCookie()) {
      const { isGone, ...cookie } = cookieOf(line)
      cookies = cookies.filter(({ name, path }) => name !== cookie.name || path !== cookie.path)
      if (!isGone) cookies = [...cookies, cookie]
    }
    return answered(response)
  }
  return { visit, cookies: () => cookies }
}
export type Browser = ReturnType<typeof makeBrowser>

const hiddenField = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`, "u").exec(html)?.[1] ?? ""

/** A page of a sign-in, where it is and what its form sends. */
export interface Step {
  readonly path: string
  readonly page: Answered
  readonly csrf: string
}

const stepAt = async (browser: Browser, path: string): Promise<Step> => {
  const page = await browser.visit(path)
  return { path, page, csrf: hiddenField(page.text, "csrf") }
}

const locationOf = ({ headers, status, text }: Answered): string => {
  assert.strictEqual(status, 303, text)
  return headers.get("location") ?? ""
}

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}
export const makePkce = (): Pkce => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") }
}

/** The address with which an assistant sends a person to the authorization server; undefined leaves a parameter out. */
export const authorizePath = (parameters: Readonly<Record<string, string | undefined>>): string => {
  const all = { response_type: "code", redirect_uri: redirectUri, scope: "mcp:read", state: "state", ...parameters }
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries({ code_challenge_method: "S256", ...all })) {
    if (value !== undefined) given.set(name, value)
  }
  return `/oauth/authorize?${given}`
}

/** Begins: the sign-in page. */
export const begin = async (browser: Browser, path: string): Promise<Step> =>
  stepAt(browser, locationOf(await browser.visit(path)))

/** Sends a form of a step, and goes on to the next page, or to where the client is told. */
export const send = (browser: Browser, { csrf, path }: Step, fields: Texts): Promise<Answered> =>
  browser.visit(path, { csrf, ...fields })

/** After a form: back to the library, and to where that leads. */
export const follow = async (browser: Browser, answer: Answered): Promise<string> =>
  locationOf(await browser.visit(locationOf(answer)))

/** The consent page, after a right password. */
export const signInStep = async (browser: Browser, step: Step, email: string, password = "sandbox"): Promise<Step> => {
  const answer = await send(browser, step, { decision: "sign-in", email, password })
  return stepAt(browser, await follow(browser, answer))
}

/** What the client is told: the parameters of the redirect to it. */
export const allowStep = async (browser: Browser, step: Step, organizationId: string): Promise<URL> => {
  const answer = await send(browser, step, { decision: "allow", organization_id: organizationId })
  return new URL(await follow(browser, answer))
}

export interface Connecting {
  readonly clientId: string
  readonly email?: string
  readonly password?: string
  readonly organizationId?: string
  readonly parameters?: Readonly<Record<string, string | undefined>>
}

/** A code, and what it is redeemed with. */
export const obtainCode = async (
  service: Service,
  {
    clientId,
    email = "owner@sandbox.test",
    organizationId = sandboxOrganization,
    parameters = {},
    password
  }: Connecting
) => {
  const pkce = makePkce()
  const browser = makeBrowser(service)
  const path = authorizePath({ client_id: clientId, code_challenge: pkce.challenge, ...parameters })
  const consent = await signInStep(browser, await begin(browser, path), email, password)
  const told = await allowStep(browser, consent, organizationId)
  const code = told.searchParams.get("code") ?? ""
  assert.isNotEmpty(code, told.href)
  return { code, told, verifier: pkce.verifier, clientId }
}

export const redeem = (
  service: Service,
  { clientId, code, verifier }: { readonly clientId: string; readonly code: string; readonly verifier: string },
  more: Texts = {}
): Promise<Answered> =>
  postForm(new URL("/oauth/token", service().url).href, {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...more
  })

export const refresh = (service: Service, clientId: string, token: string, more: Texts = {}): Promise<Answered> =>
  postForm(new URL("/oauth/token", service().url).href, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: token,
    ...more
  })

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

/** A whole connection. */
export const connected = async (service: Service, connecting: Connecting): Promise<Tokens> => {
  const { json, status, text } = await redeem(service, await obtainCode(service, connecting))
  assert.strictEqual(status, 200, text)
  return { accessToken: String(json.access_token), refreshToken: String(json.refresh_token) }
}
