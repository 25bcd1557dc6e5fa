import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { assert, beforeAll, describe, it } from "vitest"
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
  const wrong = [
    {
      PORT: "eighty",
      HOST: "not a host",
      SARRAF_MODE: "production",
      SARRAF_SIMULATOR_SETTLEMENT: "hourly",
      SARRAF_RATE_LIMIT_PER_SECOND: "0",
      SARRAF_REQUEST_TIMEOUT_MS: "-1",
      LOG_LEVEL: "loud",
      SARRAF_BASE_URL: "not an address",
      DATABASE_URL: "mysql://localhost/sarraf"
    },
    {
      PORT: "65536",
      SARRAF_RATE_LIMIT_BURST: "many",
      SARRAF_WEBHOOK_ALLOW_PRIVATE: "perhaps",
      SARRAF_MCP_URL: "ftp://x"
    }
  ]
  for (const variables of wrong) {
    it(`is named in a sentence, with all others: ${Object.keys(variables).join(", ")}`, async () => {
      const output = await assertRefused(variables)
      for (const name of Object.keys(variables))
        assert.lengthOf(output.match(new RegExp(`${name} `, "g")) ?? [], 1, name)
    })
  }

  it("is not repeated where it may be a secret", async () => {
    const secrets = {
      SARRAF_ENCRYPTION_KEY: "almost-a-key",
      DATABASE_URL: "ftp://sarraf:hunter2secret@127.0.0.1/sarraf"
    }
    const output = await assertRefused(secrets, ...Object.keys(secrets))
    for (const secret of ["almost-a-key", "hunter2secret"]) assert.notInclude(output, secret)
  })
})

describe("A refusal to start", () => {
  const refusals = {
    "a wrong value": { PORT: "eighty" },
    "an address that is not this machine's": { HOST: "192.0.2.1" },
    "a database that is not there": { DATABASE_URL: "postgres://sarraf:hunter2secret@127.0.0.1:1/sarraf" }
  }
  for (const [reason, variables] of Object.entries<Variables>(refusals)) {
    describe(`for ${reason}`, () => {
      let output = ""
      beforeAll(async () => {
        output = await assertRefused(variables)
      })

      it("is a sentence for a person, without a trace of the program", () => {
        assert.notMatch(output, /\bat (\S+ )?\(?(file|node):/)
      })

      it("is a line of JSON where nobody looks at a terminal", () => {
        const lines = output.split("\n").filter((line) => line !== "")
        assert.isNotEmpty(lines)
        for (const line of lines) assert.isObject(JSON.parse(line), line)
      })

      it("tells no password", () => {
        assert.notInclude(output, "hunter2secret")
      })
    })
  }

  it("names the database where that is the reason", async () => {
    await assertRefused(refusals["a database that is not there"], /database/i, "DATABASE_URL")
  })
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
