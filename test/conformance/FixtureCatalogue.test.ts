import { assert, it } from "@effect/vitest"
import { afterAll, beforeAll, describe } from "vitest"
import { serveCatalogue } from "../runtime-mcp/support/FixtureServer.ts"
import { addToken, type Loopback } from "../runtime-mcp/support/Loopback.ts"
import { fixtureCatalogue } from "./support/FixtureCatalogue.ts"
import { expectedFailures, runProgram } from "./support/programs.ts"

describe("the conformance suite, on the tools it knows by name", () => {
  let server: Loopback
  let proxy: Loopback
  beforeAll(async () => {
    server = await serveCatalogue(fixtureCatalogue)
    proxy = await addToken(server.port, "mcp_fixture")
  })
  afterAll(async () => {
    await proxy.close()
    await server.close()
  })

  for (const revision of ["2025-11-25", "2026-07-28"]) {
    it(`finds nothing in revision ${revision} but what is expected`, { timeout: 120_000 }, async () => {
      const { exitCode, output } = await runProgram("conformance", [
        "server",
        ...["--url", `http://127.0.0.1:${proxy.port}/mcp`],
        ...["--requirements", revision],
        ...["--expected-failures", expectedFailures(revision)]
      ])
      assert.strictEqual(exitCode, 0, output)
    })
  }
})
