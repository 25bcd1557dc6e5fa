import { assert, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { type Bearer, bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { runCommand } from "./support/command.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** An organization's settings, the verification of its business, and what its operator does from the command line. */

// Without the demo year: what is there is what these tests made.
const service = useService()

/** Each command is a program of its own, which takes a second or two, and more on a busy machine. */
const commandsMillisMax = 120_000

const client = makeClient(service)
const owner = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")
const path = "/api/organization"

interface Organization {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly base_currency: string
  readonly timezone: string
  readonly verification: string
  readonly allowed_origins: ReadonlyArray<string>
}
interface AuditEntry {
  readonly actor: string
  readonly action: string
  readonly address: string | null
  readonly subject: { readonly type: string; readonly id: string }
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly detail: Readonly<Record<string, unknown>>
}

const present = async (as: Bearer = owner) => bodyOf<Organization>(await as("GET", path))
const lastEntry = async (as: Bearer = owner) => {
  const [entry] = rowsOf<AuditEntry>(await as("GET", "/api/audit?limit=1&subject_type=organization"))
  return entry ?? assert.fail("nothing was recorded")
}

describe("The organization", () => {
  it("is read by everybody in it, with its version as ETag", async () => {
    for (const role of ["owner", "admin", "approver", "member", "auditor"]) {
      const answer = await bearerOf(client, await signIn(client, `${role}@sandbox.test`))("GET", path)
      const { id, version } = bodyOf<Organization>(answer)
      assert.strictEqual(id, "org_01kd8z0000e0080000000000s1")
      assert.strictEqual(answer.headers.get("etag"), `"${version}"`)
    }
    assert.strictEqual((await present(other)).id, "org_01kd8z0000e0080000000000s2")
  })

  it("is changed by an ADMIN or OWNER alone, field by field, and the change is recorded with before and after", async () => {
    const before = await present()
    for (const role of ["approver", "member", "auditor"]) {
      const as = bearerOf(client, await signIn(client, `${role}@sandbox.test`))
      problemOf(await as("PATCH", path, { name: "Theirs" }), 403, "FORBIDDEN")
      problemOf(await as("POST", `${path}/verification`, {}), 400, "INVALID_REQUEST")
    }
    const admin = bearerOf(client, await signIn(client, "admin@sandbox.test"))
    const answer = await admin("PATCH", path, {
      name: "Renamed",
      timezone: "Europe/Berlin",
      sole_owner_may_approve: true,
      allowed_origins: ["https://app.example.com", "http://localhost:3000"],
      color: "red"
    })
    const after = bodyOf<Organization & { readonly warnings: ReadonlyArray<{ readonly path: string }> }>(answer)
    assert.deepInclude(after, { name: "Renamed", timezone: "Europe/Berlin", version: before.version + 1 })
    assert.deepStrictEqual(
      after.warnings.map((warning) => warning.path),
      ["color"]
    )
    const entry = await lastEntry()
    assert.match(entry.actor, /^user:usr_/u)
    assert.deepInclude(entry, {
      action: "organization.changed",
      address: "127.0.0.1",
      subject: { type: "organization", id: before.id },
      before: { name: before.name, timezone: before.timezone, sole_owner_may_approve: false, allowed_origins: [] },
      after: {
        name: "Renamed",
        timezone: "Europe/Berlin",
        sole_owner_may_approve: true,
        allowed_origins: ["https://app.example.com", "http://localhost:3000"]
      }
    })
    assert.strictEqual((await present(other)).name, "Other sandbox")
  })

  it("keeps its version and records nothing where nothing changes", async () => {
    const { name, version } = await present()
    const entry = await lastEntry()
    assert.strictEqual(bodyOf<Organization>(await owner("PATCH", path, { name, color: null })).version, version)
    assert.deepStrictEqual(await lastEntry(), entry)
  })

  it("is changed by one of two who read the same version", async () => {
    const { version } = await present()
    const ifMatch = { "if-match": `"${version}"` }
    const both = await Promise.all(["One", "Two"].map((name) => owner("PATCH", path, { name }, ifMatch)))
    assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 412])
    problemOf(await owner("PATCH", path, { name: "Three" }, ifMatch), 412, "VERSION_CONFLICT")
  })

  it("refuses what cannot be, all of it at once, and changes nothing", async () => {
    const before = await present()
    assert.deepStrictEqual(
      faultPaths(
        await owner("PATCH", path, {
          name: "",
          base_currency: "XXY",
          allowed_origins: ["app.example.com", "https://a.example/b"]
        })
      ),
      ["allowed_origins[0]", "allowed_origins[1]", "base_currency", "name"]
    )
    assert.deepStrictEqual(
      faultPaths(
        await owner("PATCH", path, {
          timezone: "Mars/Olympus",
          allowed_origins: ["http://shop.example.com", "ftp://a.example"]
        })
      ),
      ["allowed_origins[0]", "allowed_origins[1]", "timezone"]
    )
    assert.deepStrictEqual(await present(), before)
  })

  it("keeps its base currency once there are expenses", async () => {
    assert.strictEqual(bodyOf<Organization>(await other("PATCH", path, { base_currency: "EUR" })).base_currency, "EUR")
    bodyOf(await other("PATCH", path, { base_currency: "TRY" }))
    bodyOf(await other("POST", "/api/expenses", { amount: 10, currency: "TRY", merchant: "Kiosk" }), 201)
    const { detail } = problemOf(await other("PATCH", path, { base_currency: "EUR" }), 409, "INVALID_STATE")
    assert.include(detail, "once there are expenses")
    bodyOf(await other("PATCH", path, { base_currency: "TRY", name: "Other sandbox" }))
  })

  it("that is verified submits nothing for verification", async () => {
    const business = { legal_name: "Sandbox A.Ş.", registration_number: "123", country: "TUR" }
    problemOf(await owner("POST", `${path}/verification`, business), 409, "INVALID_STATE")
    assert.deepStrictEqual(
      faultPaths(await owner("POST", `${path}/verification`, { country: "Atlantis", website: "x" })),
      ["country", "legal_name", "registration_number", "website"]
    )
  })
})

describe("The operator", () => {
  const admin = (...args: ReadonlyArray<string>) => runCommand("admin", service().folder, args)
  const sandboxId = "org_01kd8z0000e0080000000000s1"
  const business = {
    legal_name: "Sandbox A.Ş.",
    registration_number: "123-4",
    country: "tr",
    website: "https://sandbox.test"
  }

  it(
    "rejects and verifies a business, with a reason; the organization may submit again in between",
    async () => {
      const rejected = await admin(
        "verify",
        sandboxId,
        "--as",
        "rejected",
        "--reason",
        "The register does not know it."
      )
      assert.deepInclude(rejected, { exitCode: 0 })
      assert.strictEqual((await present()).verification, "REJECTED")
      assert.deepInclude(await lastEntry(), {
        actor: "operator",
        action: "organization.verification_decided",
        address: null,
        before: { verification: "VERIFIED" },
        after: { verification: "REJECTED" },
        detail: { reason: "The register does not know it." }
      })
      const again = await admin("verify", sandboxId, "--as", "rejected", "--reason", "Twice")
      assert.strictEqual(again.exitCode, 1)
      assert.include(again.output, "REJECTED")
      const submitted = bodyOf<Organization>(await owner("POST", `${path}/verification`, business))
      assert.strictEqual(submitted.verification, "PENDING")
      assert.deepInclude((await lastEntry()).detail, { ...business, country: "TR" })
      assert.include((await admin("organizations")).output, "Sandbox A.Ş., 123-4, TR, https://sandbox.test")
      problemOf(await owner("POST", `${path}/verification`, business), 409, "INVALID_STATE")
      await admin("verify", sandboxId, "--as", "verified", "--reason", "Seen in the register.")
      assert.strictEqual((await present()).verification, "VERIFIED")
    },
    commandsMillisMax
  )

  it(
    "makes an organization with a one-time link for its OWNER, all of it or nothing",
    async () => {
      const made = await admin(
        ...["create-organization", "--name", "Acme", "--currency", "EUR", "--timezone", "Europe/Berlin"],
        ...["--owner-email", "Founder@acme.example", "--owner-name", "Founder"]
      )
      assert.strictEqual(made.exitCode, 0, made.output)
      const [, id] = /(org_[0-7][0-9a-hjkmnp-tv-z]{25})/u.exec(made.output) ?? []
      assert.match(made.output, /founder@acme\.example signs up/u)
      assert.match(made.output, /\/account\/acct_[\w-]{43}\n/u)
      const organizations = (await admin("organizations")).output
      assert.include(organizations, `${id}  live  UNVERIFIED  Acme`)
      const refused = await admin(
        ...[
          "create-organization",
          "--name",
          "Bcme",
          "--currency",
          "EURO",
          "--timezone",
          "Mars",
          "--owner-email",
          "nobody"
        ]
      )
      assert.strictEqual(refused.exitCode, 1)
      for (const word of ["currency", "timezone", "owner-email"]) assert.include(refused.output, word)
      assert.strictEqual((await admin("organizations")).output, organizations)
    },
    commandsMillisMax
  )

  it(
    "is told what is wrong with a command",
    async () => {
      for (const args of [
        ["verify", "org_nobody", "--as", "verified", "--reason", "a"],
        ["verify", sandboxId, "--as", "perhaps", "--reason", "a"],
        ["verify", sandboxId, "--as", "verified"],
        ["destroy"],
        ["--no-such-option"]
      ]) {
        const { exitCode, output } = await admin(...args)
        assert.strictEqual(exitCode, 1, output)
        assert.notMatch(output, /\.ts:\d+/u)
      }
      assert.include((await admin("--help")).output, "create-organization")
    },
    commandsMillisMax
  )

  it(
    "makes and rotates gateway clients, audited as operator",
    async () => {
      const clients = (...args: ReadonlyArray<string>) => runCommand("clients", service().folder, args)
      const made = await clients("create", sandboxId, "counter")
      const [secret] = /sec_[\w-]{43}/u.exec(made.output) ?? []
      assert.isDefined(secret, made.output)
      const counter = makeClient(service, { clientId: "counter", secret: secret ?? "" })
      assert.strictEqual((await counter.list()).status, 200)
      const rotated = await clients("rotate", "counter", "--keep-hours", "1")
      assert.include(rotated.output, "counter, secret 2")
      assert.strictEqual((await clients("retire", "counter", "1")).exitCode, 0)
      assert.include((await clients("list")).output, `${sandboxId}  counter  secret 2`)
      for (const args of [
        ["create", sandboxId, "counter"],
        ["create", "org_nobody", "a"],
        ["rotate", "nobody"],
        ["retire", "counter", "1"]
      ]) {
        assert.strictEqual((await clients(...args)).exitCode, 1, args.join(" "))
      }
      const entries = rowsOf<AuditEntry>(await owner("GET", "/api/audit?subject_id=counter"))
      assert.deepStrictEqual(
        entries.map(({ action, actor }) => [actor, action]),
        ["secret_retired", "rotated", "created"].map((what) => ["operator", `payment_client.${what}`])
      )
    },
    commandsMillisMax
  )
})
