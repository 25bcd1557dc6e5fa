import { SuccessRates } from "@sarraf/domain/routing/SuccessRates"
import { Cache, Clock, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** An organization's newest payments that are counted: an index's end, a few milliseconds however many there are. */
const paymentsMax = 2_000
/** Older ones say little of how a provider is now. */
const windowDays = 7
/** Fewer decided payments at a provider say nothing: one decline more or less would move its place. */
const decidedMin = 100
const rememberedForMillis = Duration.toMillis("30 seconds")

interface RateRow {
  readonly provider: string
  readonly rate: number
}

interface Counted {
  readonly rates: ReadonlyMap<string, number>
  readonly at: number
}

/**
 * Success rates from an organization's own payments, whose identifiers sort by time. A process counts once for the first
 * payment of an organization; later, when the figures are half a minute old, beside the payments and not before them.
 */
export const layer = Layer.effect(
  SuccessRates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const scope = yield* Effect.scope

    const count = Effect.fn("PgSuccessRates.count")(
      function* (organizationId: string) {
        const at = yield* Clock.currentTimeMillis
        const since = new Date(at - Duration.toMillis(Duration.days(windowDays)))
        const rows = yield* sql<RateRow>`SELECT provider,
            (count(*) FILTER (WHERE authorization_state = 'AUTHORIZED'))::float8 / count(*) AS rate
          FROM (SELECT provider, authorization_state, created_at FROM payments
            WHERE organization_id = ${organizationId} ORDER BY id DESC LIMIT ${paymentsMax}) AS newest
          WHERE authorization_state IN ('AUTHORIZED', 'DECLINED', 'FAILED') AND created_at > ${since}
          GROUP BY provider HAVING count(*) >= ${decidedMin}`
        return { rates: new Map(rows.map(({ provider, rate }) => [provider, rate])), at } satisfies Counted
      },
      // Routing goes on without: with the prior now, with the figures from before when they are counted anew.
      Effect.tapError((error) => Effect.logWarning("Success rates could not be counted", error)),
      Effect.option
    )

    const cache = yield* Cache.make({ capacity: 10_000, lookup: count })
    const counting = new Set<string>()

    const countAnew = (organizationId: string) =>
      Effect.suspend(() => {
        if (counting.has(organizationId)) return Effect.void
        counting.add(organizationId)
        return count(organizationId).pipe(
          Effect.flatMap((counted) =>
            counted._tag === "Some" ? Cache.set(cache, organizationId, counted) : Effect.void
          ),
          Effect.ensuring(Effect.sync(() => counting.delete(organizationId))),
          Effect.forkIn(scope)
        )
      })

    return SuccessRates.of({
      of: (organizationId) =>
        Effect.flatMap(Cache.get(cache, organizationId), (known) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const rates = known._tag === "None" ? new Map<string, number>() : known.value.rates
            return known._tag === "None" || now - known.value.at >= rememberedForMillis
              ? Effect.as(countAnew(organizationId), rates)
              : Effect.succeed(rates)
          })
        )
    })
  })
)
