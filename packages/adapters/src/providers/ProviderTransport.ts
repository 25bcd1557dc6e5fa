import { Context, Data, type Effect } from "effect"

export interface ProviderRequest {
  /** `stripe`, `isbank`: whose connection pool, metrics and simulator. */
  readonly provider: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact bytes; absent for GET. */
  readonly body?: Uint8Array
}

export interface ProviderResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Certain that no byte of the request arrived: name not resolved, connection or TLS refused. */
export class ConnectFailed extends Data.TaggedError("ConnectFailed")<{ readonly reason: string }> {}

/** Bytes may have arrived and no whole answer came: reset, deadline, or an answer over the size limit. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly reason: string }> {}

/** Carries bytes to a provider and back. Its adapters: HTTP for live mode, the simulators of this process for TEST mode. */
export class ProviderTransport extends Context.Service<
  ProviderTransport,
  { send(request: ProviderRequest): Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer> }
>()("@sarraf/adapters/providers/ProviderTransport") {}
