import { Context, type Effect, Schema } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { InboundMessage } from "./Notification.ts"

/** Its signature is missing or wrong; nothing was kept of it. */
export class NotificationForged extends Schema.TaggedError<NotificationForged>()("NotificationForged", {
  reason: Schema.String
}) {}

/** No provider of this installation has this name and posts notifications. */
export class NotificationsUnknown extends Schema.TaggedError<NotificationsUnknown>()("NotificationsUnknown", {
  provider: Schema.String
}) {}

/** What a provider wants to hear for a message that was kept. */
export interface Acknowledgement {
  readonly contentType: string
  readonly body: string
}

/** Driving port of the providers' notifications (contract section 4, inbound notifications). */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Verifies and stores a message; what it says is done afterwards, also if the process ends in between. */
    receive(
      provider: string,
      message: InboundMessage
    ): Effect.Effect<Acknowledgement, NotificationForged | NotificationsUnknown | Unavailable>
  }
>()("@sarraf/domain/payments/Notifications") {}
