import { Effect, Schema } from "effect"
import { CommandRefused } from "./operator.ts"

/** A running service, and the key with which a command speaks to it. */
export interface RemoteService {
  /** Its origin: `http://localhost:8080`. */
  readonly url: string
  /** An API key of the organization. */
  readonly key: string
}

/** What a command of a developer takes, besides its own. */
export const remoteOptions = { url: { type: "string" }, key: { type: "string", default: "key_test_sandbox" } } as const

/** Where the service of this installation listens that `PORT` says. */
const usualUrl = (port: number) => `http://localhost:${port === 0 ? 8080 : port}`

/** The service that the options name; `CommandRefused` for an address that is none. */
export const remoteService = (
  { key, url }: { readonly key: string; readonly url?: string | undefined },
  port: number
): Effect.Effect<RemoteService, CommandRefused> => {
  const address = url ?? usualUrl(port)
  return URL.canParse(address) && /^https?:$/u.test(new URL(address).protocol)
    ? Effect.succeed({ url: new URL(address).origin, key })
    : Effect.fail(
        new CommandRefused({ message: `--url must be an address such as http://localhost:8080, not ${address}.` })
      )
}

/** The service answers within a second; what takes longer than this has no answer. */
const patienceMillis = 15_000

const Fault = Schema.Struct({ path: Schema.String, message: Schema.String })
const Problem = Schema.Struct({
  code: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  errors: Schema.optionalKey(Schema.Array(Fault))
})
const decodeProblem = Schema.decodeUnknownOption(Schema.fromJsonString(Problem))

const notSarraf = ({ url }: RemoteService, status: number) =>
  new CommandRefused({ message: `What answers at ${url} is not Sarraf (HTTP ${status}): set --url.` })

/** Why the service did not do it, and what to do about it. */
const refusal = (service: RemoteService, status: number, text: string): CommandRefused => {
  const problem = decodeProblem(text)
  if (problem._tag === "None") return notSarraf(service, status)
  const { code, detail = "", errors = [] } = problem.value
  const faults = errors.map(({ message, path }) => `${path} ${message}`).join("; ")
  const told = `${code}: ${faults === "" ? detail : `${faults}.`}`
  return status === 401 || status === 403
    ? new CommandRefused({ message: `The service refused the key. ${told} Give another one with --key.` })
    : new CommandRefused({ message: `The service refused it. ${told}` })
}

const notReached = ({ url }: RemoteService, cause: unknown): CommandRefused =>
  cause instanceof DOMException && cause.name === "TimeoutError"
    ? new CommandRefused({ message: `The service at ${url} did not answer in ${patienceMillis / 1000} seconds.` })
    : new CommandRefused({
        message: `No service answers at ${url}: start it with npm start, or say with --url where it is.`
      })

/** Sends a request with the key and gives its answer; `CommandRefused` for any but 2xx, for none, and for what is not `answer`. */
export const ask = <A, E>(
  service: RemoteService,
  method: "DELETE" | "POST",
  path: string,
  answer: Schema.Codec<A, E>,
  body?: object
): Effect.Effect<A, CommandRefused> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(new URL(path, service.url), {
        method,
        headers: {
          authorization: `Bearer ${service.key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        redirect: "manual",
        signal: AbortSignal.timeout(patienceMillis),
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => notReached(service, cause)
  }).pipe(
    Effect.flatMap(({ status, text }) => {
      if (status < 200 || status >= 300) return Effect.fail(refusal(service, status, text))
      return Effect.mapError(Schema.decodeUnknownEffect(answer)(text), () => notSarraf(service, status))
    })
  )
