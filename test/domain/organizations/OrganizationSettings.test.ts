import { assert, describe, it } from "@effect/vitest"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { OrganizationSettings, verificationTransitions } from "@sarraf/domain/organizations/OrganizationSettings"
import { OrganizationSettingsStore } from "@sarraf/domain/organizations/OrganizationSettingsStore"
import { type Organization, Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer, Schema, Struct } from "effect"
import { sampleOrganization } from "./support/SampleOrganization.ts"

const shop = sampleOrganization({ verification: "UNVERIFIED" })

/** The settings of one organization that is kept in memory; what was recorded is collected. */
const settingsOf = (organization: Organization) => {
  let present = organization
  const recorded: Array<string> = []
  const ports = Layer.mergeAll(
    Layer.mock(Organizations, {
      current: Effect.sync(() => present),
      save: (_, after) =>
        Effect.sync(() => {
          present = after
          return true
        })
    }),
    Layer.mock(OrganizationSettingsStore, {
      lock: Effect.sync(() => present),
      hasExpenses: Effect.succeed(false),
      submit: () => Effect.void,
      forgetRemembered: Effect.void
    }),
    Layer.mock(AuditTrail, { append: ({ action }) => Effect.sync(() => void recorded.push(action)) }),
    Layer.mock(UnitOfWork, { run: (effect) => effect })
  )
  return { layer: Layer.provide(OrganizationSettings.layer, ports), recorded }
}

const caller = Layer.succeed(Caller, {
  organizationId: "org_1",
  role: "ADMIN",
  name: "user:usr_1",
  kind: "user",
  userId: "usr_1",
  createdBy: null
})

const Verification = Schema.Literals(Struct.keys(verificationTransitions))
const Command = Schema.Literals(["submit", "verify", "reject"])
const business = { legalName: "Shop A.Ş.", registrationNumber: "1", country: "TR", website: null }

describe("The verification of a business", () => {
  it.effect.prop(
    "moves on exactly where its table says so, and each move is recorded",
    [Verification, Command],
    ([verification, command]) => {
      const { layer, recorded } = settingsOf({ ...shop, verification })
      return Effect.gen(function* () {
        const settings = yield* OrganizationSettings
        const done = yield* Effect.result(
          command === "submit" ? settings.submit(business) : settings.decide(command, "because")
        )
        const commands: Readonly<Record<string, string>> = verificationTransitions[verification]
        if (done._tag === "Success") {
          assert.strictEqual(done.success.verification, commands[command])
          assert.lengthOf(recorded, 1)
        } else {
          assert.notProperty(commands, command)
          assert.deepInclude(done.failure, { _tag: "StateRefused", status: verification })
          assert.deepStrictEqual(recorded, [])
        }
      }).pipe(Effect.provide([layer, caller]))
    }
  )
})

describe("Allowed origins", () => {
  const faults = (origins: ReadonlyArray<string>, livemode: boolean) =>
    Effect.gen(function* () {
      const settings = yield* OrganizationSettings
      const changed = yield* Effect.result(
        settings.change({ allowedOrigins: origins }, { expected: undefined, livemode })
      )
      if (changed._tag === "Success") return []
      return changed.failure._tag === "InvalidFields" ? changed.failure.faults.map(({ path }) => path) : ["else"]
    }).pipe(Effect.provide([settingsOf(shop).layer, caller]))

  it.effect("are https, and http://localhost in TEST mode alone", () =>
    Effect.gen(function* () {
      const origins = ["https://app.example.com", "https://[::1]:8443", "http://localhost:5173", "http://localhost"]
      assert.deepStrictEqual(yield* faults(origins, false), [])
      assert.deepStrictEqual(yield* faults(origins, true), ["allowed_origins[2]", "allowed_origins[3]"])
      for (const origin of [
        "http://localhost.evil.example",
        "http://app.example.com",
        "https://app.example.com/",
        "https://user@app.example.com",
        "https://*.example.com",
        "null",
        "*",
        ""
      ]) {
        assert.deepStrictEqual(yield* faults([origin], false), ["allowed_origins[0]"], origin)
      }
      const many = Array.from({ length: 51 }, (_, number) => `https://a${number}.example.com`)
      assert.deepStrictEqual(yield* faults(many, true), ["allowed_origins"])
    })
  )
})
