import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { assert, describe, it } from "vitest"
import { problemOf } from "./support/answers.ts"
import { makeClient, otherSandbox, sandbox } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { makeFolder, refusedStart, removeFolder, Service, type Variables } from "./support/Service.ts"

const key = () => randomBytes(32).toString("base64")

/** Refused with an exit code, in words that hold all of `said`. */
const assertRefused = async (variables: Variables, ...said: ReadonlyArray<string | RegExp>) => {
  const { exitCode, output } = await refusedStart(variables)
  assert.isNotNull(exitCode, `it was not refused:\n${output}`)
  assert.notStrictEqual(exitCode, 0, output)
  for (const part of said) {
    if (typeof part === "string") assert.include(output, part)
    else assert.match(output, part)
  }
  return output
}

describe("A wrong value", () => {
  for (const [name, value] of [
    ["PORT", "eighty"],
    ["PORT", "65536"],
    ["SARRAF_MODE", "production"],
    ["SARRAF_SIMULATOR_SETTLEMENT", "hourly"],
    ["SARRAF_RATE_LIMIT_PER_SECOND", "0"],
    ["SARRAF_REQUEST_TIMEOUT_MS", "-1"],
    ["LOG_LEVEL", "loud"],
    ["SARRAF_BASE_URL", "not an address"],
    ["DATABASE_URL", "mysql://localhost/sarraf"]
  ] as const) {
    it(`is named in a sentence: ${name}=${value}`, async () => {
      const output = await assertRefused({ [name]: value }, name)
      const told = output.split("\n").filter((line) => line.includes(name))
      assert.lengthOf(told, 1, output)
    })
  }

  it("is not repeated where it may be a secret", async () => {
    const secret = "this-is-almost-a-key"
    const output = await assertRefused({ SARRAF_ENCRYPTION_KEY: secret }, "SARRAF_ENCRYPTION_KEY")
    assert.notInclude(output, secret)
  })

  it("is told together with all the others", async () => {
    await assertRefused({ PORT: "eighty", LOG_LEVEL: "loud", SARRAF_MODE: "x" }, "PORT", "LOG_LEVEL", "SARRAF_MODE")
  })
})

describe("A refusal to start", () => {
  const refusals = {
    "a wrong value": { PORT: "eighty" },
    "an address that is not this machine's": { HOST: "192.0.2.1" },
    "a database that is not there": { DATABASE_URL: "postgres://sarraf@127.0.0.1:1/sarraf" }
  }
  for (const [reason, variables] of Object.entries<Variables>(refusals)) {
    it(`is a sentence for a person, without a trace of the program, for ${reason}`, async () => {
      assert.notMatch(await assertRefused(variables), /\bat (\S+ )?\(?(file|node):/)
    })

    it(`is a line of JSON where nobody looks at a terminal, for ${reason}`, async () => {
      const lines = (await assertRefused(variables)).split("\n").filter((line) => line !== "")
      assert.isNotEmpty(lines)
      for (const line of lines) assert.isObject(JSON.parse(line), line)
    })
  }
})

describe("A port that another program has", () => {
  it("is said clearly", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? String(address.port) : ""
    try {
      await assertRefused({ PORT: port }, port, /taken|in use/)
    } finally {
      taken.close()
    }
  })
})

describe("A database that is not there", () => {
  it("is said, without the password", async () => {
    const closed = createServer().listen(0, "127.0.0.1")
    await once(closed, "listening")
    const address = closed.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    closed.close()
    await once(closed, "close")
    const output = await assertRefused(
      { DATABASE_URL: `postgres://sarraf:hunter2secret@127.0.0.1:${port}/sarraf` },
      /database|postgres/i
    )
    assert.notInclude(output, "hunter2secret")
  })
})

describe("Live mode", () => {
  it("is refused without a key", async () => {
    await assertRefused({ SARRAF_MODE: "live" }, "SARRAF_ENCRYPTION_KEY")
  })

  it("is refused without a place for its data", async () => {
    const settings = { SARRAF_MODE: "live", SARRAF_ENCRYPTION_KEY: key(), SARRAF_DATA_DIR: "" }
    await assertRefused(settings, /DATABASE_URL|SARRAF_DATA_DIR/)
  })

  it("is refused with simulators, private webhook targets or a key that everybody knows", async () => {
    const live = { SARRAF_MODE: "live", SARRAF_ENCRYPTION_KEY: key() }
    await assertRefused({ ...live, SARRAF_SIMULATORS_URL: "http://127.0.0.1:9" }, "SARRAF_SIMULATORS_URL")
    await assertRefused({ ...live, SARRAF_WEBHOOK_ALLOW_PRIVATE: "true" }, "SARRAF_WEBHOOK_ALLOW_PRIVATE")
    const zeros = Buffer.alloc(32).toString("base64")
    await assertRefused({ SARRAF_MODE: "live", SARRAF_ENCRYPTION_KEY: zeros }, "SARRAF_ENCRYPTION_KEY")
  })

  it("knows no sandbox credentials, neither in a new database nor in one of the sandbox", async () => {
    const folder = await makeFolder()
    const variables = { SARRAF_ENCRYPTION_KEY: key() }
    const unknown = { clientId: "no_such_client", secret: "none" }
    try {
      const first = await Service.start(folder, variables)
      assert.strictEqual((await makeClient(() => first).authorize(order())).status, 200)
      assert.strictEqual(await first.stop(), 0)
      for (const data of [folder, undefined]) {
        const own = data ?? (await makeFolder())
        const live = await Service.start(own, { ...variables, SARRAF_MODE: "live" })
        try {
          const [expected, ...answers] = await Promise.all(
            [unknown, sandbox, otherSandbox].map((who) => makeClient(() => live, who).authorize(order()))
          )
          const like = expected === undefined ? undefined : problemOf(expected, 401, "INVALID_SIGNATURE")
          for (const answer of answers) {
            const { requestId: _, ...same } = problemOf(answer, 401, "INVALID_SIGNATURE")
            assert.deepInclude(like, same)
          }
        } finally {
          assert.strictEqual(await live.stop(), 0)
          if (data === undefined) await removeFolder(own)
        }
      }
    } finally {
      await removeFolder(folder)
    }
  })
})

describe("Two services", () => {
  it("do not share a data folder by accident", async () => {
    const folder = await makeFolder()
    try {
      const first = await Service.start(folder)
      try {
        const second = await Service.start(folder).catch((error: unknown) => error as Error)
        if (second instanceof Error) assert.match(second.message, /folder|another|running|in use|taken/i)
        else assert.strictEqual(await second.stop(), 0)
        assert.strictEqual((await makeClient(() => first).authorize(order())).status, 200)
      } finally {
        assert.strictEqual(await first.stop(), 0)
      }
    } finally {
      await removeFolder(folder)
    }
  })
})
