import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"

const clock = new URL("../../crash/clock.ts", import.meta.url).href
const teller = fileURLToPath(new URL("support/tellTime.ts", import.meta.url))
const hour = 3_600_000

it("A process's clock goes ahead or behind by as much as it is told, and right again", async () => {
  const child = fork(teller, { execArgv: ["--import", clock] })
  await once(child, "message")
  const isOffBy = async (millis: number): Promise<boolean> => {
    const from = Date.now()
    child.send(millis)
    const [told] = await once(child, "message")
    return told - millis >= from && told - millis <= Date.now()
  }
  for (const millis of [0, hour, -hour, 0]) assert.isTrue(await isOffBy(millis), `${millis} ms`)
  const exited = once(child, "exit")
  child.disconnect()
  await exited
})
