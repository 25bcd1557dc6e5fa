import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { EndpointSecrets, WebhookEndpoint } from "./WebhookEndpoint.ts"

/** Driven port: the webhook endpoints of the caller's organization. */
export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  {
    insert(endpoint: WebhookEndpoint, secrets: EndpointSecrets): Effect.Effect<void, Unavailable, Caller>
    /** Undefined: the organization has none with that id. */
    find(id: string): Effect.Effect<WebhookEndpoint | undefined, Unavailable, Caller>
    /** As `find`, held until the unit of work ends. */
    lock(id: string): Effect.Effect<WebhookEndpoint | undefined, Unavailable, Caller>
    list(page: PageRequest): Effect.Effect<Page<WebhookEndpoint>, Unavailable, Caller>
    /** Held until the unit of work ends, so that no two requests make the fiftieth. */
    count(): Effect.Effect<number, Unavailable, Caller>
    update(endpoint: WebhookEndpoint): Effect.Effect<void, Unavailable, Caller>
    replaceSecrets(id: string, secrets: EndpointSecrets): Effect.Effect<void, Unavailable, Caller>
    findSecrets(id: string): Effect.Effect<EndpointSecrets | undefined, Unavailable, Caller>
    /** Nothing more is sent to it. Its log, and what was on its way to it, is deleted beside requests. */
    remove(id: string): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/webhooks/WebhookEndpointStore") {}
