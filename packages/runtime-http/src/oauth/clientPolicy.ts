/** What a client says of itself, registered or in its metadata document (RFC 7591); nothing of it has been checked. */
export interface ClientMetadata {
  application_type?: unknown
  readonly client_name?: unknown
  readonly grant_types?: unknown
  readonly redirect_uris?: unknown
  readonly response_types?: unknown
  readonly sector_identifier_uri?: unknown
}

/** Which of the two errors of RFC 7591, section 3.2.2 it is, and why. */
export interface PolicyBreach {
  readonly error: "invalid_client_metadata" | "invalid_redirect_uri"
  readonly description: string
}

/** Real clients have one to five. */
const redirectsMax = 10
const redirectLengthMax = 2_000
const nameLengthMax = 120
const metadataLengthMax = 16_384

const loopbacks: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * A redirect to a site in characters of a URI alone (RFC 3986, section 2), with a host that is spelled as one: browsers
 * would mend what is not, each in its own way, and a host with `;` would be one more directive of a page's policy.
 */
const plainSite =
  /^https?:\/\/(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?][\w.~:/?[\]@!$&'()*+,;=%-]*)?$/iu

/** Schemes that a browser or an operating system answers itself, so that no application can be meant (RFC 8252, section 7.1). */
const foreignSchemes =
  /^(?:about|blob|chrome|chrome-extension|data|edge|facetime|file|filesystem|ftp|geo|gopher|intent|irc|jar|javascript|ldap|magnet|mailto|market|moz-extension|ms-[a-z0-9.+-]*|news|nfs|opera|resource|rtsp|search-ms|sftp|shell|sip|sips|sms|smb|ssh|tel|telnet|urn|vbscript|view-source|webcal|ws|wss|x-apple[a-z.-]*):$/u

/** What an answer says (RFC 6749, section 4.1.2; RFC 9207): there twice, nobody knows which one is meant. */
const answerParameters = ["code", "state", "iss", "error", "error_description"]

/** Whether the browser is sent to a program on its own machine (RFC 8252, section 7.3). */
export const isLoopback = (url: URL): boolean => url.protocol === "http:" && loopbacks.has(url.hostname)

/** Whether a host is one of these or below one of them; with a dot at its end it is the same host. */
export const isHostOf = (hosts: ReadonlyArray<string>, host: string): boolean => {
  const named = host.replace(/\.+$/u, "")
  return hosts.some((one) => named === one || named.endsWith(`.${one}`))
}

const ofRedirect = (description: string): PolicyBreach => ({ error: "invalid_redirect_uri", description })
const ofMetadata = (description: string): PolicyBreach => ({ error: "invalid_client_metadata", description })

const isSite = ({ protocol }: URL): boolean => protocol === "https:" || protocol === "http:"

const spellingBreach = (uri: string, url: URL): PolicyBreach | undefined => {
  if (foreignSchemes.test(url.protocol)) return ofRedirect(`no application has links of the scheme ${url.protocol}`)
  if (isSite(url) ? !plainSite.test(uri) : /[^!-~]/u.test(uri)) {
    return ofRedirect(
      "a redirect URI has characters of a URI alone, and a plain host: write others in Punycode or percent-encoded"
    )
  }
  if (answerParameters.some((name) => url.searchParams.has(name))) {
    return ofRedirect(`a redirect URI must not hold a parameter of the answer: ${answerParameters.join(", ")}`)
  }
  return undefined
}

const redirectBreach = (uri: unknown, deniedHosts: ReadonlyArray<string>): PolicyBreach | undefined => {
  if (typeof uri !== "string" || !URL.canParse(uri)) return ofRedirect("redirect_uris must be absolute URIs")
  if (uri.length > redirectLengthMax) return ofRedirect(`a redirect URI has ${redirectLengthMax} characters at most`)
  const url = new URL(uri)
  if (url.username !== "" || url.password !== "") return ofRedirect("a redirect URI must not hold user information")
  if (url.protocol === "http:" && !isLoopback(url)) return ofRedirect("http is for loopback redirects alone: use https")
  if (isHostOf(deniedHosts, url.hostname)) return ofRedirect("this redirect host is not allowed here")
  return spellingBreach(uri, url)
}

/** Whether it is longer, or nested deeper, than anybody needs. */
const isTooLarge = (metadata: ClientMetadata): boolean => {
  try {
    return JSON.stringify(metadata).length > metadataLengthMax
  } catch {
    // Nested so deeply that it cannot be written.
    return true
  }
}

const isSubset = (value: unknown, allowed: ReadonlyArray<string>): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => allowed.includes(one)))

/** The first rule that a client breaks; the library's own rules come on top. */
export const policyBreach = (
  metadata: ClientMetadata,
  deniedHosts: ReadonlyArray<string>
): PolicyBreach | undefined => {
  const { client_name, grant_types, redirect_uris, response_types, sector_identifier_uri } = metadata
  if (isTooLarge(metadata)) return ofMetadata("the metadata is too long")
  if (!isSubset(grant_types, ["authorization_code", "refresh_token"])) {
    return ofMetadata("grant_types may hold authorization_code and refresh_token")
  }
  if (!isSubset(response_types, ["code"])) return ofMetadata("response_types may hold code")
  if (typeof client_name === "string" && client_name.length > nameLengthMax) {
    return ofMetadata(`client_name has ${nameLengthMax} characters at most`)
  }
  if (sector_identifier_uri !== undefined) return ofMetadata("sector_identifier_uri is not used here")
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > redirectsMax) {
    return ofRedirect(`redirect_uris must hold 1 to ${redirectsMax} addresses`)
  }
  return redirect_uris.map((uri) => redirectBreach(uri, deniedHosts)).find((breach) => breach !== undefined)
}

/**
 * Whether it is a native client, for which the port of a loopback redirect is free (RFC 8252, section 7.3). Programs on
 * the command line list `http://localhost/callback` and seldom say of what type they are.
 */
export const isNative = ({ redirect_uris }: ClientMetadata): boolean =>
  Array.isArray(redirect_uris) &&
  redirect_uris.some((uri) => typeof uri === "string" && URL.canParse(uri) && new URL(uri).protocol !== "https:")

/** Where a redirect leads, as a person may read it: `claude.ai`, `127.0.0.1:8085`, `cursor:`. */
export const redirectHostOf = (uri: string): string => {
  const url = new URL(uri)
  return isSite(url) ? url.host : url.protocol
}

/** What a person has to know of where a redirect leads. */
export const redirectKindOf = (uri: string): "site" | "loopback" | "application" => {
  const url = new URL(uri)
  if (!isSite(url)) return "application"
  // A program on this machine can speak https as well.
  return loopbacks.has(url.hostname) ? "loopback" : "site"
}

/** The host of the address of a metadata document; undefined for a client that has registered itself. */
export const clientHostOf = (clientId: string): string | undefined =>
  /^https:\/\//iu.test(clientId) && URL.canParse(clientId) ? new URL(clientId).host : undefined

/** Characters of a name on a page: longer ones are cut. */
const shownLengthMax = 60

/** What changes the text around it (controls, bidirectional overrides) or is not seen at all. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A name that a client gave itself, as plain text: marks are not piled up over other lines. */
export const shownName = (name: string | undefined, otherwise: string): string => {
  const plain = (name ?? "")
    .replaceAll(unseen, " ")
    .replaceAll(/(\p{M}{3})\p{M}+/gu, "$1")
    .replaceAll(/\s+/gu, " ")
    .trim()
  const characters = [...plain]
  if (characters.length === 0) return otherwise
  return characters.length > shownLengthMax ? `${characters.slice(0, shownLengthMax).join("")}…` : plain
}
