import { Effect } from "effect"
import { metadataUrl } from "../http/resourceMetadata.ts"
import { makeAdmit } from "./admission.ts"
import { makeChallenges } from "./challenge.ts"
import { makeConduct } from "./conduct.ts"
import { type AssistantRate, makeLimits } from "./limits.ts"

export interface EntranceOptions {
  /** `https://pay.example.com/mcp`: where clients reach it, and the audience of their tokens. */
  readonly url: string
  readonly livemode: boolean
  readonly rate: AssistantRate
  /** A call that takes longer is ended. */
  readonly callMillisMax: number
}

/** Who is let in, how often, and how their calls are run: common to every way in. */
export const makeEntrance = (options: EntranceOptions) =>
  Effect.gen(function* () {
    const challenges = makeChallenges(metadataUrl(options.url))
    const limits = yield* makeLimits(options.rate)
    const admit = yield* makeAdmit({ challenges, limits, livemode: options.livemode })
    return { admit, challenges, conducts: yield* makeConduct(options), limits }
  })
export type Entrance = Effect.Success<ReturnType<typeof makeEntrance>>
