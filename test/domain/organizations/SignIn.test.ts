import { assert, describe, it } from "@effect/vitest"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Passwords } from "@sarraf/domain/organizations/Passwords"
import { type Membership, People, type Person } from "@sarraf/domain/organizations/People"
import { SecondFactors } from "@sarraf/domain/organizations/SecondFactors"
import { SecretTokens } from "@sarraf/domain/organizations/SecretTokens"
import { SessionStore } from "@sarraf/domain/organizations/SessionStore"
import { SignIn, type SignInAttempt } from "@sarraf/domain/organizations/SignIn"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer, Redacted } from "effect"

const person = (id: string, changes: Partial<Person> = {}): Person => ({
  id,
  email: `${id}@example.com`,
  name: id,
  passwordHash: Redacted.make("hash of right password"),
  secondFactor: null,
  pendingSecondFactor: null,
  lastOrganizationId: null,
  ...changes
})

const membership = (organizationId: string, changes: Partial<Membership> = {}): Membership => ({
  organizationId,
  organizationName: organizationId,
  baseCurrency: "TRY",
  timezone: "Europe/Istanbul",
  isSandbox: true,
  requiresSecondFactor: false,
  role: "MEMBER",
  status: "ACTIVE",
  name: "Name",
  ...changes
})

interface Account {
  readonly person: Person
  readonly memberships: ReadonlyArray<Membership>
}

const accounts: ReadonlyArray<Account> = [
  { person: person("plain"), memberships: [membership("org_1"), membership("org_2")] },
  { person: person("again", { lastOrganizationId: "org_2" }), memberships: [membership("org_1"), membership("org_2")] },
  { person: person("waiting", { passwordHash: null }), memberships: [membership("org_1", { status: "INVITED" })] },
  { person: person("left"), memberships: [membership("org_1", { status: "INACTIVE" })] },
  { person: person("live"), memberships: [membership("org_1", { isSandbox: false })] },
  { person: person("factor", { secondFactor: "sealed" }), memberships: [membership("org_1")] },
  { person: person("demanded"), memberships: [membership("org_1", { requiresSecondFactor: true })] }
]

/** Ports that count what was asked of them. */
const ports = (isPasswordChanged = false) => {
  const count = { verified: 0, looked: 0, begun: 0, entries: [] as string[] }
  const find = (matches: (one: Person) => boolean) => accounts.find((account) => matches(account.person))
  const layer = Layer.mergeAll(
    Layer.mock(People, {
      findByEmail: (email) =>
        Effect.sync(() => {
          count.looked++
          return find((one) => one.email === email)?.person
        }),
      find: (id) => Effect.sync(() => find((one) => one.id === id)?.person),
      memberships: (id) => Effect.sync(() => find((one) => one.id === id)?.memberships ?? []),
      noteSignIn: () => Effect.succeed(!isPasswordChanged),
      spendStep: (_, step) => Effect.succeed(step > 10)
    }),
    Layer.mock(Passwords, {
      verify: (password, hash) =>
        Effect.sync(() => {
          count.verified++
          return hash !== null && Redacted.value(hash) === `hash of ${Redacted.value(password)}`
        })
    }),
    Layer.mock(SecondFactors, {
      stepOf: ({ code }) => Effect.succeed({ "000011": 11, "000010": 10 }[Redacted.value(code)])
    }),
    Layer.mock(SessionStore, { insert: () => Effect.sync(() => void count.begun++) }),
    Layer.mock(AuditTrail, { append: ({ action }) => Effect.sync(() => void count.entries.push(action)) }),
    Layer.mock(Identifiers, { next: (prefix) => Effect.succeed(`${prefix}_1`) }),
    Layer.succeed(SecretTokens, { next: (prefix) => Effect.succeed(Redacted.make(`${prefix}_token`)) }),
    Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect })
  )
  return { count, layer }
}

const attempt = (id: string, changes: Partial<SignInAttempt> = {}): SignInAttempt => ({
  email: `${id}@example.com`,
  password: Redacted.make("right password"),
  organizationId: undefined,
  code: undefined,
  livemode: false,
  userAgent: null,
  ...changes
})

const signIn = (asked: SignInAttempt, { layer } = ports()) =>
  Effect.flatMap(SignIn, (way) => way.signIn(asked)).pipe(Effect.provide(Layer.provide(SignIn.layer, layer)))

const refusalOf = (asked: SignInAttempt, of = ports()) =>
  Effect.map(Effect.flip(signIn(asked, of)), (error) => (error._tag === "SignInRefused" ? error.reason : error._tag))

const wrong = { password: Redacted.make("wrong") }

describe("A sign-in", () => {
  it.effect("is refused alike, after the same work, whatever is not right", () =>
    Effect.gen(function* () {
      const refused = [
        attempt("nobody"),
        attempt("plain", wrong),
        attempt("waiting"),
        attempt("left"),
        attempt("live"),
        attempt("plain", { livemode: true }),
        attempt("plain", { organizationId: "org_3" }),
        attempt("factor", wrong)
      ]
      for (const asked of refused) {
        const of = ports()
        assert.strictEqual(yield* refusalOf(asked, of), "credentials", asked.email)
        const { begun, entries, looked, verified } = of.count
        assert.deepStrictEqual({ begun, entries, looked, verified }, { begun: 0, entries: [], looked: 1, verified: 1 })
      }
    })
  )

  it.effect("finds the person by the address in whatever case, and is recorded", () =>
    Effect.gen(function* () {
      const of = ports()
      const begun = yield* signIn(attempt("plain", { email: " Plain@EXAMPLE.com " }), of)
      assert.strictEqual(begun.person.id, "plain")
      assert.deepStrictEqual(of.count.entries, ["session.begun"])
    })
  )

  it.effect("leads to the organization that is asked for, else to the one used last, else to the first", () =>
    Effect.gen(function* () {
      const chosen = (id: string, organizationId?: string) =>
        Effect.map(signIn(attempt(id, { organizationId })), ({ membership }) => membership.organizationId)
      assert.strictEqual(yield* chosen("plain"), "org_1")
      assert.strictEqual(yield* chosen("plain", "org_2"), "org_2")
      assert.strictEqual(yield* chosen("again"), "org_2")
      assert.strictEqual(yield* chosen("again", "org_1"), "org_1")
    })
  )

  it.effect("with a second factor takes a code that is right and was not used", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusalOf(attempt("factor")), "codeMissing")
      assert.strictEqual(yield* refusalOf(attempt("factor", { code: Redacted.make("123456") })), "codeWrong")
      assert.strictEqual(yield* refusalOf(attempt("factor", { code: Redacted.make("000010") })), "codeWrong")
      const begun = yield* signIn(attempt("factor", { code: Redacted.make("000011") }))
      assert.isFalse(begun.mustEnrol)
    })
  )

  it.effect("to an organization that demands a second factor opens nothing but its enrolment without one", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* signIn(attempt("demanded"))).mustEnrol)
      assert.isFalse((yield* signIn(attempt("plain"))).mustEnrol)
    })
  )

  it.effect("is refused where the password was changed after it was compared", () =>
    Effect.gen(function* () {
      const of = ports(true)
      assert.strictEqual(yield* refusalOf(attempt("plain"), of), "credentials")
      assert.strictEqual(of.count.begun, 0)
    })
  )
})

/** The steps by which somebody is let in without a session. */
const stepping = <A, E>(step: (ways: SignIn["Service"]) => Effect.Effect<A, E>, { layer } = ports()) =>
  Effect.flatMap(SignIn, step).pipe(Effect.provide(Layer.provide(SignIn.layer, layer)))

describe("A sign-in without a session", () => {
  it.effect("compares the password with the same refusals, and begins nothing", () =>
    Effect.gen(function* () {
      for (const asked of [
        attempt("nobody"),
        attempt("plain", wrong),
        attempt("waiting"),
        attempt("left"),
        attempt("live")
      ]) {
        const of = ports()
        const refusal = yield* Effect.flip(stepping(({ comparePassword }) => comparePassword(asked), of))
        assert.deepInclude(refusal, { _tag: "SignInRefused", reason: "credentials" }, asked.email)
        assert.strictEqual(of.count.verified, 1)
      }
      const of = ports()
      const known = yield* stepping(({ comparePassword }) => comparePassword(attempt("factor")), of)
      assert.strictEqual(known.person.id, "factor")
      assert.deepStrictEqual(
        known.memberships.map(({ organizationId }) => organizationId),
        ["org_1"]
      )
      assert.deepStrictEqual([of.count.begun, of.count.entries], [0, []])
    })
  )

  it.effect("takes a code that is right and was not used, and none of who has no second factor", () =>
    Effect.gen(function* () {
      const given = (one: Person, code: string) =>
        stepping(({ compareCode }) => compareCode(one, Redacted.make(code))).pipe(
          Effect.match({
            onSuccess: () => "right",
            onFailure: (error) => ("reason" in error ? error.reason : error._tag)
          })
        )
      const withFactor = person("factor", { secondFactor: "sealed" })
      assert.strictEqual(yield* given(withFactor, "123456"), "codeWrong")
      assert.strictEqual(yield* given(withFactor, "000010"), "codeWrong")
      assert.strictEqual(yield* given(withFactor, "000011"), "right")
      assert.strictEqual(yield* given(person("plain"), "000011"), "credentials")
    })
  )

  it.effect("knows later who it was, as long as they can sign in anywhere", () =>
    Effect.gen(function* () {
      const idOf = (id: string, livemode = false) =>
        Effect.map(
          stepping(({ find }) => find(id, livemode)),
          (known) => known?.person.id
        )
      assert.strictEqual(yield* idOf("plain"), "plain")
      assert.isUndefined(yield* idOf("plain", true))
      assert.isUndefined(yield* idOf("left"))
      assert.isUndefined(yield* idOf("nobody"))
    })
  )
})
