import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import type { ProviderTransport } from "../ProviderTransport.ts"
import { authorizer } from "./Authorization.ts"
import { capabilities } from "./Capabilities.ts"
import { connectionOf } from "./Connection.ts"
import type { NetworkInternationalCredentials } from "./Credentials.ts"
import { readNotification } from "./Notifications.ts"
import { cancel, capture } from "./Operations.ts"
import { query } from "./Query.ts"
import { refund } from "./Refunds.ts"
import { threeDSOf } from "./ThreeDS.ts"

/**
 * One N-Genius outlet through orders that are paid in two steps. Source: provider sheet, sections 2 to 7. The order and
 * payment identifiers are noted before the card goes out: every later call and question is by them.
 */
export const make = (options: {
  readonly credentials: NetworkInternationalCredentials
  readonly transport: ProviderTransport["Service"]
}): PaymentProvider => {
  const connection = connectionOf(options)
  return {
    id: "network-international",
    capabilities,
    authorize: authorizer(connection),
    capture: (call) => capture(connection, call),
    refund: (call) => refund(connection, call),
    cancel: (call) => cancel(connection, call),
    query: (authorization) => query(connection, authorization),
    threeDS: threeDSOf(connection),
    readNotification: readNotification(options.credentials)
  }
}
