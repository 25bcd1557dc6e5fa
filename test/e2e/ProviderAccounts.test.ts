import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { refusedStart, type Variables } from "./support/Service.ts"

const program = fileURLToPath(new URL("../../packages/runtime-http/src/providers.ts", import.meta.url))
const live = { SARRAF_MODE: "live", SARRAF_ENCRYPTION_KEY: randomBytes(32).toString("base64") }
const secret = "sk_live_thisIsSecret"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sarraf-accounts-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const accounts = async (content: unknown): Promise<Variables> => {
  const file = join(folder, "providers.json")
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content))
  return { ...live, SARRAF_PROVIDERS_FILE: file }
}

/** `npm run providers`, where no service runs. */
const providers = async (variables: Variables = {}) => {
  const env = { PATH: process.env.PATH ?? "", PORT: "1", SARRAF_DATA_DIR: folder, ...variables }
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  return stdout.split("\n")
}

describe("The accounts of live mode", () => {
  it("keep the service from starting while a field is missing or wrong, and every fault is named at once", async () => {
    const { exitCode, output } = await refusedStart(
      await accounts({
        stripe: { secretKey: secret, acountId: "acct_1" },
        isbank: { clientId: "700655000200", name: "" },
        nobody: {}
      })
    )
    assert.notStrictEqual(exitCode, 0)
    for (const fault of [
      "stripe.acountId",
      "isbank.name",
      "isbank.password is required",
      "isbank.storeKey",
      "nobody"
    ]) {
      assert.include(output, fault)
    }
    assert.notInclude(output, secret)
  })

  it("are refused where card data would go unencrypted", async () => {
    const { exitCode, output } = await refusedStart(
      await accounts({
        isbank: {
          clientId: "700655000200",
          name: "api",
          password: "p",
          storeKey: "k",
          apiUrl: "http://sanalpos.isbank.com.tr/fim/api"
        }
      })
    )
    assert.notStrictEqual(exitCode, 0)
    assert.include(output, "isbank.apiUrl must begin with https://")
  })

  for (const [name, content] of [
    ["is not JSON", "stripe: sk_live"],
    ["is no object", "[]"]
  ] as const) {
    it(`are refused where the file ${name}`, async () => {
      const { exitCode, output } = await refusedStart(await accounts(content))
      assert.notStrictEqual(exitCode, 0)
      assert.include(output, "SARRAF_PROVIDERS_FILE is no JSON object")
    })
  }

  it("are refused where there is no such file", async () => {
    const { exitCode, output } = await refusedStart({ ...live, SARRAF_PROVIDERS_FILE: join(folder, "nowhere.json") })
    assert.notStrictEqual(exitCode, 0)
    assert.match(output, /SARRAF_PROVIDERS_FILE names a file that cannot be read \(ENOENT\)/u)
  })
})

describe("npm run providers", () => {
  it("lists every provider with what it can do, in the sandbox", async () => {
    const [head = "", ...rows] = await providers()
    for (const column of [
      "PROVIDER",
      "PROTOCOL",
      "CURRENCIES",
      "3DS",
      "INSTALLMENTS",
      "PARTIAL CAPTURE",
      "STATUS",
      "HEALTH"
    ]) {
      assert.include(head, column)
    }
    const row = (id: string) => rows.find((one) => one.startsWith(`${id} `)) ?? ""
    assert.match(row("isbank"), /NestPay XML .* form .* TRY to 12 .* once .* sandbox/u)
    assert.match(row("stripe"), /USD EUR GBP AED .* redirect .* no .* once .* sandbox/u)
    for (const id of [
      "halkbank",
      "ziraat",
      "teb",
      "sekerbank",
      "garanti",
      "iyzico",
      "network-international",
      "adyen"
    ]) {
      assert.include(row(id), "sandbox", id)
    }
  })

  it("says in live mode which are configured", async () => {
    const rows = await providers(await accounts({ stripe: { secretKey: secret } }))
    assert.include(rows.find((one) => one.startsWith("stripe ")) ?? "", " live ")
    assert.include(rows.find((one) => one.startsWith("isbank ")) ?? "", "not configured")
    assert.notInclude(rows.join("\n"), secret)
  })
})
