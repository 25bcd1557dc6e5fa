import { Result } from "effect"
import { StateRefused } from "../errors/Refusals.ts"
import type { EndpointStatus, WebhookEndpoint } from "./WebhookEndpoint.ts"

/**
 * state × command → state. A person pauses and resumes; the service disables (410, or five days of failures). A command
 * that asks for what is so already changes nothing. One that the service disabled is resumed, or left as it is: pausing
 * it would hide why it stands still. The guard, the error, the page in the docs and the tests read this table.
 */
export const endpointTransitions = {
  ENABLED: { pause: "PAUSED", resume: "ENABLED", disable: "DISABLED" },
  PAUSED: { pause: "PAUSED", resume: "ENABLED", disable: "DISABLED" },
  DISABLED: { resume: "ENABLED", disable: "DISABLED" }
} as const satisfies Readonly<Record<EndpointStatus, Readonly<Partial<Record<string, EndpointStatus>>>>>

/** What may be done to an endpoint's status: by a person, and `disable` by the service. */
export type EndpointCommand = "pause" | "resume" | "disable"

/** What persons may ask of an endpoint in this state; `disable` is the service's own. */
const commandsOf = (status: EndpointStatus): ReadonlyArray<string> =>
  Object.entries(endpointTransitions[status])
    .filter(([command, to]) => command !== "disable" && to !== status)
    .map(([command]) => command)

const statusAfter = (status: EndpointStatus, command: EndpointCommand): EndpointStatus | undefined => {
  const transitions: Partial<Readonly<Record<EndpointCommand, EndpointStatus>>> = endpointTransitions[status]
  return transitions[command]
}

/** `StateRefused` for what the state does not allow: `allowed` names what a person may do. */
export const refusedBy = (status: EndpointStatus, reason: string) =>
  new StateRefused({ resource: "webhook endpoint", status, allowed: commandsOf(status), reason })

/**
 * The endpoint after the command. Enabled, it begins anew: nothing is held against it any more. Disabled, `reason` says
 * why, a sentence, and stays the first one where it was disabled already.
 */
export const commanded = (
  endpoint: WebhookEndpoint,
  command: EndpointCommand,
  reason: string | null = null
): Result.Result<WebhookEndpoint, StateRefused> => {
  const status = statusAfter(endpoint.status, command)
  if (status === undefined) {
    return Result.fail(refusedBy(endpoint.status, "The service disabled it, and nothing is sent to it."))
  }
  if (status === endpoint.status) return Result.succeed(endpoint)
  const { failingSince } = endpoint
  return Result.succeed({
    ...endpoint,
    status,
    disabledReason: status === "DISABLED" ? reason : null,
    failingSince: status === "ENABLED" ? null : failingSince
  })
}
