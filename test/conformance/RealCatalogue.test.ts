import { assert, it } from "@effect/vitest"
import { afterAll, beforeAll, describe } from "vitest"
import { useService } from "../e2e/support/Service.ts"
import { addToken, type Loopback } from "../runtime-mcp/support/Loopback.ts"
import { expectedFailures, runProgram } from "./support/programs.ts"

/** What the suite asks without tools of its own: all of it has to pass. */
const scenarios = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "prompts-list",
    "resources-list",
    "dns-rebinding-protection"
  ],
  "2026-07-28": [
    "server-stateless",
    "tools-list",
    "prompts-list",
    "resources-list",
    "caching",
    "dns-rebinding-protection",
    "sep-2164-resource-not-found",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input"
  ]
}

describe("the conformance suite, on the service and its own tools", () => {
  const service = useService()
  let proxy: Loopback
  beforeAll(async () => {
    proxy = await addToken(Number(new URL(service().url).port), "mcp_sandbox")
  })
  afterAll(() => proxy.close())

  for (const [revision, names] of Object.entries(scenarios)) {
    for (const name of names) {
      it(`passes ${name} in revision ${revision}`, { timeout: 60_000 }, async () => {
        const { exitCode, output } = await runProgram("conformance", [
          "server",
          ...["--url", `http://127.0.0.1:${proxy.port}/mcp`],
          ...["--scenario", name, "--spec-version", revision],
          ...(name === "server-stateless" ? ["--expected-failures", expectedFailures(revision)] : [])
        ])
        assert.strictEqual(exitCode, 0, output)
        // A scenario that is not known, or skips everything, fails nothing.
        assert.match(output, /Passed: [1-9]\d*\/\d+/u, output)
      })
    }
  }
})
