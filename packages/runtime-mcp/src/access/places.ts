import { Effect, PartitionedSemaphore, Semaphore } from "effect"

/** Calls that read at once: as many as there are connections to read by, so that nobody waits for one behind others. */
const callsAtOnceMax = 5

/** Of one organization: whatever it asks for, two calls of others need not wait for it. */
const callsOfOrganizationMax = 3

interface Own {
  readonly places: Semaphore.Semaphore
  /** How many calls have a place or wait for one. */
  calls: number
}

/** Lets a call of an organization run when there is a place for it. Organizations take turns where many wait. */
type TakePlace = (organizationId: string) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The places of this process. */
export const makePlaces = Effect.map(
  PartitionedSemaphore.make<string>({ permits: callsAtOnceMax }),
  (everybodys): TakePlace => {
    const organizations = new Map<string, Own>()
    return (organizationId) => (call) =>
      Effect.suspend(() => {
        const own = organizations.get(organizationId) ?? {
          places: Semaphore.makeUnsafe(callsOfOrganizationMax),
          calls: 0
        }
        organizations.set(organizationId, own)
        own.calls++
        return call.pipe(
          everybodys.withPermit(organizationId),
          own.places.withPermit,
          Effect.ensuring(
            Effect.sync(() => {
              own.calls--
              if (own.calls === 0) organizations.delete(organizationId)
            })
          )
        )
      })
  }
)
