import { parseArgs } from "node:util"
import { makeVerification } from "@sarraf/adapters/postgres/audit/AuditVerification"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import { Console, Data, Effect } from "effect"
import { runCommand } from "./command.ts"
import * as Installation from "./installation.ts"

const help = `Recomputes the audit chains of this installation from their first rows.

  npm run audit:verify [-- --organization org_…] [-- --head HASH]

--head takes a hash that was handed out with an export or by GET /api/audit/head: it must still be in a chain. The exit
code is 1 where a row was changed, removed, inserted or exchanged; the first such row is named.`

/** `message` says what is wrong with the arguments or with the trail. */
class AuditFaulty extends Data.TaggedError("AuditFaulty")<{ readonly message: string }> {}

const run = Effect.fn("auditVerify")(function* (args: ReadonlyArray<string>) {
  const { values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], options: { organization: { type: "string" }, head: { type: "string" } } }),
    catch: (error) => new AuditFaulty({ message: error instanceof Error ? error.message : help })
  })
  const { organizations, verify } = yield* makeVerification
  const all = yield* organizations
  const chosen = values.organization === undefined ? all : all.filter((id) => id === values.organization)
  if (chosen.length === 0 && values.organization !== undefined) {
    return yield* new AuditFaulty({ message: `There is no organization ${values.organization}.` })
  }
  let faults = 0
  let isFound = values.head === undefined
  for (const organization of chosen) {
    const { fault, hasHead, head, rows, unsealed } = yield* verify(organization, values.head)
    const waiting = unsealed === 0 ? "" : ` (${unsealed} not sealed yet)`
    yield* Console.log(
      `${organization}  ${fault === undefined ? `ok, ${rows} rows, head ${head}` : `${fault} (${rows} rows before it fit)`}${waiting}`
    )
    if (fault !== undefined) faults++
    isFound ||= hasHead
  }
  if (!isFound) {
    yield* Console.log(
      `The head ${values.head} is in no chain: rows were removed or exchanged since it was handed out.`
    )
  }
  if (faults > 0 || !isFound) return yield* new AuditFaulty({ message: "The audit trail is not whole." })
})

runCommand(
  help,
  (args, configuration) => Effect.andThen(migrate, run(args)).pipe(Effect.provide(Installation.layer(configuration))),
  { takesArguments: false }
)
