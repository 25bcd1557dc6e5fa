import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { makeFolder, removeFolder, useService } from "../e2e/support/Service.ts"
import { runProgram } from "./support/programs.ts"

const service = useService()

/** Runs the inspector as a host would call it, with a folder of its own for what it keeps. */
const inspect = async (era: string, args: ReadonlyArray<string>) => {
  const folder = await makeFolder()
  try {
    return await runProgram(
      "mcp-inspector",
      ["--cli", `${service().url}/mcp`, "--transport", "http", "--protocol-era", era, ...args],
      { MCP_CATALOG_PATH: join(folder, "catalogue.json"), HOME: folder }
    )
  } finally {
    await removeFolder(folder)
  }
}
const withToken = ["--header", "Authorization: Bearer mcp_sandbox"]

describe("the inspector", () => {
  for (const era of ["legacy", "modern"]) {
    it(`finds only schemas that travel between hosts, in the ${era} era`, { timeout: 90_000 }, async () => {
      // It ends with 6 where one does not.
      const { exitCode, output } = await inspect(era, [...withToken, "--method", "tools/list", "--strict"])
      assert.strictEqual(exitCode, 0, output)
      assert.include(output, "get_dashboard_stats")
    })
  }

  it("calls a tool", { timeout: 90_000 }, async () => {
    const { exitCode, output } = await inspect("modern", [
      ...withToken,
      "--method",
      "tools/call",
      "--tool-name",
      "whoami"
    ])
    assert.strictEqual(exitCode, 0, output)
    assert.include(output, "org_01kd8z0000e0080000000000s1")
  })

  it("is told to authorize where it has no token", { timeout: 90_000 }, async () => {
    // It ends with 3 where authorization is missing.
    const { exitCode, output } = await inspect("modern", ["--method", "tools/list", "--stored-auth-only"])
    assert.strictEqual(exitCode, 3, output)
  })
})
