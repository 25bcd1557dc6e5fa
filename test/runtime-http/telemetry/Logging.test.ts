import { assert, describe, it } from "@effect/vitest"
import * as Logging from "@sarraf/runtime-http/telemetry/Logging"
import { Cause, Console, Effect, Redacted } from "effect"

/** What the effect writes to the console. */
const written = (effect: Effect.Effect<void>, options: Parameters<typeof Logging.layer>[0]) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const keep = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.map(String).join(" "))
    const console = { ...(yield* Console.Console), log: keep, error: keep, group: keep, groupCollapsed: keep }
    yield* effect.pipe(Effect.provide(Logging.layer(options)), Effect.provideService(Console.Console, console))
    return lines
  })

describe("Logging", () => {
  it.effect("writes one JSON object per line when no terminal reads it", () =>
    Effect.gen(function* () {
      const lines = yield* written(
        Effect.logInfo("Paid", { amount: 1 }).pipe(Effect.annotateLogs({ requestId: "r1" })),
        { logLevel: "Info", isTerminal: false }
      )
      assert.strictEqual(lines.length, 1)
      const { annotations, level, message } = JSON.parse(lines[0] ?? "")
      assert.deepStrictEqual([level, message, annotations], ["INFO", ["Paid", { amount: 1 }], { requestId: "r1" }])
    })
  )

  it.effect("keeps the inner causes of a failure", () =>
    Effect.gen(function* () {
      const cause = Cause.die(new Error("outer", { cause: new Error("inner") }))
      const lines = yield* written(Effect.logError("Failed", cause), { logLevel: "Info", isTerminal: false })
      const logged = JSON.parse(lines[0] ?? "")
      assert.match(logged.cause, /outer[\s\S]*inner/)
    })
  )

  it.effect("writes nothing below the level", () =>
    Effect.gen(function* () {
      const both = Effect.andThen(Effect.logDebug("unimportant"), Effect.logWarning("important"))
      const lines = yield* written(both, { logLevel: "Warn", isTerminal: false })
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], "important")
    })
  )

  it.effect("writes text for a person at a terminal", () =>
    Effect.gen(function* () {
      const lines = yield* written(Effect.logInfo("Paid"), { logLevel: "Info", isTerminal: true })
      assert.include(lines.join("\n"), "Paid")
      assert.notMatch(lines.join("\n"), /^\{/)
    })
  )

  it.effect("shows no redacted value", () =>
    Effect.gen(function* () {
      const lines = yield* written(Effect.logInfo("Key", { key: Redacted.make("hunter2") }), {
        logLevel: "Info",
        isTerminal: false
      })
      assert.notInclude(lines.join(), "hunter2")
    })
  )
})
