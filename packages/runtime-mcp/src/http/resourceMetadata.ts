import { assistantScope } from "@sarraf/domain/assistants/AssistantPrincipal"

const wellKnown = "/.well-known/oauth-protected-resource"

/** RFC 9728, section 3.1: before the path of the resource. Clients of older revisions look for it without the path. */
export const metadataPaths = (resourceUrl: string): ReadonlyArray<string> => {
  const { pathname } = new URL(resourceUrl)
  return [`${wellKnown}${pathname}`, wellKnown]
}

/** Where a challenge points to. */
export const metadataUrl = (resourceUrl: string): string => {
  const { origin, pathname } = new URL(resourceUrl)
  return `${origin}${wellKnown}${pathname}`
}

interface Metadata {
  /** Letter for letter as tokens name their audience. */
  readonly resourceUrl: string
  /** The issuer of RFC 8414. */
  readonly authorizationServer: string
}

/** Protected resource metadata (RFC 9728, section 2). `offline_access` is between a client and the issuer. */
export const metadataDocument = ({ authorizationServer, resourceUrl }: Metadata): string =>
  JSON.stringify({
    resource: resourceUrl,
    authorization_servers: [authorizationServer],
    scopes_supported: [assistantScope],
    bearer_methods_supported: ["header"],
    resource_name: "Sarraf assistant server (read only)"
  })
