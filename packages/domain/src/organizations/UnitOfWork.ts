import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "./Caller.ts"

/**
 * What belongs together is committed together: a change, its events, its audit rows and the answer kept under its
 * Idempotency-Key. Everything inside sees the rows of the caller's organization and of no other, which the database
 * enforces by itself (row-level security).
 */
export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    /**
     * Commits what the effect wrote when it succeeds, and undoes all of it when it fails. Inside another unit of work it
     * becomes part of that one. After `Unavailable` it is not known whether a commit took place.
     */
    run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R | Caller>
    /** A part that fails alone: what it wrote is undone, the rest of the unit stands. For bulk operations. */
    apart<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R | Caller>
  }
>()("@sarraf/domain/organizations/UnitOfWork") {}
