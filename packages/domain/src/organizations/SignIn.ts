import { Context, Effect, Layer, type Redacted } from "effect"
import type { AuditTrail } from "../audit/AuditTrail.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Identifiers } from "../identifiers/TypeId.ts"
import { type BegunSession, makeBeginSession, openMemberships, SignInRefused } from "./BeginSession.ts"
import { Passwords } from "./Passwords.ts"
import { type Membership, People, type Person } from "./People.ts"
import type { SecondFactors } from "./SecondFactors.ts"
import type { SecretTokens } from "./SecretTokens.ts"
import type { SessionStore } from "./SessionStore.ts"
import type { UnitOfWork } from "./UnitOfWork.ts"

/** What somebody says to be let in. */
export interface SignInAttempt {
  readonly email: string
  readonly password: Redacted.Redacted<string>
  /** One of the person's organizations; by default the one that they used last, else their first. */
  readonly organizationId: string | undefined
  /** Of the second factor. */
  readonly code: Redacted.Redacted<string> | undefined
  /** Live mode does not know the persons of sandboxes, and the other way round. */
  readonly livemode: boolean
  readonly userAgent: string | null
}

/** A person, and every organization that they can sign in to. */
export interface KnownPerson {
  readonly person: Person
  readonly memberships: ReadonlyArray<Membership>
}

/** What begins a session. */
export type SessionBeginning =
  | AuditTrail
  | Identifiers
  | Passwords
  | People
  | SecondFactors
  | SecretTokens
  | SessionStore
  | UnitOfWork

/** The organization that was asked for, or the usual one; undefined: none that the person can sign in to. */
export const chooseMembership = (
  open: ReadonlyArray<Membership>,
  asked: string | undefined,
  last: string | null
): Membership | undefined => {
  const named = (id: string | null) => open.find(({ organizationId }) => organizationId === id)
  return asked === undefined ? (named(last) ?? open[0]) : named(asked)
}

/** Driving port: a person's way in (contract section 3). */
export class SignIn extends Context.Service<
  SignIn,
  {
    /** The same work and the same refusal, whether the account is not there or its password is another. */
    signIn(attempt: SignInAttempt): Effect.Effect<BegunSession, SignInRefused | Unavailable>
    /** The first of the two steps without a session; who has a second factor is let in after `compareCode` alone. */
    comparePassword(
      attempt: Pick<SignInAttempt, "email" | "livemode" | "password">
    ): Effect.Effect<KnownPerson, SignInRefused | Unavailable>
    /** The second step; a code counts once. */
    compareCode(person: Person, code: Redacted.Redacted<string>): Effect.Effect<void, SignInRefused | Unavailable>
    /** A person as they are now; undefined for one who cannot sign in anywhere any more. */
    find(personId: string, livemode: boolean): Effect.Effect<KnownPerson | undefined, Unavailable>
  }
>()("@sarraf/domain/organizations/SignIn") {
  static readonly layer: Layer.Layer<SignIn, never, SessionBeginning> = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const people = yield* People
      const passwords = yield* Passwords
      const { begin, spendCode } = yield* makeBeginSession

      const openTo = (person: Person, livemode: boolean) =>
        Effect.map(people.memberships(person.id), (all) => openMemberships(all, !livemode))

      const comparePassword = Effect.fn("SignIn.comparePassword")(function* ({
        email,
        livemode,
        password
      }: Pick<SignInAttempt, "email" | "livemode" | "password">) {
        const person = yield* people.findByEmail(email.trim().toLowerCase())
        const isRight = yield* passwords.verify(password, person?.passwordHash ?? null)
        if (person === undefined || !isRight) return yield* new SignInRefused({ reason: "credentials" })
        const memberships = yield* openTo(person, livemode)
        if (memberships.length === 0) return yield* new SignInRefused({ reason: "credentials" })
        return { person, memberships }
      })

      return SignIn.of({
        signIn: Effect.fn("SignIn.signIn")(function* (attempt) {
          const { memberships, person } = yield* comparePassword(attempt)
          const membership = chooseMembership(memberships, attempt.organizationId, person.lastOrganizationId)
          if (membership === undefined) return yield* new SignInRefused({ reason: "credentials" })
          const { code, userAgent } = attempt
          return yield* begin({ person, membership, memberships, code, userAgent })
        }),
        comparePassword,
        compareCode: spendCode,
        find: Effect.fn("SignIn.find")(function* (personId, livemode) {
          const person = yield* people.find(personId)
          if (person === undefined) return undefined
          const memberships = yield* openTo(person, livemode)
          return memberships.length === 0 ? undefined : { person, memberships }
        })
      })
    })
  )
}
