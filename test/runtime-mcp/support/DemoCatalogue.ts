import * as MemoryReceiptFiles from "@sarraf/adapters/memory/MemoryReceiptFiles"
import * as ReadingStores from "@sarraf/adapters/postgres/assistant/ReadingStores"
import { makeDemo } from "@sarraf/adapters/postgres/demo/makeDemo"
import { seedDemo } from "@sarraf/adapters/postgres/demo/seedDemo"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import { seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import * as CursorSeals from "@sarraf/adapters/signing/CursorSeals"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import type { AssistantPrincipal } from "@sarraf/domain/assistants/AssistantPrincipal"
import type { Role } from "@sarraf/domain/organizations/Caller"
import type { Catalogue, Exchange } from "@sarraf/runtime-mcp/catalogue/Catalogue"
import * as MadeCatalogue from "@sarraf/runtime-mcp/catalogue/makeCatalogue"
import { OfferedCatalogue } from "@sarraf/runtime-mcp/catalogue/OfferedCatalogue"
import { Clock, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll } from "vitest"
import { shop, storeHistory } from "../../adapters/postgres/support/Shop.ts"
import {
  accepted,
  begunOperation,
  noon,
  operation,
  settledBy,
  settledOperation,
  start,
  type Told,
  tell
} from "../../domain/payments/support/SamplePayment.ts"
import { declined } from "../../domain/payments/support/ScriptedProvider.ts"
import * as Database from "../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

/** The sandbox's organizations and people. */
export const sandbox = "org_01kd8z0000e0080000000000s1"
export const otherSandbox = "org_01kd8z0000e0080000000000s2"
export const people = {
  owner: "usr_01kd8z0000e0080000000000p1",
  admin: "usr_01kd8z0000e0080000000000p2",
  approver: "usr_01kd8z0000e0080000000000p3",
  member: "usr_01kd8z0000e0080000000000p4",
  auditor: "usr_01kd8z0000e0080000000000p5",
  otherOwner: "usr_01kd8z0000e0080000000000v1"
} as const

/** A call of a person, as the transports make it. */
export const exchangeAs = (
  userId: string,
  role: Role = "OWNER",
  organizationId: string = userId === people.otherOwner ? otherSandbox : sandbox
): Exchange => {
  const principal: AssistantPrincipal = {
    organizationId,
    userId,
    role,
    credential: "token:test",
    clientId: null,
    scopes: ["mcp:read"],
    expiresAt: Number.MAX_SAFE_INTEGER,
    livemode: false
  }
  return { principal, signal: new AbortController().signal, notify: () => Promise.resolve() }
}

/** When these tests take place, so that the demo's months and open approvals are the same each time. */
export const today = "2026-11-21"
const begin = Date.parse(`${today}T12:00:00Z`)

/** Goes as the real one does, from then on. */
const clock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => {
    const ahead = begin - real.currentTimeMillisUnsafe()
    const millis = () => real.currentTimeMillisUnsafe() + ahead
    const nanos = () => BigInt(millis()) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: real.monotonicTimeNanos,
      sleep: (duration) => real.sleep(duration)
    }
  })
)

/** An id of the sandbox's form that counts within its organization. */
const paymentId = (organizationId: string, number: number) =>
  `txn_01kd8z0000e00800000000${organizationId.slice(-2)}0${number}`

/** Four payments of an organization: authorized, captured in part, declined, and accepted by the second provider only. */
const addPayments = Effect.fnUntraced(function* (organizationId: string, clientId: string) {
  const owner = shop(clientId, organizationId)
  const begun = (number: number) =>
    owner.payment(number, {
      id: paymentId(organizationId, number),
      merchantReference: `${clientId}-order-${number}`,
      description: `Sold by ${clientId}`
    })
  const authorized = (told: Told) => tell(told, settledBy(told.payment, accepted()))
  yield* storeHistory(owner, [begun(1), authorized(begun(1))])
  const captured = authorized(begun(2))
  const capture = operation({ minor: 6_000n, final: false, reference: `${clientId}-part-1` })
  const open = tell(captured, begunOperation(capture))
  yield* storeHistory(owner, [begun(2), captured, open, tell(open, settledOperation(capture, accepted()))])
  yield* storeHistory(owner, [begun(3), tell(begun(3), settledBy(begun(3).payment, declined))])
  const first = begun(4)
  const [attempt] = first.payment.attempts
  if (attempt === undefined) return
  const rerouted = tell(first, {
    type: "payment.rerouted",
    at: noon + 500,
    result: { ...attempt, outcome: "NotSent", completedAt: noon + 500, detail: "connection refused" },
    attempt: { ...start({ number: 2, provider: "isbank", startedAt: noon + 500 }), reference: `${clientId}-4-2` }
  })
  yield* storeHistory(owner, [first, rerouted, authorized(rerouted)])
})

const seeded = Effect.gen(function* () {
  yield* seedSandbox
  yield* seedDemo(yield* makeDemo(begin), "https://sarraf.example.com")
  yield* addPayments(sandbox, "sandbox_client")
  yield* addPayments(otherSandbox, "sandbox_client_2")
})

const databaseWithDemo = Layer.effectDiscard(seeded).pipe(
  Layer.provide([MemoryReceiptFiles.layer, PgPaymentStore.layer]),
  Layer.provideMerge(Layer.merge(Database.layer, keys))
)

const layer = MadeCatalogue.layer.pipe(
  Layer.provide([ReadingStores.layer, CursorSeals.layer]),
  Layer.provideMerge(databaseWithDemo),
  Layer.provideMerge(clock)
)

export type Body = Readonly<Record<string, unknown>>

/** The items of a list's answer. */
export const itemsOf = ({ body }: { readonly body: Body }): ReadonlyArray<Body> => {
  if (!Array.isArray(body.items)) throw new Error(`This is no list: ${JSON.stringify(body).slice(0, 200)}`)
  return body.items
}

/** An answer as a client has it. */
export interface Answer {
  readonly isError: boolean
  readonly text: string
  readonly body: Body
}

/** The real catalogue on PostgreSQL with the sandbox's demo year, for a test file. */
export const useDemoCatalogue = () => {
  const runtime = ManagedRuntime.make(layer)
  let catalogue: Catalogue | undefined
  beforeAll(async () => {
    catalogue = await runtime.runPromise(OfferedCatalogue)
  }, 120_000)
  afterAll(() => runtime.dispose())
  const present = () => {
    if (catalogue === undefined) throw new Error("The catalogue is there only while a test runs.")
    return catalogue
  }
  return {
    catalogue: present,
    /** Runs something on the database with every right. */
    onDatabase: <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | EncryptionKeys>) => runtime.runPromise(effect),
    call: async (name: string, input: unknown, exchange: Exchange): Promise<Answer> => {
      const tool = present().tools.find(({ definition }) => definition.name === name)
      if (tool === undefined) throw new Error(`There is no tool ${name}`)
      const { content, isError = false, structuredContent } = await tool.call(input, exchange)
      return { isError, text: String(content[0]?.text), body: structuredContent ?? {} }
    }
  }
}
