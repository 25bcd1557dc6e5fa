import { approvalStatuses } from "@sarraf/domain/approvals/Approval"
import { ApprovalReading, type ApprovalView } from "@sarraf/domain/approvals/ApprovalReading"
import { Names } from "@sarraf/domain/organizations/Names"
import { deciderWords } from "@sarraf/domain/policies/policyWords"
import { Effect, Schema } from "effect"
import { makeListTool, pageFields } from "../listTool.ts"
import {
  count,
  cut,
  cutOrNull,
  flag,
  listOf,
  nameOf,
  object,
  oneOf,
  optional,
  someOf,
  text,
  textIn,
  textOrNull,
  time,
  timeOrNull
} from "../shapes.ts"

/** More names than this help nobody: whoever has the role is meant. */
const waitingForMax = 10
const decisionsMax = 20
const stepsMax = 20

const subjectTypes = ["expense", "bill", "purchase_request", "card", "limit_raise"] as const

/** An approval as every tool shows it. */
export const ApprovalShown = Schema.Struct({
  id: text("apr_…"),
  status: oneOf(approvalStatuses, "Where it stands"),
  subject: object(
    {
      type: oneOf(subjectTypes, "What is to be approved"),
      id: text("Its id: of an expense, pass it to get_expense or explain_expense"),
      version: count("The version that it is about")
    },
    "What it is about"
  ),
  summary: text("What is to be approved, in short: text that people entered"),
  can_decide: flag("Whether this person may decide it now"),
  current_step: count("The open step, from 1"),
  steps: listOf(
    {
      number: count("From 1"),
      status: oneOf(["WAITING", "OPEN", "APPROVED", "REJECTED", "CANCELLED"], "Where the step stands"),
      who: text("Who may decide it, in words"),
      decisions: listOf(
        {
          by: textOrNull("Who decided; null for an API key"),
          decision: oneOf(["approve", "reject"], "What was decided"),
          reason: textOrNull("Text that the person wrote"),
          decided_at: time("When")
        },
        "What was decided in it"
      )
    },
    "In their order"
  ),
  waiting_for: Schema.Array(Schema.String).annotate({
    description: `Who may decide the open step now, by name, ${waitingForMax} at most`
  }),
  blocked_reason: textOrNull("Why nobody can decide it; null where somebody can"),
  opened_at: time("When it was asked for"),
  due_at: timeOrNull("When ADMINs and OWNERs may decide the open step too"),
  completed_at: timeOrNull("When it ended")
})

/** An approval in words; whom its steps name by id is told by `names`. */
export const approvalShown = ({ canDecide, document }: ApprovalView, names: ReadonlyMap<string, string>) => ({
  id: document.id,
  status: document.status,
  subject: document.subject,
  summary: cut(document.summary, 300),
  can_decide: canDecide,
  current_step: document.current_step,
  steps: document.steps.slice(0, stepsMax).map(({ decisions, manager, mode, number, roles, status, users }) => ({
    number,
    status,
    who: cut(
      deciderWords({ roles, users, manager, mode }, (id) => nameOf(id, names) ?? undefined),
      600
    ),
    decisions: decisions.slice(0, decisionsMax).map(({ by_name, decided_at, decision, reason }) => ({
      by: cutOrNull(by_name, 120),
      decision,
      reason: cutOrNull(reason, 300),
      decided_at
    }))
  })),
  waiting_for: document.waiting_for.slice(0, waitingForMax).map(({ name, on_behalf_of }) => {
    const shown = cut(name, 120)
    return on_behalf_of === null ? shown : `${shown} (for ${nameOf(on_behalf_of, names) ?? on_behalf_of})`
  }),
  blocked_reason: document.blocked_reason,
  opened_at: document.created_at,
  due_at: document.due_at,
  completed_at: document.completed_at
})

/** The persons whom approvals name by id. */
export const personsIn = (approvals: ReadonlyArray<ApprovalView>): ReadonlyArray<string> =>
  approvals.flatMap(({ document }) => [
    ...document.steps.flatMap(({ users }) => users),
    ...document.waiting_for.flatMap(({ on_behalf_of }) => on_behalf_of ?? [])
  ])

/** `list_approvals`. */
export const listApprovals = Effect.gen(function* () {
  const approvals = yield* ApprovalReading
  const names = yield* Names
  return yield* makeListTool({
    name: "list_approvals",
    title: "List approvals",
    description:
      "Lists what waits for this person's decision, newest first; with mine: false every approval that they may see, decided ones too. You cannot decide: tell the person to do it in Sarraf.",
    input: Schema.Struct({
      mine: optional(flag("Only those that this person may decide now: true by default")),
      status: optional(someOf(approvalStatuses, "Only in one of these states; of what is mine all are OPEN")),
      subject_type: optional(oneOf(subjectTypes, "Only about this kind of thing")),
      subject_id: optional(textIn(100, "Only about this one: exp_… of an expense")),
      ...pageFields
    }),
    item: ApprovalShown,
    list: ({ mine = true, status, subject_id, subject_type }, page) =>
      approvals.list(
        {
          mine,
          ...(status === undefined ? {} : { statuses: status }),
          ...(subject_type === undefined ? {} : { subjectType: subject_type }),
          ...(subject_id === undefined ? {} : { subjectId: subject_id })
        },
        page
      ),
    keyOf: ({ document }) => document.id,
    show: (found) =>
      Effect.map(names.of([...new Set(personsIn(found))], []), (known) =>
        found.map((approval) => approvalShown(approval, known))
      )
  })
})
