import { createHmac, randomBytes } from "node:crypto"
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { networkOf } from "../auth/network.ts"

/** So many at once, and one more every so many seconds. */
interface Allowance {
  readonly burst: number
  readonly everySeconds: number
}

/**
 * What nobody has to be known for. Each row of these stays a while, or calls another host, so that one network gets little
 * of it, and all together not much.
 */
const allowances = {
  registration: { one: { burst: 40, everySeconds: 30 }, all: { burst: 400, everySeconds: 1 } },
  authorization: { one: { burst: 300, everySeconds: 0.2 }, all: { burst: 6_000, everySeconds: 0.01 } },
  documents: { one: { burst: 20, everySeconds: 5 }, all: { burst: 200, everySeconds: 1 } },
  /** Whatever is fetched, by the host that is asked: nobody has us bother another one. */
  hosts: { one: { burst: 30, everySeconds: 2 }, all: { burst: 600, everySeconds: 0.1 } }
} satisfies Readonly<Record<string, Readonly<Record<"all" | "one", Allowance>>>>

/** As many as there are, whoever sends from how many addresses. */
const networks = 65_536
const secret = randomBytes(32)
const networkNumber = (address: string): number =>
  createHmac("sha256", secret).update(networkOf(address)).digest().readUInt32BE() % networks

/** How much of it anybody may do, by network and in all; counted in each process. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Whether one more is allowed, which it counts as. */
    take(what: keyof typeof allowances, address: string): Effect.Effect<boolean>
  }
>()("@sarraf/runtime-http/oauth/Limits") {
  static readonly layer = Layer.effect(
    Limits,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter
      const take = (key: string, { burst, everySeconds }: Allowance) =>
        limiter
          .consume({
            algorithm: "token-bucket",
            key,
            limit: burst,
            window: Duration.seconds(burst * everySeconds)
          })
          .pipe(
            Effect.as(true),
            Effect.catch(({ reason }) =>
              reason._tag === "RateLimitExceeded" ? Effect.succeed(false) : Effect.die(reason)
            )
          )
      return Limits.of({
        take: Effect.fnUntraced(function* (what, address) {
          const { all, one } = allowances[what]
          // Who is over their own share takes nothing from the others.
          return (yield* take(`${what} ${networkNumber(address)}`, one)) && (yield* take(what, all))
        })
      })
    })
  ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
}
