import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { readLog, readRate } from "../../bench/pgbench.ts"

describe("what pgbench leaves", () => {
  it("is a line of its log for each transaction, in microseconds", () =>
    assert.deepStrictEqual(readLog("0 0 2241 0 1795700000 995598\n1 0 840 0 1795700000 998079\n"), [2.241, 0.84]))
  it("is its rate without the time that connecting took", () =>
    assert.strictEqual(
      readRate("latency average = 1.2 ms\ntps = 6868.218 (without initial connection time)\n"),
      6868.218
    ))
  it("is no rate where it failed", () => assert.isUndefined(readRate("pgbench: error: connection failed")))
})
