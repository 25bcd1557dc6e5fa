import { execFile } from "node:child_process"
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import { beforeAll, describe } from "vitest"

const root = join(import.meta.dirname, "..")
const execute = promisify(execFile)

const Report = Schema.fromJsonString(
  Schema.Struct({
    diagnostics: Schema.Array(
      Schema.Struct({ category: Schema.String, location: Schema.Struct({ path: Schema.String }) })
    )
  })
)

interface Case {
  readonly where: string
  readonly folder: string
  readonly source: string
  /** The rule that fires, or none. */
  readonly rule: string | undefined
}

const importing = (specifier: string) => `import * as inner from "${specifier}"\nexport const outer = inner\n`
const refused = (where: string, folder: string, source: string, rule = "lint/style/noRestrictedImports"): Case => ({
  where,
  folder,
  source,
  rule
})
const allowed = (where: string, folder: string, source: string): Case => ({ where, folder, source, rule: undefined })

const domain = "packages/domain/src"
const provider = "packages/adapters/src/providers/boundary"
const assistants = "packages/runtime-mcp/src/catalogue"
const cases: ReadonlyArray<Case> = [
  refused("the domain", domain, importing("node:fs")),
  refused("the domain", domain, importing("effect/http")),
  refused("the domain", domain, importing("effect/sql")),
  refused("the domain", domain, importing("@effect/sql-pg")),
  refused("the domain", domain, importing("@sarraf/adapters/postgres/migrate")),
  refused("the domain", domain, `import type { Stats } from "node:fs"\nexport type Outer = Stats\n`),
  refused("the domain", domain, `export { readFileSync } from "node:fs"\n`),
  refused("the domain", domain, `export const outer = () => import("node:fs")\n`),
  refused("the domain", domain, "export const now = () => new Date()\n", "lint/style/noRestrictedGlobals"),
  refused("the domain", domain, "export const id = () => crypto.randomUUID()\n", "lint/style/noRestrictedGlobals"),
  refused("the domain", domain, "export const die = () => Math.random()\n", "lint/nursery/noJsRestrictedProperties"),
  refused("an adapter", "packages/adapters/src", importing("@sarraf/runtime-http/server")),
  refused("a provider", provider, importing("@sarraf/runtime-http/server")),
  refused("a provider", provider, importing("../nestpay/Adapter.ts")),
  refused("a runtime", "packages/runtime-http/src", importing("@sarraf/adapters/postgres/migrate")),
  refused("a runtime's folder", "packages/runtime-http/src/handlers", importing("@sarraf/adapters/postgres/migrate")),
  refused("another runtime", "packages/runtime-mcp/src", importing("@sarraf/adapters/postgres/migrate")),
  refused("the assistant server", assistants, importing("@sarraf/domain/expenses/Expenses")),
  refused("the assistant server", assistants, importing("@sarraf/runtime-http/http/Server")),
  allowed("the assistant server", assistants, importing("@sarraf/domain/expenses/ExpenseReading")),
  allowed("the domain", domain, importing("effect")),
  allowed("the domain", domain, importing("./errors/Unavailable.ts")),
  allowed("a provider", provider, importing("../Simulator.ts")),
  allowed("an adapter", "packages/adapters/src", importing("@sarraf/domain/errors/Unavailable")),
  allowed("a runtime", "packages/runtime-http/src", importing("@sarraf/domain/errors/Unavailable"))
]

const fileOf = (index: number) => join(root, cases[index]?.folder ?? "", `Boundary${index}In${process.pid}.ts`)

const lint = async (files: ReadonlyArray<string>) => {
  try {
    return (await execute(join(root, "node_modules/.bin/biome"), ["lint", "--reporter=json", ...files])).stdout
  } catch (error) {
    // It ends with 1 when a rule fires.
    if (Predicate.hasProperty(error, "stdout") && Predicate.isString(error.stdout)) return error.stdout
    throw error
  }
}

/** One run of the checker for all cases, since it starts by reading every file there is. */
const fired = new Map<string, Array<string>>()
beforeAll(async () => {
  const files = cases.map((_, index) => fileOf(index))
  const folders: Array<string> = []
  try {
    for (const [index, file] of files.entries()) {
      if (!existsSync(dirname(file))) folders.push(dirname(file))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, cases[index]?.source ?? "")
    }
    const { diagnostics } = Schema.decodeSync(Report)(await lint(files))
    for (const { category, location } of diagnostics) {
      const name = basename(location.path)
      fired.set(name, [...(fired.get(name) ?? []), category])
    }
  } finally {
    for (const file of files) rmSync(file, { force: true })
    for (const folder of folders) rmdirSync(folder)
  }
})

describe("the boundary checker", () => {
  for (const [index, { rule, source, where }] of cases.entries()) {
    const content = source.trim().split("\n")[0]
    const rules = () => fired.get(basename(fileOf(index))) ?? []
    if (rule === undefined) it(`lets ${where} hold: ${content}`, () => assert.deepStrictEqual(rules(), []))
    else it(`forbids ${where} to hold: ${content}`, () => assert.include(rules(), rule))
  }
})
