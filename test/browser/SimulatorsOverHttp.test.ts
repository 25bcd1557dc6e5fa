import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { sandboxSimulators } from "@sarraf/adapters/providers/Sandbox"
import { serve } from "@sarraf/adapters/providers/SimulatorServer"
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { makeFolder, removeFolder, Service } from "../e2e/support/Service.ts"
import { useBrowser } from "./support/Chromium.ts"
import { answerBank, makeSandbox } from "./support/Sandbox.ts"

let folder = ""
let service: Service | undefined
const scope = Effect.runSync(Scope.make())

beforeAll(async () => {
  const orderBook = MemoryOrderBook.make()
  const simulators = serve({
    port: 0,
    simulators: (url) =>
      sandboxSimulators({
        orderBook,
        settlement: "instant",
        pagesUrl: (provider) => `${url}/${provider}`,
        notify: () => () => Effect.void
      })
  })
  const url = await Effect.runPromise(Scope.provide(simulators, scope))
  folder = await makeFolder()
  service = await Service.start(folder, { SARRAF_SIMULATORS_URL: url })
})

afterAll(async () => {
  await service?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await removeFolder(folder)
})

const { challenged, found, routeTo, toBank, toShop } = makeSandbox(() => {
  assert(service !== undefined)
  return service
})
const visit = useBrowser()

it.each([
  ["stripe", "AED"],
  ["isbank", "TRY"]
])("A buyer goes to the bank of %s at another address, and comes back", async (provider, currency) => {
  await routeTo(provider)
  for (const javaScriptEnabled of [true, false]) {
    const { id, url } = await challenged(currency)
    const { complaints, context, page } = await visit({ javaScriptEnabled })
    await page.goto(url)
    await toBank(page, javaScriptEnabled)
    assert.notStrictEqual(new URL(page.url()).origin, new URL(url).origin)
    await answerBank(page, "123456")
    assert.strictEqual((await toShop(page, javaScriptEnabled)).status, "AUTHORIZED")
    assert.deepInclude(await found(id), { status: "AUTHORIZED", provider })
    assert.deepStrictEqual(complaints, [])
    await context.close()
  }
})
