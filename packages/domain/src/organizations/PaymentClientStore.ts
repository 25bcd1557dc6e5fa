import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"

/** A secret that is valid now. */
export interface ClientSecret {
  /** Counts the client's secrets from 1, in the order that they were made. */
  readonly number: number
  readonly createdAt: Instant
  /** Null for the one that no other has taken the place of. */
  readonly expiresAt: Instant | null
}

/** What is shown of a gateway client; a secret is shown once, when it is made. */
export interface PaymentClientRecord {
  /** The `x-client-id`: `client_…`, or what an operator chose. */
  readonly id: string
  readonly name: string | null
  readonly createdBy: string | null
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  /** Those that are valid now, the newest first. */
  readonly secrets: ReadonlyArray<ClientSecret>
}

/**
 * Driven port: the gateway clients of the caller's organization that were not retired, and their secrets, which are sealed.
 * This process notices a change from its commit on, others within five seconds.
 */
export class PaymentClientStore extends Context.Service<
  PaymentClientStore,
  {
    find(id: string): Effect.Effect<PaymentClientRecord | undefined, Unavailable, Caller>
    list(page: PageRequest): Effect.Effect<Page<PaymentClientRecord>, Unavailable, Caller>
    /** In a unit of work: nobody else changes the client until it ends. */
    lock(id: string): Effect.Effect<PaymentClientRecord | undefined, Unavailable, Caller>
    /** False where the id is taken, whoever has it. */
    insert(
      client: Pick<PaymentClientRecord, "id" | "name" | "createdBy" | "createdAt">
    ): Effect.Effect<boolean, Unavailable, Caller>
    /** Adds a secret and gives its number. */
    addSecret(id: string, secret: Redacted.Redacted<string>): Effect.Effect<number, Unavailable, Caller>
    /** Lets a secret end after so many hours at the latest; 0 ends it at once. */
    endSecret(id: string, number: number, hours: number): Effect.Effect<void, Unavailable, Caller>
    /** The next version of a client that is locked, retired or not. */
    change(id: string, at: Instant, isRetired: boolean): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/PaymentClientStore") {}
