import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Forbidden, InvalidFields, NotFound, StateRefused } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { openMemberships } from "./BeginSession.ts"
import type { Caller, RoleMissing } from "./Caller.ts"
import { Passwords, passwordFault } from "./Passwords.ts"
import { type Membership, People, type Person } from "./People.ts"
import { permitted } from "./Permissions.ts"
import { type NewSecondFactor, SecondFactors } from "./SecondFactors.ts"
import { CurrentSession, type Session, SessionStore, type SignedIn } from "./SessionStore.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** The present password or code that was given with a change of one's own account is not the right one. */
export class ProofWrong extends Schema.TaggedError<ProofWrong>()("ProofWrong", {
  field: Schema.Literals(["current_password", "password", "code"])
}) {}

/** The signed-in person, and where else they may sign in. */
export interface WhoAmI {
  readonly signedIn: SignedIn
  readonly person: Person
  readonly memberships: ReadonlyArray<Membership>
}

type Refusal = Forbidden | RoleMissing | Unavailable

/** Driving port: what a signed-in person does with their own account. For an API key all of it is `Forbidden`. */
export class OwnAccount extends Context.Service<
  OwnAccount,
  {
    readonly whoAmI: Effect.Effect<WhoAmI, Refusal, Caller>
    /** Ends the present session. */
    readonly signOut: Effect.Effect<void, Refusal, Caller>
    /** The person's sessions in this organization, newest first. */
    readonly sessions: Effect.Effect<
      { readonly current: string; readonly all: ReadonlyArray<Session> },
      Refusal,
      Caller
    >
    endSession(id: string): Effect.Effect<void, NotFound | Refusal, Caller>
    /** Ends all other sessions of the person, in whatever organization. */
    changePassword(
      current: Redacted.Redacted<string>,
      next: Redacted.Redacted<string>
    ): Effect.Effect<void, InvalidFields | ProofWrong | Refusal, Caller>
    /**
     * It counts once a code of it was confirmed. Takes the password, so that whoever found a session open cannot shut the
     * person out. `StateRefused` where one is in use.
     */
    beginSecondFactor(
      password: Redacted.Redacted<string>
    ): Effect.Effect<NewSecondFactor, ProofWrong | Refusal | StateRefused, Caller>
    confirmSecondFactor(
      code: Redacted.Redacted<string>
    ): Effect.Effect<void, ProofWrong | Refusal | StateRefused, Caller>
    removeSecondFactor(
      password: Redacted.Redacted<string>
    ): Effect.Effect<void, ProofWrong | Refusal | StateRefused, Caller>
  }
>()("@sarraf/domain/organizations/OwnAccount") {
  static readonly layer: Layer.Layer<
    OwnAccount,
    never,
    AuditTrail | Passwords | People | SecondFactors | SessionStore | UnitOfWork
  > = Layer.effect(
    OwnAccount,
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const people = yield* People
      const store = yield* SessionStore
      const passwords = yield* Passwords
      const factors = yield* SecondFactors
      const trail = yield* AuditTrail

      /** The session of who asks. */
      const own = Effect.gen(function* () {
        yield* permitted("session.manage")
        const signedIn = yield* CurrentSession
        return signedIn ?? (yield* new Forbidden({ reason: "Only a person who is signed in has this: keys have not." }))
      })

      /** With the person as they are stored. */
      const ownPerson = Effect.gen(function* () {
        const signedIn = yield* own
        const person = yield* people.find(signedIn.person.id)
        return person === undefined ? yield* Effect.die(new Error("A session without a person")) : { signedIn, person }
      })

      const end = Effect.fnUntraced(function* (signedIn: SignedIn, id: string) {
        const isEnded = yield* store.end(signedIn.person.id, id)
        if (!isEnded) return yield* new NotFound({ resource: "session", id })
        yield* trail.append({
          action: "session.ended",
          subject: { type: "session", id },
          detail: { user_id: signedIn.person.id }
        })
      })

      const record = (action: string, { person }: SignedIn, detail: Readonly<Record<string, unknown>> = {}) =>
        trail.append({ action, subject: { type: "member", id: person.id }, detail })

      return OwnAccount.of({
        whoAmI: Effect.map(
          Effect.bind(ownPerson, "memberships", ({ person }) => people.memberships(person.id)),
          ({ memberships, person, signedIn }) => ({
            signedIn,
            person,
            memberships: openMemberships(memberships, signedIn.membership.isSandbox)
          })
        ),
        signOut: Effect.flatMap(own, (signedIn) =>
          // Two requests that end the same session both have it ended.
          units.run(Effect.catchTag(end(signedIn, signedIn.session.id), "NotFound", () => Effect.void))
        ),
        sessions: Effect.gen(function* () {
          const { person, session } = yield* own
          return { current: session.id, all: yield* store.list(person.id) }
        }),
        endSession: Effect.fn("OwnAccount.endSession")(function* (id) {
          const signedIn = yield* own
          yield* units.run(end(signedIn, id))
        }),
        changePassword: Effect.fn("OwnAccount.changePassword")(function* (current, next) {
          const { person, signedIn } = yield* ownPerson
          if (!(yield* passwords.verify(current, person.passwordHash))) {
            return yield* new ProofWrong({ field: "current_password" })
          }
          const fault = passwordFault(next, person.email)
          if (fault !== undefined) {
            return yield* new InvalidFields({ faults: [{ path: "new_password", message: fault }] })
          }
          const hash = Redacted.make(yield* passwords.hash(next))
          yield* units.run(
            Effect.gen(function* () {
              if (!(yield* people.setPassword(person, hash)))
                return yield* new ProofWrong({ field: "current_password" })
              const ended = yield* store.endEverywhere(person.id, signedIn.session.id)
              yield* record("password.changed", signedIn, { sessions_ended: ended })
            })
          )
        }),
        beginSecondFactor: Effect.fn("OwnAccount.beginSecondFactor")(function* (password) {
          const { person, signedIn } = yield* ownPerson
          if (!(yield* passwords.verify(password, person.passwordHash))) {
            return yield* new ProofWrong({ field: "password" })
          }
          const made = yield* factors.make(person)
          return yield* units.run(
            Effect.gen(function* () {
              if (!(yield* people.beginSecondFactor(person.id, made.sealed))) {
                return yield* new StateRefused({ resource: "second factor", status: "in use", allowed: ["removal"] })
              }
              yield* record("second_factor.begun", signedIn)
              return made
            })
          )
        }),
        confirmSecondFactor: Effect.fn("OwnAccount.confirmSecondFactor")(function* (code) {
          const { person, signedIn } = yield* ownPerson
          const sealed = person.pendingSecondFactor
          const nothing = new StateRefused({ resource: "second factor", status: "not begun", allowed: ["beginning"] })
          const reason = "There were too many wrong codes: try again in some minutes."
          if (sealed === null) return yield* nothing
          const step = yield* Effect.catchTag(factors.stepOf({ personId: person.id, sealed, code }), "CodesSpent", () =>
            Effect.fail(new StateRefused({ resource: "second factor", status: "closed", allowed: ["waiting"], reason }))
          )
          if (step === undefined) return yield* new ProofWrong({ field: "code" })
          yield* units.run(
            Effect.gen(function* () {
              if (!(yield* people.confirmSecondFactor(person.id, sealed, step))) return yield* nothing
              yield* record("second_factor.confirmed", signedIn)
            })
          )
        }),
        removeSecondFactor: Effect.fn("OwnAccount.removeSecondFactor")(function* (password) {
          const { person, signedIn } = yield* ownPerson
          if (!(yield* passwords.verify(password, person.passwordHash))) {
            return yield* new ProofWrong({ field: "password" })
          }
          if (person.secondFactor === null) {
            return yield* new StateRefused({ resource: "second factor", status: "not in use", allowed: ["beginning"] })
          }
          yield* units.run(
            Effect.andThen(people.removeSecondFactor(person.id), record("second_factor.removed", signedIn))
          )
        })
      })
    })
  )
}
