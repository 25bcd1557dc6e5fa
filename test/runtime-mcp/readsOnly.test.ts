import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { assert, describe, it } from "vitest"

const packages = join(import.meta.dirname, "../../packages")
const domain = join(packages, "domain/src")

/** What a file imports or re-exports for its run: types are gone by then. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\s+(?!type\s)(?:[^"]*?\sfrom\s+)?"([^"]+)"/gmu)].flatMap(
    ([, name = ""]) => {
      if (name.startsWith("@sarraf/domain/")) return [join(domain, `${name.slice("@sarraf/domain/".length)}.ts`)]
      return name.startsWith(".") ? [join(dirname(file), name)] : []
    }
  )

/** Every file of the domain that these reach, with the one that leads there. */
const reachable = (files: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const visit = (file: string, from: string) => {
    if (found.has(file)) return
    found.set(file, from)
    for (const next of importsOf(file)) visit(next, file)
  }
  for (const file of files) visit(file, "")
  return found
}

/** Every change of the service is made in a unit of work, or by the gateway's use cases. */
const writes = [
  "organizations/UnitOfWork.ts",
  "payments/Payments.ts",
  "payments/PaymentWork.ts",
  "payments/PaymentStore.ts"
]

const shown = (file: string) => relative(packages, file)

describe("what assistants can call", () => {
  const sources = globSync("runtime-mcp/src/**/*.ts", { cwd: packages }).map((file) => join(packages, file))
  const found = reachable(sources)

  it("holds nothing that can begin a change, however far it is followed", () => {
    // The walk has to arrive at all.
    assert.isAbove([...found.keys()].filter((file) => file.startsWith(domain)).length, 20)
    for (const name of writes) {
      const path: Array<string> = []
      for (let file = join(domain, name); found.get(file) !== undefined && file !== ""; file = found.get(file) ?? "") {
        path.push(shown(file))
      }
      assert.isEmpty(path, path.join(" ← "))
    }
  })

  it("would be noticed if it did", () => {
    const expenses = reachable([join(domain, "expenses/Expenses.ts")])
    assert.isTrue(expenses.has(join(domain, "organizations/UnitOfWork.ts")))
    assert.isTrue(
      reachable([join(domain, "payments/DeferredRefunds.ts")]).has(join(domain, "payments/PaymentStore.ts"))
    )
  })
})
