import type { AssistantPrincipal } from "@sarraf/domain/assistants/AssistantPrincipal"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { RequestOrigin } from "@sarraf/domain/organizations/RequestOrigin"
import { Cause, Clock, Data, Effect, Exit } from "effect"
import type { Call, Conduct, Reply } from "../protocol/Conduct.ts"
import { internalFault, ProtocolFault } from "../protocol/ProtocolFault.ts"
import { countCall, type Outcome } from "./metrics.ts"
import { makePlaces } from "./places.ts"

/** Where a request comes from. */
export type Origin = (typeof RequestOrigin)["Service"]

/** How a call ended, for the audit trail. */
interface Ended {
  readonly method: Call<unknown>["method"]
  readonly name: string
  readonly outcome: Outcome
  readonly rows: number | null
  readonly millis: number
}

class TookTooLong extends Data.TaggedError("TookTooLong")<{ readonly millis: number }> {}

/** What a call rejected with. */
class CallFailed extends Data.TaggedError("CallFailed")<{ readonly cause: unknown }> {}

/** An entry that cannot be written by then is given up, so that it does not hold up the answer. */
const auditMillisMax = 2_000

const subjects = {
  "tools/call": { action: "assistant.tool_called", type: "assistant_tool" },
  "resources/read": { action: "assistant.resource_read", type: "assistant_resource" },
  "prompts/get": { action: "assistant.prompt_read", type: "assistant_prompt" },
  "completion/complete": { action: "assistant.values_proposed", type: "assistant_prompt" }
} as const

const callerOf = (principal: AssistantPrincipal): Caller["Service"] => ({
  organizationId: principal.organizationId,
  role: principal.role,
  name: `assistant:${principal.credential}`,
  kind: "user",
  userId: principal.userId,
  createdBy: null
})

/** Who, with which client, what, how much and how long; no arguments, which may hold what people wrote. */
const entryOf = ({ clientId, userId }: AssistantPrincipal, { method, millis, name, outcome, rows }: Ended) => ({
  action: subjects[method].action,
  subject: { type: subjects[method].type, id: name },
  detail: { user_id: userId, client_id: clientId, outcome, rows, duration_ms: Math.round(millis) }
})

const outcomeOf = <A>(call: Call<A>, exit: Exit.Exit<A, CallFailed | TookTooLong>) => {
  if (Exit.isSuccess(exit)) {
    const { judgement, rows } = call.judge(exit.value)
    return { outcome: judgement, rows, name: call.name(exit.value) }
  }
  const failed = Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "failed"
  const isLate = exit.cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag === "TookTooLong")
  return { outcome: isLate ? "timed_out" : failed, rows: null, name: call.name(undefined) } as const
}

/** What the client is told: never what went wrong inside. */
const told = (failed: CallFailed | TookTooLong) =>
  failed._tag === "TookTooLong"
    ? new ProtocolFault({
        code: internalFault().code,
        message: `This took longer than ${failed.millis / 1000} s and was ended. Ask for less: a shorter time, or a smaller page.`
      })
    : internalFault()

export interface ConductOptions {
  /** A call that takes longer is ended. */
  readonly callMillisMax: number
}

/**
 * Runs calls: each in the name of the principal, within its time, counted, and with an entry in the audit trail whatever
 * becomes of it. It ends when the client has gone.
 */
export const makeConduct = ({ callMillisMax }: ConductOptions) =>
  Effect.gen(function* () {
    const audit = yield* AuditTrail
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseExitWith(context)
    const clock = yield* Clock.Clock
    const takePlace = yield* makePlaces

    const record = (principal: AssistantPrincipal, ended: Ended) =>
      audit.append(entryOf(principal, ended)).pipe(
        Effect.timeout(auditMillisMax),
        Effect.catchCause((cause) => Effect.logWarning("A call of an assistant is not in the audit trail", cause)),
        Effect.provideService(Caller, callerOf(principal))
      )

    const perform = <A>(principal: AssistantPrincipal, call: Call<A>, reply: Reply) =>
      Effect.suspend(() => {
        const begun = clock.currentTimeMillisUnsafe()
        return Effect.tryPromise({
          try: (signal) => call.run({ principal, signal, notify: reply.notify }),
          catch: (cause) => new CallFailed({ cause })
        }).pipe(
          takePlace(principal.organizationId),
          Effect.timeoutOrElse({
            duration: callMillisMax,
            orElse: () => Effect.fail(new TookTooLong({ millis: callMillisMax }))
          }),
          Effect.onExit((exit) => {
            const ended = {
              ...outcomeOf(call, exit),
              method: call.method,
              millis: clock.currentTimeMillisUnsafe() - begun
            }
            return Effect.andThen(countCall(ended), record(principal, ended))
          }),
          Effect.tapCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.void
              : Effect.logError(`${call.method} ${call.name(undefined)} failed`, cause)
          ),
          Effect.mapError(told)
        )
      })

    return (admitted: Effect.Effect<AssistantPrincipal, ProtocolFault>, origin: Origin): Conduct =>
      async (call, reply) => {
        const exit = await run(
          Effect.flatMap(admitted, (principal) => perform(principal, call, reply)).pipe(
            Effect.provideService(RequestOrigin, origin),
            Effect.annotateLogs({ requestId: origin.requestId })
          ),
          { signal: reply.signal }
        )
        if (Exit.isSuccess(exit)) return exit.value
        const [reason] = exit.cause.reasons
        throw reason !== undefined && Cause.isFailReason(reason) ? reason.error : internalFault()
      }
  })
