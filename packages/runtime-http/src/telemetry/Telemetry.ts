import { Layer, type LogLevel } from "effect"
import { FetchHttpClient, HttpMiddleware, UrlParams } from "effect/http"
import { Otlp } from "effect/observability"
import * as Logging from "./Logging.ts"

/**
 * Paths whose last segment is a token that lets its holder finish a payment or take an account into use: a span would
 * carry it to the collector.
 * Spelled as loosely as the router matches, which ignores case and repeated slashes.
 */
const secretPaths = [/^\/+pf\/+v1\/+3ds\//i, /^\/+account\//i]

/** Query parameters that grant something: recorded as redacted in spans. */
const secretParameters = [/token/i, /secret/i, /signature/i, /^code$/i, /^sig$/i, /^key$/i]

const withoutSecrets: Layer.Layer<never> = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => secretPaths.some((path) => path.test(request.url))),
  Layer.succeed(UrlParams.CurrentRedactedNames, secretParameters)
)

/**
 * Logs on standard output, and, where a collector is configured, traces, logs and metrics over OTLP/HTTP in JSON to
 * `<endpoint>/v1/{traces,logs,metrics}`. Without one nothing is exported and requests are not traced at all.
 */
export const layer = (options: {
  readonly logLevel: LogLevel.LogLevel
  readonly otlpEndpoint: string | undefined
  /** Default: whether standard output is a terminal. */
  readonly isTerminal?: boolean
  /** Default: logs go to standard output. */
  readonly toStandardError?: boolean
  /** `service.name` of the exported resource. */
  readonly serviceName?: string
}): Layer.Layer<never> => {
  const logging = Logging.layer(options)
  if (options.otlpEndpoint === undefined) return Layer.merge(logging, withoutSecrets)
  return Otlp.layerJson({
    baseUrl: options.otlpEndpoint,
    resource: { serviceName: options.serviceName ?? "sarraf" }
  }).pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(Layer.merge(logging, withoutSecrets)))
}
