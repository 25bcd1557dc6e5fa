import { assistantScope } from "@sarraf/domain/assistants/AssistantPrincipal"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Identity } from "@sarraf/domain/organizations/Identity"
import { dayIn } from "@sarraf/domain/reports/Months"
import { Clock, Effect, Schema } from "effect"
import { cut, cutOrNull, date, flag, object, text, textOrNull } from "../shapes.ts"
import { makeTool } from "../tool.ts"

const output = Schema.Struct({
  organization: object(
    {
      id: text("org_…"),
      name: text("The organization's name"),
      base_currency: text("ISO 4217: what reports are in"),
      timezone: text("IANA name: in it days and months are meant"),
      today: date('The day that it is there now: what "last month" is counted from'),
      is_sandbox: flag("Whether this is test data, and no real money")
    },
    "Whose data every tool here reads, and no other's"
  ),
  user: object(
    {
      id: text("usr_…"),
      name: textOrNull("Their name"),
      email: textOrNull("Their e-mail address"),
      department: textOrNull("The department they belong to")
    },
    "The person you act for"
  ),
  role: text(
    "MEMBER sees their own; APPROVER also what they may decide, and reports; ADMIN, OWNER and AUDITOR see all"
  ),
  scope: text("What this connection may do: only read")
})

/** `whoami`. */
export const whoami = Effect.gen(function* () {
  const identity = yield* Identity
  return yield* makeTool({
    name: "whoami",
    title: "Who am I",
    description:
      "Tells which organization's data you see, for which person, with which role, and what day it is there. Call it first, so that you can tell people whose numbers these are.",
    input: Schema.Struct({}),
    output,
    read: Effect.fnUntraced(function* () {
      const { role, userId } = yield* Caller
      const { departmentName, member, organization } = yield* identity.current
      return {
        organization: {
          id: organization.id,
          name: cut(organization.name, 200),
          base_currency: organization.baseCurrency,
          timezone: organization.timezone,
          today: dayIn(yield* Clock.currentTimeMillis, organization.timezone),
          is_sandbox: organization.isSandbox
        },
        user: {
          id: userId ?? "",
          name: cutOrNull(member?.name ?? null, 200),
          email: member?.email ?? null,
          department: cutOrNull(departmentName, 200)
        },
        role,
        scope: assistantScope
      }
    })
  })
})
