import { Clock, Context, Effect, Layer } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import type { PaymentProviders } from "../payments/PaymentProvider.ts"
import type { RoutingExplanation, RoutingQuestion } from "./Route.ts"
import { makeRouter } from "./Router.ts"
import { RoutingPolicies, RoutingPolicyChanged, type SavedRoutingPolicy } from "./RoutingPolicies.ts"
import type { RoutingPolicy } from "./RoutingPolicy.ts"

/** A change without a version takes the place of whatever is there; so often it may find that changed meanwhile. */
const triesMax = 5

/** A payment that nobody makes. `paymentId` decides a split and who tries a provider that was failing. */
export type ImaginedPayment = Omit<RoutingQuestion, "paymentId"> & { readonly paymentId?: string }

/** Where an imagined payment would go, and the identifier that it was decided with. */
export interface SimulatedRoute extends RoutingExplanation {
  readonly paymentId: string
}

/** Driving port: an organization's routing policy, read, changed and tried. */
export class RoutingSettings extends Context.Service<
  RoutingSettings,
  {
    readonly find: Effect.Effect<SavedRoutingPolicy, RoleMissing | Unavailable, Caller>
    /**
     * Saves the next version. With `expected` only where the present version is among them, else
     * `RoutingPolicyChanged`; without it in any case.
     */
    change(change: {
      readonly rules: RoutingPolicy["rules"]
      readonly expected: ReadonlyArray<number> | undefined
      readonly requestId: string
    }): Effect.Effect<SavedRoutingPolicy, RoleMissing | RoutingPolicyChanged | Unavailable, Caller>
    /** Routes as a payment would be now, by the organization's policy or by `rules` that are saved nowhere. */
    simulate(
      imagined: ImaginedPayment,
      rules?: RoutingPolicy["rules"]
    ): Effect.Effect<SimulatedRoute, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/routing/RoutingSettings") {
  static readonly layer: Layer.Layer<RoutingSettings, never, Identifiers | PaymentProviders> = Layer.effect(
    RoutingSettings,
    Effect.gen(function* () {
      const policies = yield* RoutingPolicies
      const identifiers = yield* Identifiers
      const routed = yield* makeRouter

      const changeOnce = Effect.fnUntraced(function* (
        change: Parameters<RoutingSettings["Service"]["change"]>[0],
        caller: Caller["Service"]
      ) {
        const { organizationId } = caller
        const { version } = yield* policies.find(organizationId)
        if (change.expected !== undefined && !change.expected.includes(version)) {
          return yield* new RoutingPolicyChanged({ version })
        }
        return yield* policies.save({
          organizationId,
          expected: version,
          rules: change.rules,
          actor: { name: caller.name, requestId: change.requestId },
          at: yield* Clock.currentTimeMillis
        })
      })

      return RoutingSettings.of({
        find: Effect.flatMap(permitted("routingPolicy.read"), ({ caller }) => policies.find(caller.organizationId)),
        change: Effect.fn("RoutingSettings.change")(function* (change) {
          const { caller } = yield* permitted("routingPolicy.change")
          const once = changeOnce(change, caller)
          return yield* change.expected === undefined
            ? Effect.retry(once, { times: triesMax - 1, while: ({ _tag }) => _tag === "RoutingPolicyChanged" })
            : once
        }),
        simulate: Effect.fn("RoutingSettings.simulate")(function* (imagined, rules) {
          const { organizationId } = (yield* permitted("routingPolicy.read")).caller
          const paymentId = imagined.paymentId ?? (yield* identifiers.next("txn"))
          const tried = rules === undefined ? undefined : { version: 0, rules }
          return { paymentId, ...(yield* routed(organizationId, { ...imagined, paymentId }, tried)) }
        })
      })
    })
  )
}
