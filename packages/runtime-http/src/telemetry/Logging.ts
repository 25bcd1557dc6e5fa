import process from "node:process"
import { Layer, Logger, type LogLevel, References } from "effect"

/**
 * One JSON object per line where a program reads the output, coloured text where a person does. Give a `Cause` as an
 * argument of the log call, not an `Error`: only the cause keeps the stack and the inner causes.
 */
export const layer = (options: {
  readonly logLevel: LogLevel.LogLevel
  /** Whether a person reads standard output. Default: whether it is a terminal. */
  readonly isTerminal?: boolean
  /** Whether standard output belongs to a protocol: then the lines go to standard error, always as JSON. */
  readonly toStandardError?: boolean
}): Layer.Layer<never> => {
  const isTerminal = options.isTerminal ?? process.stdout.isTTY === true
  const usual = isTerminal ? Logger.consolePretty() : Logger.consoleJson
  return Layer.mergeAll(
    Logger.layer([options.toStandardError === true ? Logger.withConsoleError(Logger.formatJson) : usual]),
    Layer.succeed(References.MinimumLogLevel, options.logLevel)
  )
}
