import { Effect } from "effect"
import { InvalidFields, NotFound } from "../errors/Refusals.ts"
import { Members } from "../organizations/Members.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { leavesOf } from "./Condition.ts"
import type { PolicyContent } from "./Policy.ts"
import { pathText } from "./readCondition.ts"
import { scaleFault } from "./readOperand.ts"

interface Fault {
  readonly path: string
  readonly message: string
}

/** Where operands of a leaf stand: a list's at its places, a single one at `value` itself. */
const placesOf = (conditions: PolicyContent["conditions"], prefix: string) =>
  leavesOf(conditions).flatMap(({ leaf, path }) =>
    leaf.operands.map((operand, index) => ({
      leaf,
      operand,
      path: `${prefix}${pathText(["conditions", ...path, "value", ...(Array.isArray(leaf.written.value) ? [index] : [])])}`
    }))
  )

const stepFaults = ({ approvalSteps, enforcement }: PolicyContent, prefix: string): ReadonlyArray<Fault> => {
  if (approvalSteps.length > 0 && enforcement !== "REQUIRE_APPROVAL") {
    return [{ path: `${prefix}approval_steps`, message: "only come with the enforcement REQUIRE_APPROVAL" }]
  }
  return approvalSteps.flatMap(({ manager, roles = [], users = [] }, index) =>
    roles.length === 0 && users.length === 0 && manager !== true
      ? [{ path: `${prefix}approval_steps[${index}]`, message: "must name somebody: roles, users, or manager: true" }]
      : []
  )
}

/**
 * What is checked of a policy against its organization: amounts against the base currency (`InvalidFields`), and
 * persons and departments against its people (`NotFound`, contract section 1). `prefix` is where it stands in the request.
 */
export const makePolicyChecks = Effect.gen(function* () {
  const members = yield* Members
  const organizations = yield* Organizations

  const knownDepartments = Effect.fnUntraced(function* ({ conditions }: PolicyContent, prefix: string) {
    const named = placesOf(conditions, prefix).filter(
      ({ leaf }) => leaf.field === "department_id" && leaf.op !== "exists"
    )
    if (named.length === 0) return
    const departments = new Set((yield* members.departments).map(({ id }) => id))
    for (const { operand, path } of named) {
      if (operand.type === "id" && !departments.has(operand.value)) {
        return yield* new NotFound({ resource: `department (${path})`, id: operand.value })
      }
    }
  })

  const knownUsers = Effect.fnUntraced(function* ({ approvalSteps }: PolicyContent, prefix: string) {
    for (const [step, { users = [] }] of approvalSteps.entries()) {
      for (const [index, user] of users.entries()) {
        if ((yield* members.find(user)) !== undefined) continue
        return yield* new NotFound({ resource: `member (${prefix}approval_steps[${step}].users[${index}])`, id: user })
      }
    }
  })

  return Effect.fnUntraced(function* (content: PolicyContent, prefix = "") {
    const { baseCurrency } = yield* organizations.current
    const faults = [
      ...placesOf(content.conditions, prefix).flatMap(({ operand, path }) => {
        const fault =
          operand.type === "money" && operand.currency === undefined
            ? scaleFault(operand.amount, baseCurrency)
            : undefined
        return fault === undefined ? [] : [{ path, message: `${fault}, the base currency` }]
      }),
      ...stepFaults(content, prefix)
    ]
    if (faults.length > 0) return yield* new InvalidFields({ faults })
    yield* knownDepartments(content, prefix)
    yield* knownUsers(content, prefix)
  })
})
