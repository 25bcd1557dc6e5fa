import { assert, describe, it } from "vitest"
import { bearer, message, raw, whoami } from "./support/mcp.ts"
import { useService } from "./support/Service.ts"

/** A bucket that fills so slowly that no test can wait for it: what is over is over. */
const service = useService({ SARRAF_MCP_RATE_LIMIT_PER_SECOND: "1", SARRAF_MCP_RATE_LIMIT_BURST: "60" })
const url = () => `${service().url}/mcp`
const ask = (token: string, body: unknown = whoami) => raw(url(), { headers: bearer(token), body })

describe("The assistant server's limits", () => {
  it("refuse a credential that asks too often with 429, and no other one", async () => {
    const list = message("tools/list")
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask("mcp_sandbox", list)))
    const refused = answers.filter(({ status }) => status === 429)
    assert.isAtLeast(refused.length, 1)
    assert.isAtLeast(answers.filter(({ status }) => status === 200).length, 60)
    for (const { headers, text } of refused) {
      assert.match(String(headers["retry-after"]), /^[1-9]\d*$/u)
      assert.include(JSON.parse(text).error.message, "Wait")
    }
    assert.strictEqual((await ask("mcp_other")).status, 200)
  })

  it("count every message of a body", async () => {
    const many = Array.from({ length: 20 }, (_, id) => message("ping", {}, id))
    const statuses: Array<number> = []
    for (let index = 0; index < 6; index++) statuses.push((await ask("mcp_other", many)).status)
    assert.strictEqual(statuses[0], 200)
    assert.include(statuses, 429)
  })

  it("let an address try sixty tokens at once, and take nothing from whoever has a good one", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(`mcp_guess_${index}`)))
    assert.isAtLeast(answers.filter(({ status }) => status === 401).length, 60)
    const refused = answers.filter(({ status }) => status === 429)
    assert.isAtLeast(refused.length, 1)
    for (const { headers } of refused) assert.isDefined(headers["retry-after"])
    // The good credential's bucket may be empty by now, but the address does not keep it out as unknown.
    assert.notStrictEqual((await ask("mcp_other")).status, 401)
  })
})
