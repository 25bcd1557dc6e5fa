import { usualRetry } from "@sarraf/domain/webhooks/RetrySettings"
import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"

/** An enabled endpoint that wants every event. */
export const sampleEndpoint = (changes: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id: "whk_1",
  url: "https://shop.example/hooks",
  events: ["*"],
  description: null,
  metadata: {},
  headers: {},
  retry: usualRetry,
  concurrency: 10,
  status: "ENABLED",
  disabledReason: null,
  failingSince: null,
  formerSecretUntil: null,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
  ...changes
})
