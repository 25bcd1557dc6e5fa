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
}): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([(options.isTerminal ?? process.stdout.isTTY === true) ? Logger.consolePretty() : Logger.consoleJson]),
    Layer.succeed(References.MinimumLogLevel, options.logLevel)
  )
