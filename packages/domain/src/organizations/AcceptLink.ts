import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { type AccountLink, type AccountLinkKind, AccountLinks } from "./AccountLinks.ts"
import { type BegunSession, makeBeginSession, openMemberships, personAsCaller, SignInRefused } from "./BeginSession.ts"
import { Caller } from "./Caller.ts"
import { MemberStore } from "./MemberStore.ts"
import { Members } from "./Members.ts"
import { Passwords, passwordFault } from "./Passwords.ts"
import { type Membership, People, type Person } from "./People.ts"
import { SessionStore } from "./SessionStore.ts"
import type { SessionBeginning } from "./SignIn.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** What a one-time link is for, for who holds it. */
export interface ShownLink {
  readonly kind: AccountLinkKind
  readonly email: string
  readonly organizationName: string
  /** Whether the password that is asked for is the one that the person has, or becomes it. */
  readonly password: "present" | "new"
}

/** Use of a link. */
export interface LinkUse {
  readonly token: Redacted.Redacted<string>
  /** The new one, or the present one of a person who has one and was invited. */
  readonly password: Redacted.Redacted<string>
  /** How the organization is to call them; only with an invitation. */
  readonly name: string | undefined
  readonly livemode: boolean
}

/** What the link leads to. */
interface Led {
  readonly link: AccountLink
  readonly person: Person
  readonly membership: Membership
  readonly memberships: ReadonlyArray<Membership>
}

type UseError = InvalidFields | NotFound | SignInRefused | Unavailable

/** Dead links look alike: never made, used, replaced, over, or of a member who left. */
const dead = new NotFound({ resource: "link", id: "" })

const asksFor = ({ link, person }: Led): ShownLink["password"] =>
  link.kind === "invitation" && person.passwordHash !== null ? "present" : "new"

/** Driving port: invitations and password resets, used by the person that they are for (contract section 6). */
export class AcceptLink extends Context.Service<
  AcceptLink,
  {
    find(token: Redacted.Redacted<string>, livemode: boolean): Effect.Effect<ShownLink, NotFound | Unavailable>
    /** Accepts the invitation or sets the new password, and begins no session. */
    use(use: LinkUse): Effect.Effect<void, UseError>
    /** The same, and signs in; all of it or nothing. */
    accept(
      use: LinkUse & { readonly code: Redacted.Redacted<string> | undefined; readonly userAgent: string | null }
    ): Effect.Effect<BegunSession, UseError>
  }
>()("@sarraf/domain/organizations/AcceptLink") {
  static readonly layer: Layer.Layer<AcceptLink, never, SessionBeginning | AccountLinks | Members | MemberStore> =
    Layer.effect(
      AcceptLink,
      Effect.gen(function* () {
        const units = yield* UnitOfWork
        const links = yield* AccountLinks
        const people = yield* People
        const members = yield* Members
        const store = yield* MemberStore
        const sessions = yield* SessionStore
        const passwords = yield* Passwords
        const trail = yield* AuditTrail
        const { begin } = yield* makeBeginSession

        const lead = Effect.fnUntraced(function* (token: Redacted.Redacted<string>, livemode: boolean) {
          const link = yield* links.find(token)
          const person = link === undefined ? undefined : yield* people.find(link.userId)
          if (link === undefined || person === undefined) return yield* dead
          const memberships = yield* people.memberships(person.id)
          const membership = memberships.find(({ organizationId }) => organizationId === link.organizationId)
          const others = memberships.filter((one) => one !== membership && one.status !== "INVITED")
          const status = link.kind === "invitation" ? "INVITED" : "ACTIVE"
          if (membership?.status !== status || membership.isSandbox === livemode) return yield* dead
          // Whoever joined another organization since sets their password themselves.
          if (link.kind === "password_reset" && others.length > 0) return yield* dead
          return { link, person, membership, memberships } satisfies Led
        })

        /** The person's password after the use: compared where it is the present one, else hashed. */
        const passwordOf = Effect.fnUntraced(function* (led: Led, password: Redacted.Redacted<string>) {
          if (asksFor(led) === "present") {
            const isRight = yield* passwords.verify(password, led.person.passwordHash)
            return isRight ? led.person.passwordHash : yield* new SignInRefused({ reason: "credentials" })
          }
          const fault = passwordFault(password, led.person.email)
          if (fault !== undefined) {
            return yield* new InvalidFields({ faults: [{ path: "password", message: fault }] })
          }
          return Redacted.make(yield* passwords.hash(password))
        })

        const join = Effect.fnUntraced(function* (userId: string, name: string | undefined) {
          const member = yield* members.find(userId)
          if (member?.status !== "INVITED") return yield* dead
          const at = yield* Clock.currentTimeMillis
          const named = name ?? member.name
          yield* store.save({ ...member, name: named, status: "ACTIVE", version: member.version + 1, updatedAt: at })
          yield* store.noteJoined(userId, at)
          yield* trail.append({
            action: "member.joined",
            subject: { type: "member", id: userId },
            before: { status: "INVITED", name: member.name },
            after: { status: "ACTIVE", name: named }
          })
        })

        const reset = Effect.fnUntraced(function* (userId: string) {
          const ended = yield* sessions.endEverywhere(userId)
          yield* trail.append({
            action: "password.reset",
            subject: { type: "member", id: userId },
            detail: { sessions_ended: ended }
          })
        })

        /** In a unit of work, as the person: everything that the link does. Gives what it led to as it is then. */
        const apply = Effect.fnUntraced(function* (led: Led, use: LinkUse, passwordHash: Person["passwordHash"]) {
          const { link, membership, memberships, person } = led
          yield* store.lock
          if (!(yield* links.spend(use.token))) return yield* dead
          if (passwordHash !== null && passwordHash !== person.passwordHash) {
            const isSet = yield* people.setPassword(person, passwordHash)
            if (!isSet) return yield* dead
          }
          yield* link.kind === "invitation" ? join(person.id, use.name) : reset(person.id)
          const name = link.kind === "invitation" ? (use.name ?? membership.name) : membership.name
          const present: Membership = { ...membership, status: "ACTIVE", name }
          return {
            person: { ...person, passwordHash },
            membership: present,
            memberships: memberships.map((one) => (one === membership ? present : one))
          }
        })

        /** Does what the link does, and what follows, as one unit of work. */
        const useThen = <A, E>(use: LinkUse, follow: (present: Omit<Led, "link">) => Effect.Effect<A, E, Caller>) =>
          Effect.gen(function* () {
            const led = yield* lead(use.token, use.livemode)
            const passwordHash = yield* passwordOf(led, use.password)
            return yield* units
              .run(Effect.flatMap(apply(led, use, passwordHash), follow))
              .pipe(Effect.provideService(Caller, personAsCaller(led.person.id, led.membership)))
          })

        return AcceptLink.of({
          find: Effect.fn("AcceptLink.find")(function* (token, livemode) {
            const led = yield* lead(token, livemode)
            const { link, membership, person } = led
            return {
              kind: link.kind,
              email: person.email,
              organizationName: membership.organizationName,
              password: asksFor(led)
            }
          }),
          use: Effect.fn("AcceptLink.use")(function* (use) {
            yield* useThen(use, () => Effect.void)
          }),
          accept: Effect.fn("AcceptLink.accept")(function* ({ code, userAgent, ...use }) {
            return yield* useThen(use, ({ membership, memberships, person }) =>
              begin({ person, membership, memberships: openMemberships(memberships, !use.livemode), code, userAgent })
            )
          })
        })
      })
    )
}
