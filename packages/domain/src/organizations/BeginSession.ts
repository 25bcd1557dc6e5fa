import { Clock, Effect, type Redacted, Schema } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Instant } from "../time/Instant.ts"
import { Caller } from "./Caller.ts"
import { type Membership, People, type Person } from "./People.ts"
import { RequestOrigin } from "./RequestOrigin.ts"
import { SecondFactors } from "./SecondFactors.ts"
import { SecretTokens } from "./SecretTokens.ts"
import { mustEnrol, SessionStore, sessionMillisMax } from "./SessionStore.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/**
 * Nobody is signed in. `credentials`: the account, its password or its organization is not right, which look alike on
 * purpose; `codeMissing`, `codeWrong`: the password is right and the second factor is not; `codesSpent`: nor is it looked
 * at, since there were too many wrong codes.
 */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  reason: Schema.Literals(["credentials", "codeMissing", "codeWrong", "codesSpent"])
}) {}

/** A session that was just begun; its token is shown once. */
export interface BegunSession {
  readonly id: string
  readonly token: Redacted.Redacted<string>
  readonly expiresAt: Instant
  readonly person: Person
  readonly membership: Membership
  /** Every organization that the person can sign in to. */
  readonly memberships: ReadonlyArray<Membership>
  /** It can do nothing but set a second factor up. */
  readonly mustEnrol: boolean
}

/** Who acts when a person does in one of their organizations. */
export const personAsCaller = (personId: string, { organizationId, role }: Membership): Caller["Service"] => ({
  organizationId,
  role,
  name: `user:${personId}`,
  kind: "user",
  userId: personId,
  createdBy: null
})

/** Those that the person can sign in to: of this mode, and not waiting for an acceptance or left. */
export const openMemberships = (
  memberships: ReadonlyArray<Membership>,
  isSandbox: boolean
): ReadonlyArray<Membership> =>
  memberships.filter((membership) => membership.status === "ACTIVE" && membership.isSandbox === isSandbox)

/** A header, cut to what is worth keeping. */
const userAgentLengthMax = 200

interface Beginning {
  readonly person: Person
  readonly membership: Membership
  readonly memberships: ReadonlyArray<Membership>
  readonly code: Redacted.Redacted<string> | undefined
  readonly userAgent: string | null
}

/** Begins sessions of persons whose password was compared: the second factor, the row, and what the audit trail says. */
export const makeBeginSession = Effect.gen(function* () {
  const units = yield* UnitOfWork
  const people = yield* People
  const sessions = yield* SessionStore
  const factors = yield* SecondFactors
  const tokens = yield* SecretTokens
  const identifiers = yield* Identifiers
  const trail = yield* AuditTrail

  /** The step of the code where the person has a second factor; undefined where there is none to check. */
  const checkCode = Effect.fnUntraced(function* (person: Person, code: Redacted.Redacted<string> | undefined) {
    if (person.secondFactor === null) return undefined
    if (code === undefined) return yield* new SignInRefused({ reason: "codeMissing" })
    const step = yield* Effect.catchTag(
      factors.stepOf({ personId: person.id, sealed: person.secondFactor, code }),
      "CodesSpent",
      () => Effect.fail(new SignInRefused({ reason: "codesSpent" }))
    )
    return step ?? (yield* new SignInRefused({ reason: "codeWrong" }))
  })

  /** For who is let in without a session. Without a second factor there is nothing that a code could show. */
  const spendCode = Effect.fn("BeginSession.spendCode")(function* (person: Person, code: Redacted.Redacted<string>) {
    const step = yield* checkCode(person, code)
    if (step === undefined) return yield* new SignInRefused({ reason: "credentials" })
    if (!(yield* people.spendStep(person.id, step))) return yield* new SignInRefused({ reason: "codeWrong" })
  })

  const insert = Effect.fnUntraced(function* (
    { membership, memberships, person, userAgent }: Beginning,
    step: number | undefined
  ) {
    // A password that was changed after it was compared opens nothing any more.
    if (!(yield* people.noteSignIn(person, membership.organizationId))) {
      return yield* new SignInRefused({ reason: "credentials" })
    }
    if (step !== undefined && !(yield* people.spendStep(person.id, step))) {
      return yield* new SignInRefused({ reason: "codeWrong" })
    }
    const at = yield* Clock.currentTimeMillis
    const id = yield* identifiers.next("ses")
    const token = yield* tokens.next("sess")
    const { address } = yield* RequestOrigin
    const expiresAt = at + sessionMillisMax
    yield* sessions.insert(token, {
      id,
      userId: person.id,
      createdAt: at,
      lastUsedAt: at,
      expiresAt,
      address,
      userAgent: userAgent?.slice(0, userAgentLengthMax) ?? null
    })
    yield* trail.append({
      action: "session.begun",
      subject: { type: "session", id },
      detail: { user_id: person.id, second_factor: step !== undefined }
    })
    const hasSecondFactor = person.secondFactor !== null
    return {
      id,
      token,
      expiresAt,
      person,
      membership,
      memberships,
      mustEnrol: mustEnrol({ hasSecondFactor, membership })
    }
  })

  const begin = (beginning: Beginning): Effect.Effect<BegunSession, SignInRefused | Unavailable> =>
    Effect.flatMap(checkCode(beginning.person, beginning.code), (step) => units.run(insert(beginning, step))).pipe(
      Effect.provideService(Caller, personAsCaller(beginning.person.id, beginning.membership))
    )
  return { begin, spendCode }
})
