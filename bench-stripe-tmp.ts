import * as MemoryOrderBook from "/work/main/packages/adapters/src/providers/MemoryOrderBook.ts"
import * as SimulatedTransport from "/work/main/packages/adapters/src/providers/SimulatedTransport.ts"
import { make } from "/work/main/packages/adapters/src/providers/stripe/Adapter.ts"
import * as Simulator from "/work/main/packages/adapters/src/providers/stripe/Simulator.ts"
import { Money } from "/work/main/packages/domain/src/money/Money.ts"
import { CardNumber } from "/work/main/packages/domain/src/payments/CardNumber.ts"
import { Effect, Redacted, Result } from "/work/main/node_modules/effect/dist/index.js"
const run = async () => {
  const book = MemoryOrderBook.make()
  const provider = make({ credentials: Simulator.sandboxCredentials, transport: SimulatedTransport.make([Simulator.make({ orderBook: book })]) })
  const number = Result.getOrThrow(CardNumber.parse("4111111111111111"))
  const money = new Money({ currency: "USD", minor: 1001n })
  let n = 0
  const one = Effect.suspend(() => provider.authorize({
    reference: `ref${String(n++).padStart(21, "0")}`, money,
    card: { number, expMonth: 3, expYear: 2030, cvc: Redacted.make("123"), holderName: "Ayşe Yılmaz" },
    installment: 1, buyer: { firstName: "A", lastName: "B", email: "a@example.com", ip: "203.0.113.7" },
    billingAddress: { address: "Çiçek Sokağı 5", city: "İzmir", country: "TR", postalCode: "35000" },
    requestId: "req_1", note: () => Effect.void }))
  const first = await Effect.runPromise(one)
  console.log(first._tag)
  for (let round = 0; round < 6; round++) {
    const count = 10000, start = performance.now()
    await Effect.runPromise(Effect.forEach(Array.from({ length: count }), () => one, { concurrency: 32, discard: true }))
    console.log(Math.round(count / (performance.now() - start) * 1000), "ops/s")
  }
}
await run()
