import { readFileSync } from "node:fs"
import { roles } from "@sarraf/domain/organizations/Caller"
import { actions, reachOf } from "@sarraf/domain/organizations/Permissions"
import { assert, it } from "vitest"

const documented = readFileSync(new URL("../../docs/access.md", import.meta.url), "utf8")

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

it("docs/access.md has the permission table as the guard reads it", () => {
  const table = [
    row(["Action", ...roles]),
    row(["---", ...roles.map(() => "---")]),
    ...actions.map((action) => row([`\`${action}\``, ...roles.map((role) => reachOf(role, action) ?? "")]))
  ].join("\n")
  assert.isTrue(documented.includes(table), `docs/access.md should contain:\n\n${table}`)
})
