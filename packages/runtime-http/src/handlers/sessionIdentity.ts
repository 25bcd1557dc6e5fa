import type { Membership, Person } from "@sarraf/domain/organizations/People"

interface Identity {
  readonly person: Pick<Person, "id" | "email">
  readonly membership: Membership
  readonly memberships: ReadonlyArray<Membership>
  readonly hasSecondFactor: boolean
  readonly mustEnrol: boolean
}

const organizationBody = ({ baseCurrency, organizationId, organizationName, role, timezone }: Membership) => ({
  id: organizationId,
  name: organizationName,
  role,
  base_currency: baseCurrency,
  timezone
})

const secondFactorOf = ({ hasSecondFactor, mustEnrol }: Identity) => {
  if (hasSecondFactor) return "active" as const
  return mustEnrol ? ("required" as const) : ("none" as const)
}

/** Who is signed in, as the answers to a sign-in and to a look at the session show it. */
export const identityBody = (identity: Identity) => ({
  user: { id: identity.person.id, email: identity.person.email, name: identity.membership.name },
  organization: organizationBody(identity.membership),
  organizations: identity.memberships.map(organizationBody),
  second_factor: secondFactorOf(identity)
})
