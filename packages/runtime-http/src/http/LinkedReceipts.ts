import { Receipts } from "@sarraf/domain/receipts/Receipts"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { ServedRoute } from "./allowedMethods.ts"
import { problemResponse } from "./Problem.ts"
import { receiptResponse } from "./ReceiptContent.ts"

const path = "/receipts/:token"

/** Everything this layer serves, for telling 404 and 405 apart. */
export const routes: ReadonlyArray<ServedRoute> = [["GET", path]]

/** The address of a receipt's link. */
export const linkUrl = (baseUrl: string, token: string): string => `${baseUrl}/receipts/${token}`

/** Receipts by their links, which take no credential and are over after five minutes. */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const receipts = yield* Receipts
    const answer = Effect.gen(function* () {
      const { token = "" } = yield* HttpRouter.params
      return receiptResponse(yield* receipts.openLink(token))
    }).pipe(
      Effect.catchTags({
        NotFound: () =>
          Effect.succeed(problemResponse("NOT_FOUND", { detail: "This link is over, or never was: make a new one." })),
        Unavailable: () =>
          Effect.succeed(problemResponse("UNAVAILABLE", { detail: "Open the link again in a moment." }))
      })
    )
    yield* router.add("GET", path, answer)
  })
)
