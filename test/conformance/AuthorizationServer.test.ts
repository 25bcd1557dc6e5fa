import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { allowStep, begin, makeBrowser, registered, sandboxOrganization, signInStep } from "../e2e/support/oauth.ts"
import { useService } from "../e2e/support/Service.ts"

/** A port that was free a moment ago: the suite cannot take one by itself. */
const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

const program = fileURLToPath(new URL("../../node_modules/.bin/conformance", import.meta.url))

describe("The conformance suite for authorization servers", () => {
  const service = useService()

  it("finds nothing, with a person who signs in and consents", { timeout: 120_000 }, async () => {
    const port = await freePort()
    const clientId = await registered(service, { redirect_uris: [`http://127.0.0.1:${port}/callback`] })
    const { url } = service()
    const child = spawn(
      process.execPath,
      [
        program,
        "authorization",
        ...["--url", url],
        ...["--client-id", clientId],
        ...["--resource", `${url}/mcp`],
        ...["--port", String(port)]
      ],
      { env: { PATH: process.env.PATH ?? "", NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] }
    )
    let output = ""
    let isSignedIn = false
    const person = async (address: string) => {
      const browser = makeBrowser(service)
      const consent = await signInStep(browser, await begin(browser, address), "owner@sandbox.test")
      await fetch(await allowStep(browser, consent, sandboxOrganization))
    }
    const failed: Array<unknown> = []
    const read = (text: string) => {
      output += text
      const [address] = /http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?\S+(?=\s)/u.exec(output) ?? []
      if (address === undefined || isSignedIn) return
      isSignedIn = true
      person(address).catch((error: unknown) => {
        failed.push(error)
        child.kill("SIGTERM")
      })
    }
    child.stdout.setEncoding("utf8").on("data", read)
    child.stderr.setEncoding("utf8").on("data", read)
    const [exitCode] = await once(child, "close")
    assert.deepStrictEqual(failed, [])
    assert.strictEqual(exitCode, 0, output)
    assert.match(output, /3 passed, 0 failed|3\/3|Passed: 3/u, output)
  })
})
