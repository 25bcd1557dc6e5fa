import { execFileSync } from "node:child_process"
import { assert, beforeAll, describe, it } from "vitest"
import { atOnce, transactionOf } from "../e2e/support/answers.ts"
import { makeClient, otherSandbox } from "../e2e/support/Client.ts"
import { order } from "../e2e/support/orders.ts"
import { useService } from "../e2e/support/Service.ts"
import { makeAttack, slowLoris } from "./attacks.ts"
import { answersIn, exchange } from "./connection.ts"
import { amexNumber, cardCvc, cardNumber } from "./hostile.ts"
import { makeKnownIds } from "./KnownIds.ts"
import { makeRandom, type Random } from "./Random.ts"
import { bytesOf, makeRequests } from "./requests.ts"
import { type Operation, readSpecification } from "./Specification.ts"
import { answerMillisMax, verdict } from "./verdict.ts"

const requestsCount = Number(process.env.FUZZ_REQUESTS ?? 3_000)
const seed = Number(process.env.FUZZ_SEED ?? 1)
const isLong = requestsCount > 10_000

/** Requests under way at once. */
const workersCount = 24
/** A tenth is no request at all. */
const attacksPart = 0.1
/** Connections that send a byte now and then, open from the beginning to the end. */
const slowConnections = 100
const idleConnections = 300
/** The server's own bound is 10 s for headers; a busy machine looks at it later. */
const slowMillisMax = 60_000
/** What the process may hold more after all requests than after the first fifth of them, garbage that is not yet collected included. */
const growthMegabytesMax = 250
const millisPerRequestMax = 60

const service = useService({ SARRAF_RATE_LIMIT_PER_SECOND: "1000000", LOG_LEVEL: "debug" })
/** Of an organization that is not fuzzed, so that nothing there can have been switched off. */
const bystander = makeClient(service, otherSandbox)

const residentMegabytes = () =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(service().pid)], { encoding: "utf8" })) / 1024

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

interface Finding {
  readonly what: string
  readonly request: string
}

/** Findings by what they are about, of each the one with the shortest request. */
const findings = new Map<string, Finding & { readonly length: number }>()
const statuses = new Map<number, number>()

const report = (about: string, what: string, bytes: Uint8Array) => {
  const key = `${about} ${what.slice(0, 60)}`
  const known = findings.get(key)
  if (known !== undefined && known.length <= bytes.length) return
  findings.set(key, {
    what: `${about}: ${what}`,
    request: Buffer.from(bytes).toString().slice(0, 3_000),
    length: bytes.length
  })
}

/** What the log says of a failure, by the request id in its problem. */
const causeOf = (what: string) => {
  const requestId = /"requestId":"([^"]+)"/.exec(what)?.[1]
  const lines = service().output.split("\n")
  return (
    (requestId && lines.find((line) => line.includes(requestId) && line.includes('"ERROR"'))?.slice(0, 1_500)) ?? ""
  )
}

const counted = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
const share = (isMeant: (status: number) => boolean) =>
  [...statuses].reduce((sum, [status, count]) => sum + (isMeant(status) ? count : 0), 0) / requestsCount

const known = makeKnownIds()

const attack = async (random: Random) => {
  const { mayBeSilent = false, name, options = {}, pieces } = makeAttack(random)
  const received = await exchange(service().url, pieces, { ...options, millisMax: 2 * answerMillisMax })
  const fault = verdict(received, { target: "", isHead: false, mayBeSilent })
  if (fault !== undefined) report(name, fault, Buffer.concat(pieces.map(({ bytes }) => bytes)))
}

type MakeRequest = ReturnType<typeof makeRequests>

const request = async (operation: Operation, makeRequest: MakeRequest, random: Random) => {
  const made = makeRequest(operation, random)
  const bytes = bytesOf(made)
  const isHead = made.method === "HEAD"
  const received = await exchange(service().url, [{ bytes }], { millisMax: 2 * answerMillisMax })
  const [answer] = answersIn(received.bytes, isHead) ?? []
  if (answer !== undefined) counted(answer.status)
  if (answer?.status === 200 || answer?.status === 201) known.learn(operation, answer.body)
  // The answer to a body that is too large comes while it is being sent, and may be lost with the connection.
  const mayBeSilent = bytes.length > 256 * 1024
  const fault = verdict(received, { target: made.target, isHead, mayBeSilent })
  if (fault !== undefined) report(`${operation.method} ${operation.path}`, fault, bytes)
}

const protectWhatIsThere = async (operations: ReadonlyArray<Operation>) => {
  const lists = operations.filter(
    ({ method, path }) => method === "GET" && path.startsWith("/api/") && !path.includes("{")
  )
  for (const operation of lists) {
    for (const query of ["?limit=100", ""]) {
      const response = await fetch(new URL(`${operation.path}${query}`, service().url), {
        headers: { authorization: "Bearer key_test_sandbox" }
      })
      known.protect(operation, await response.text())
    }
  }
}

/** All at once and empty, and then each with a request. */
const crowd = async () => {
  const bytes = Buffer.from("GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
  await atOnce(idleConnections, async () => {
    const received = await exchange(service().url, [{ bytes, afterMillis: 2_000 }], { millisMax: 2 * answerMillisMax })
    const fault = verdict(received, { target: "/healthz", isHead: false, mayBeSilent: false })
    if (fault !== undefined) report("one of many connections", fault, bytes)
  })
}

const loris = () =>
  atOnce(slowConnections, async () => {
    const received = await exchange(service().url, slowLoris(), { millisMax: slowMillisMax })
    const [answer] = answersIn(received.bytes) ?? []
    if (received.end === "given up") report("slow headers", "the connection stays open", received.bytes)
    else if (answer?.status !== 408) report("slow headers", `${answer?.status} instead of 408`, received.bytes)
  })

let megabytesBefore = 0
let megabytesAfter = 0

const run = async () => {
  const specification = await readSpecification(service().url)
  await protectWhatIsThere(specification.operations)
  const makeRequest = makeRequests(specification, known.ids)
  const slow = loris()
  const many = crowd()
  let index = 0
  const work = async (until: number) => {
    while (index < until) {
      const random = makeRandom(seed, index++)
      if (random.chance(attacksPart)) await attack(random)
      else await request(random.pick(specification.operations), makeRequest, random)
    }
  }
  const workUntil = async (until: number) => {
    await atOnce(workersCount, () => work(until))
    await pause(500)
    return residentMegabytes()
  }
  megabytesBefore = await workUntil(Math.floor(requestsCount / 5))
  megabytesAfter = await workUntil(requestsCount)
  await Promise.all([slow, many])
}

describe(`${requestsCount} hostile requests by the seed ${seed} (FUZZ_SEED=${seed} repeats them)`, () => {
  beforeAll(run, 120_000 + requestsCount * millisPerRequestMax)

  it("get answers as the contract has them: no fault of the server, and every failure a problem of the catalogue", () => {
    assert.deepStrictEqual(
      [...findings.values()].map(({ request, what }) => `${what}\n${request}\n${causeOf(what)}`),
      []
    )
  })

  it("reach what is behind the credentials, or they would prove nothing", () => {
    const told = JSON.stringify(Object.fromEntries([...statuses].sort()))
    assert.isAbove(
      share((status) => status < 300),
      0.1,
      told
    )
    assert.isAbove(
      share((status) => status === 400),
      0.1,
      told
    )
    assert.isBelow(
      share((status) => status === 401),
      0.35,
      told
    )
  })

  it("leave the service as it was: a payment of another client is taken and captured", async () => {
    assert.strictEqual((await bystander.visit("/readyz")).status, 200)
    const { transactionId } = transactionOf(await bystander.authorize(order()))
    assert.strictEqual(transactionOf(await bystander.capture(transactionId)).status, "CAPTURED")
  })

  it("leave no memory behind", () => {
    assert.isBelow(
      megabytesAfter - megabytesBefore,
      growthMegabytesMax * (isLong ? 2 : 1),
      `from ${megabytesBefore} MB`
    )
  })

  it("leave no card number and no security code in what the service writes", () => {
    const log = service().output.replace(/"fiberId":"#\d+"/g, "")
    assert.isAbove(log.split("\n").length, requestsCount / 4)
    for (const number of [cardNumber, amexNumber]) assert.notInclude(log, number)
    // Not in the middle of a UUID, a time or a duration.
    assert.notMatch(log, new RegExp(`(?<![0-9A-Za-z.:-])${cardCvc}(?![0-9A-Za-z-])`))
    assert.notMatch(log, /cvc"?\s*[:=]\s*"?\d{3,4}\b/i)
  })
})
