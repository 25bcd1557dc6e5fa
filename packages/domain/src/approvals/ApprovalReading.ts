import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { type Page, type PageRequest, pageOf } from "../lists/Page.ts"
import { type Caller, personsBehind, type RoleMissing } from "../organizations/Caller.ts"
import type { Members } from "../organizations/Members.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted, type Reach } from "../organizations/Permissions.ts"
import type { Approval } from "./Approval.ts"
import { type ApprovalDocument, approvalDocument } from "./ApprovalDocument.ts"
import { makeSituation } from "./ApprovalSituation.ts"
import { type Situation, standingOf } from "./ApprovalStanding.ts"
import { type ApprovalFilter, type ApprovalPart, ApprovalStore } from "./ApprovalStore.ts"
import type { DelegationStore } from "./DelegationStore.ts"

/** An approval as its caller sees it. */
export interface ApprovalView {
  readonly document: ApprovalDocument
  /** Whether the caller may decide the step that is open. */
  readonly canDecide: boolean
}

export interface ApprovalQuery extends Omit<ApprovalFilter, "id"> {
  /** Only those that the caller may decide now. */
  readonly mine: boolean
}

const mayDecideNow = (approval: Approval, situation: Situation, caller: Caller["Service"]): boolean =>
  approval.status === "OPEN" && standingOf(approval, situation).capacityOf(caller) !== undefined

const viewOf = (approval: Approval, situation: Situation, caller: Caller["Service"]): ApprovalView => ({
  document: approvalDocument(approval, situation),
  canDecide: mayDecideNow(approval, situation, caller)
})

const fits = ({ statuses, subjectId, subjectType }: ApprovalQuery, { status, subject }: Approval): boolean =>
  (statuses === undefined || statuses.includes(status)) &&
  (subjectType === undefined || subject.type === subjectType) &&
  (subjectId === undefined || subject.id === subjectId)

const partOf = (
  caller: Caller["Service"],
  reach: Reach,
  decidable: ReadonlyArray<Approval>
): ApprovalPart | undefined =>
  reach === "all"
    ? undefined
    : {
        persons: personsBehind(caller),
        name: caller.name,
        decidable: decidable.map(({ id }) => id),
        seesAsked: reach === "decidable"
      }

type ListRefusal = RoleMissing | Unavailable

/** Reads approvals as far as the caller's role reaches: the one way, for the API and for assistants. */
export const makeApprovalReading = Effect.gen(function* () {
  const store = yield* ApprovalStore
  const situationNow = yield* makeSituation

  const seen = Effect.fnUntraced(function* (id: string, situation: Situation) {
    const { caller, reach } = yield* permitted("approval.read")
    const approval = yield* store.find(id)
    if (approval === undefined) return yield* new NotFound({ resource: "approval", id })
    const decidable = mayDecideNow(approval, situation, caller) ? [approval] : []
    const { items } = yield* store.list({ id }, partOf(caller, reach, decidable), { limit: 1, after: undefined })
    return items.length === 1 ? approval : yield* new NotFound({ resource: "approval", id })
  })

  const list = Effect.fn("Approvals.list")(function* (query: ApprovalQuery, page: PageRequest) {
    const { caller, reach } = yield* permitted("approval.read")
    const situation = yield* situationNow
    const { mine, ...filter } = query
    const open = mine || reach !== "all" ? yield* store.open : []
    const decidable = open.filter((approval) => mayDecideNow(approval, situation, caller))
    const found = mine
      ? pageOf(
          decidable.filter(
            (approval) => fits(query, approval) && (page.after === undefined || approval.id < page.after)
          ),
          page
        )
      : yield* store.list(filter, partOf(caller, reach, decidable), page)
    return { ...found, items: found.items.map((approval) => viewOf(approval, situation, caller)) }
  })

  return {
    /** The approval itself, where the caller sees it. */
    within: Effect.fnUntraced(function* (id: string) {
      return yield* seen(id, yield* situationNow)
    }),
    find: Effect.fn("Approvals.find")(function* (id: string) {
      const { caller } = yield* permitted("approval.read")
      const situation = yield* situationNow
      return viewOf(yield* seen(id, situation), situation, caller)
    }),
    list
  }
})

/** Driving port: approvals to look at. What is out of the caller's reach is not found. */
export class ApprovalReading extends Context.Service<
  ApprovalReading,
  {
    readonly find: (id: string) => Effect.Effect<ApprovalView, NotFound | ListRefusal, Caller>
    /** Newest first. */
    readonly list: (query: ApprovalQuery, page: PageRequest) => Effect.Effect<Page<ApprovalView>, ListRefusal, Caller>
  }
>()("@sarraf/domain/approvals/ApprovalReading") {
  static readonly layer: Layer.Layer<
    ApprovalReading,
    never,
    ApprovalStore | DelegationStore | Members | Organizations
  > = Layer.effect(
    ApprovalReading,
    Effect.map(makeApprovalReading, ({ find, list }) => ApprovalReading.of({ find, list }))
  )
}
