import { Context } from "effect"

/** Whose payments are meant: from the credential that signed the request, never from the request's content. */
export class GatewayCaller extends Context.Service<
  GatewayCaller,
  {
    readonly organizationId: string
    /** The `x-client-id`: a client sees and moves the payments of its own id alone (contract section 3). */
    readonly clientId: string
    readonly livemode: boolean
  }
>()("@sarraf/domain/organizations/GatewayCaller") {}
