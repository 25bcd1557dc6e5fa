import type { ApprovalQuery, ApprovalView } from "@sarraf/domain/approvals/ApprovalReading"
import { Approvals } from "@sarraf/domain/approvals/Approvals"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { DecideApproval } from "../api/approvals.ts"
import { historyOf } from "./audit.ts"
import { expectedVersions, pageBody, pageRequest, refusals, warningsAbout, withEtag } from "./conventions.ts"
import { decisionRefusals } from "./expenseProblems.ts"

const ofList = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofOne = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])

const approvalBody = ({ canDecide, document }: ApprovalView) => ({ ...document, can_decide: canDecide })

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "approvals",
  Effect.fn(function* (handlers) {
    const approvals = yield* Approvals
    const unknownOfDecision = warningsAbout(DecideApproval)

    const decide = Effect.fnUntraced(function* (
      decision: "approve" | "reject",
      id: string,
      tag: string | undefined,
      payload: typeof DecideApproval.Type | null
    ) {
      const view = yield* approvals.decide(id, {
        decision,
        reason: payload?.reason ?? null,
        expected: expectedVersions(tag),
        subjectVersion: payload?.version ?? undefined
      })
      yield* withEtag(view.document.version)
      return { ...approvalBody(view), ...(payload === null ? {} : yield* unknownOfDecision) }
    }, Effect.catchTags(decisionRefusals))

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const asked: ApprovalQuery = {
            mine: query.mine === "true",
            ...(query.status === undefined ? {} : { statuses: [query.status] }),
            ...(query.subject_type === undefined ? {} : { subjectType: query.subject_type }),
            ...(query.subject_id === undefined ? {} : { subjectId: query.subject_id })
          }
          const page = yield* approvals.list(asked, yield* pageRequest("approvals", query))
          return pageBody("approvals", query, page, ({ document }) => document.id, approvalBody)
        }).pipe(Effect.catchTags(ofList))
      )
      .handle("get", ({ params }) =>
        approvals.find(params.id).pipe(
          Effect.tap(({ document }) => withEtag(document.version)),
          Effect.map(approvalBody),
          Effect.catchTags(ofOne)
        )
      )
      .handle("history", (request) => historyOf("approvals", approvals.history)(request).pipe(Effect.catchTags(ofOne)))
      .handle("approve", ({ headers, params, payload }) => decide("approve", params.id, headers["if-match"], payload))
      .handle("reject", ({ headers, params, payload }) => decide("reject", params.id, headers["if-match"], payload))
  })
)
