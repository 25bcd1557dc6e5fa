import { createSocket } from "node:dgram"
import { Resolver } from "node:dns/promises"
import { once } from "node:events"
import { assert, it } from "@effect/vitest"
import { askNameServers } from "@sarraf/adapters/webhooks/Network"
import { Deferred, Effect } from "effect"

/** Types of records and codes of answers of RFC 1035 and RFC 3596. */
const aType = 1
const aaaaType = 28
const serverFailed = 2
const nameUnknown = 3

const address4 = [93, 184, 215, 14]
const address6 = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

/** What the server says of each name: records by type, or a code. A name that is not here is never answered. */
const zone: Readonly<Record<string, (type: number) => ReadonlyArray<ReadonlyArray<number>> | number>> = {
  "both.example": (type) => (type === aType ? [address4, [10, 0, 0, 5]] : [address6]),
  "four.example": (type) => (type === aType ? [address4] : []),
  "six.example": (type) => (type === aaaaType ? [address6] : []),
  "none.example": () => [],
  "unknown.example": () => nameUnknown,
  "half.example": (type) => (type === aType ? [address4] : serverFailed),
  "broken.example": () => serverFailed
}

/** The question of a query: its name, its type, and where it ends. */
const questionOf = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const recordOf = (type: number, data: ReadonlyArray<number>) =>
  // The name is that of the question, the class is IN, and it may be kept for no time.
  Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data])

const answerOf = (query: Buffer, records: ReadonlyArray<ReadonlyArray<number>>, code: number) => {
  const { end, type } = questionOf(query)
  const header = Buffer.from([0, 0, 0x81, 0x80 | code, 0, 1, 0, records.length, 0, 0, 0, 0])
  query.copy(header, 0, 0, 2)
  return Buffer.concat([header, query.subarray(12, end), ...records.map((data) => recordOf(type, data))])
}

/** A name server on loopback, and what asks it; `silent` is done once a name was asked for that it never answers. */
const asking = Effect.gen(function* () {
  const silent = yield* Deferred.make<void>()
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      socket.bind(0, "127.0.0.1")
      await once(socket, "listening")
      return socket
    }),
    (socket) => Effect.sync(() => socket.close())
  )
  server.on("message", (query, { address, port }) => {
    const { name, type } = questionOf(query)
    const known = zone[name.toLowerCase()]?.(type)
    if (known === undefined) Effect.runSync(Deferred.succeed(silent, undefined))
    else if (typeof known === "number") server.send(answerOf(query, [], known), port, address)
    else server.send(answerOf(query, known, 0), port, address)
  })
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  yield* Effect.addFinalizer(() => Effect.sync(() => resolver.cancel()))
  return { ask: askNameServers(resolver), silent }
})

it.effect("a name has every address that the name servers have for it, of both kinds", () =>
  Effect.gen(function* () {
    const { ask } = yield* asking
    const addressesOf = (name: string) => Effect.promise(() => ask(name))
    assert.sameMembers([...(yield* addressesOf("both.example"))], ["93.184.215.14", "10.0.0.5", "2001:db8::1"])
    assert.deepStrictEqual(yield* addressesOf("four.example"), ["93.184.215.14"])
    assert.deepStrictEqual(yield* addressesOf("six.example"), ["2001:db8::1"])
    assert.deepStrictEqual(yield* addressesOf("half.example"), ["93.184.215.14"])
  })
)

it.effect("a name without an address has none, and one that nobody can tell of fails", () =>
  Effect.gen(function* () {
    const { ask } = yield* asking
    for (const name of ["none.example", "unknown.example"]) {
      assert.deepStrictEqual(yield* Effect.promise(() => ask(name)), [])
    }
    const failure = yield* Effect.flip(Effect.tryPromise(() => ask("broken.example")))
    assert.include(String(failure.cause), "ESERVFAIL")
  })
)

it.effect("names that nobody answers for hold up no other", () =>
  Effect.gen(function* () {
    const { ask, silent } = yield* asking
    const pending = Array.from({ length: 20 }, (_, index) => ask(`silent-${index}.example`).catch(() => "cancelled"))
    yield* Deferred.await(silent)
    assert.deepStrictEqual(yield* Effect.promise(() => ask("four.example")), ["93.184.215.14"])
    assert.strictEqual(pending.length, 20)
  })
)
