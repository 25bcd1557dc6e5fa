import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import * as HttpWebhookSender from "@sarraf/adapters/webhooks/HttpWebhookSender"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { assert, beforeAll, describe, it, type TestContext } from "vitest"

const documented = readFileSync(new URL("../../docs/webhooks-verification.md", import.meta.url), "utf8")
const root = resolve(import.meta.dirname, "../..")

/** The examples of a language: with the library, then without. */
const examplesOf = (language: string): readonly [string, string] => {
  const [library = "", plain = "", ...others] = [...documented.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)].flatMap(
    ([, named, code = ""]) => (named === language ? [code] : [])
  )
  if (plain === "" || others.length > 0) assert.fail(`there should be two examples in ${language}`)
  return [library, plain]
}

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`
const present = secretOf(0xfb)
const former = secretOf(0x3e)
const body = JSON.stringify({
  type: "expense.approved",
  data: { object: { merchant: "Çiğdem 🧾\n", note: "</script>" } }
})

interface Received {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver gets of the sender, whose clock is so far ahead of the true time. */
const receive = async (secret: string, offsetMillis: number, validFormer?: string): Promise<Received> => {
  const received: Array<Omit<Received, "secret">> = []
  const server = createServer(async (incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ""].flat().join(",")])
    received.push({ headers: Object.fromEntries(headers), body: await text(incoming) })
    outgoing.end()
  })
  await new Promise<void>((opened) => server.listen(0, "127.0.0.1", opened))
  const { port } = server.address() as AddressInfo
  const now = Date.now() + offsetMillis
  const send = Effect.flatMap(WebhookSender, (sender) =>
    sender.send({
      url: `http://127.0.0.1:${port}/`,
      id: "evt_01kd8z0000e0080000000000e1",
      body,
      headers: {},
      secrets: {
        current: Redacted.make(secret),
        former: validFormer === undefined ? null : { secret: Redacted.make(validFormer), until: now + 1 }
      }
    })
  )
  const sender = HttpWebhookSender.layer({ livemode: false, allowPrivate: false })
  const atThatTime = Effect.andThen(TestClock.setTime(now), Effect.provide(send, sender))
  await Effect.runPromise(Effect.provide(atThatTime, TestClock.layer()))
  server.close()
  const [message = assert.fail("nothing arrived")] = received
  return { secret, ...message }
}

/** Changes the first character of each signature. */
const flipped = (signature: string) =>
  signature.replace(/(v1[=,])(.)/gu, (_, before: string, first: string) => before + (first === "a" ? "b" : "a"))

const tampered = ({ body: sent, headers, secret }: Received, header?: string): Received =>
  header === undefined
    ? { secret, headers, body: sent.replace("approved", "rejected") }
    : { secret, body: sent, headers: { ...headers, [header]: flipped(headers[header] ?? "") } }

const without = ({ body: sent, headers, secret }: Received, names: ReadonlyArray<string>): Received => ({
  secret,
  body: sent,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, names.includes(name) ? "" : value]))
})

const minute = 60_000

/** Messages of the sender, and whether they are to be taken for genuine. */
const casesOf = async (): Promise<ReadonlyArray<readonly [string, Received, boolean]>> => {
  const good = await receive(present, 0)
  const rotated = await receive(present, 0, former)
  const [own, standard] = ["x-service-signature", "webhook-signature"]
  return [
    ["as sent", good, true],
    ["sent four minutes ago", await receive(present, -4 * minute), true],
    ["sent during a rotation, known by the present secret", rotated, true],
    ["sent during a rotation, known by the former secret", { ...rotated, secret: former }, true],
    ["with another body", tampered(good), false],
    ["with another signature", tampered(tampered(good, own), standard), false],
    ["with another time", { ...good, headers: (await receive(present, minute)).headers, body: `${body} ` }, false],
    ["without signatures", without(good, [own, standard]), false],
    ["sent six minutes ago", await receive(present, -6 * minute), false],
    ["sent by a clock that is six minutes ahead", await receive(present, 6 * minute), false],
    ["of another secret", { ...good, secret: former }, false],
    ["of another secret, during a rotation", { ...rotated, secret: secretOf(7) }, false]
  ]
}

interface Language {
  readonly name: string
  /** After the fence of its examples. */
  readonly fence: string
  readonly command: string
  /** Reads the cases as JSON from the standard input, and prints a JSON list of true and false. */
  readonly drivers: readonly [library: string, plain: string]
  /** What runs a program that is given as text. */
  readonly flagsOf: (program: string) => ReadonlyArray<string>
  /** Why the library cannot be tried here; undefined where it can. */
  readonly libraryMissing: () => string | undefined
}

/** Where Composer puts what PHP needs (its own variable), else beside the project. */
const phpAutoload = join(process.env.COMPOSER_VENDOR_DIR ?? join(root, "vendor"), "autoload.php")

const readNode = `import { readFileSync as readInput } from "node:fs"
const cases = JSON.parse(readInput(0, "utf8"))
const judge = (check) => console.log(JSON.stringify(cases.map((one) => { try { return check(one) } catch { return false } })))
`
const languages: ReadonlyArray<Language> = [
  {
    name: "TypeScript",
    fence: "ts",
    command: process.execPath,
    flagsOf: (program) => ["--input-type=module-typescript", "--eval", program],
    drivers: [
      `${readNode}judge(({ secret, headers, body }) => readEvent(secret, headers, body).type === "expense.approved")`,
      `${readNode}judge(({ secret, headers, body }) => isGenuine(secret, headers["x-service-signature"], Buffer.from(body)))`
    ],
    libraryMissing: () => undefined
  },
  {
    name: "Python",
    fence: "python",
    command: "python3",
    flagsOf: (program) => ["-c", program],
    drivers: [
      `
import json, sys
from standardwebhooks import WebhookVerificationError
def judge(one):
    try:
        return read_event(one["secret"], one["headers"], one["body"].encode())["type"] == "expense.approved"
    except WebhookVerificationError:
        return False
print(json.dumps([judge(one) for one in json.load(sys.stdin)]))`,
      `
import json, sys
print(json.dumps([is_genuine(one["secret"], one["headers"]["x-service-signature"], one["body"].encode()) for one in json.load(sys.stdin)]))`
    ],
    libraryMissing: () =>
      spawnSync("python3", ["-c", "import standardwebhooks"]).status === 0
        ? undefined
        : "python3 has no library standardwebhooks: pip install standardwebhooks"
  },
  {
    name: "PHP",
    fence: "php",
    command: "php",
    flagsOf: (program) => [
      "-r",
      existsSync(phpAutoload)
        ? program.replace("<?php", `require ${JSON.stringify(phpAutoload)};`)
        : program.replace("<?php", "")
    ],
    drivers: [
      `
echo json_encode(array_map(function ($one) {
    try {
        return readEvent($one["secret"], $one["headers"], $one["body"])["type"] === "expense.approved";
    } catch (StandardWebhooks\\Exception\\WebhookVerificationException $error) {
        return false;
    }
}, json_decode(stream_get_contents(STDIN), true)));`,
      `
echo json_encode(array_map(function ($one) {
    return isGenuine($one["secret"], $one["headers"]["x-service-signature"], $one["body"]);
}, json_decode(stream_get_contents(STDIN), true)));`
    ],
    libraryMissing: () =>
      existsSync(phpAutoload)
        ? undefined
        : "PHP has no library there: COMPOSER_VENDOR_DIR=… composer require standard-webhooks/standard-webhooks"
  }
]

let cases: Awaited<ReturnType<typeof casesOf>> = []
beforeAll(async () => {
  cases = await casesOf()
})

/** What the program answers to each case. */
const judged = ({ command, flagsOf }: Language, program: string) => {
  const input = JSON.stringify(cases.map(([, message]) => message))
  // From the project's folder, so that its packages are found.
  const { error, status, stderr, stdout } = spawnSync(command, flagsOf(program), { input, encoding: "utf8", cwd: root })
  if (error !== undefined || status !== 0) assert.fail(`${command} failed: ${error?.message ?? stderr + stdout}`)
  const judgements: ReadonlyArray<unknown> = JSON.parse(stdout)
  return cases.map(([name], index) => [name, judgements[index]])
}

const expected = () => cases.map(([name, , isGenuine]) => [name, isGenuine])

describe.each(languages)("the example in $name tells our messages from others", (language) => {
  const { command, drivers, fence, libraryMissing } = language
  const [library, plain] = examplesOf(fence)
  const skipWithoutCommand = ({ skip }: TestContext) => {
    if (spawnSync(command, ["--version"]).status !== 0) skip(`there is no ${command} on this machine`)
  }

  it("with the library of Standard Webhooks", (context) => {
    skipWithoutCommand(context)
    const missing = libraryMissing()
    if (missing !== undefined) context.skip(missing)
    assert.deepStrictEqual(judged(language, library + drivers[0]), expected())
  })

  it("with nothing but HMAC", (context) => {
    skipWithoutCommand(context)
    assert.deepStrictEqual(judged(language, plain + drivers[1]), expected())
  })
})
