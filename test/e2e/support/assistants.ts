/** What a client of an SDK keeps of a connection; both generations of the SDK ask for the same things. */
export const makeKeeper = <Information, Tokens, Discovery>(redirectUrl: string, goTo: (url: URL) => Promise<void>) => {
  let information: Information | undefined
  let tokens: Tokens | undefined
  let discovered: Discovery | undefined
  let verifier = ""
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Assistant",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none"
    },
    clientInformation: () => information,
    saveClientInformation: (given: Information) => {
      information = given
    },
    tokens: () => tokens,
    saveTokens: (given: Tokens) => {
      tokens = given
    },
    discoveryState: () => discovered,
    saveDiscoveryState: (given: Discovery) => {
      discovered = given
    },
    redirectToAuthorization: goTo,
    saveCodeVerifier: (given: string) => {
      verifier = given
    },
    codeVerifier: () => verifier
  }
}
