import type { Member } from "@sarraf/domain/organizations/Members"
import { type SandboxPerson, sandboxDepartments, sandboxPeople } from "../seedSandboxPeople.ts"

export const sandbox = "org_01kd8z0000e0080000000000s1"
export const otherSandbox = "org_01kd8z0000e0080000000000s2"

/** The organizations that have a demo year, and their base currencies. */
export const demoCurrencies = { [sandbox]: "TRY", [otherSandbox]: "USD" } as const

const department = (ending: string) => `dep_01kd8z0000e0080000000000d${ending}`
const user = (ending: string) => `usr_01kd8z0000e0080000000000${ending}`

/** The persons that demo purchases, trips and decisions name. */
export const persons = {
  elif: user("p1"),
  mert: user("p2"),
  zeynep: user("p3"),
  can: user("p4"),
  deniz: user("m6"),
  burak: user("m7"),
  ayse: user("m8"),
  ozan: user("m9"),
  leyla: user("ma"),
  james: user("mb"),
  katrin: user("mc"),
  emre: user("v1"),
  grace: user("n2"),
  tom: user("n3")
} as const

interface DemoDepartment {
  readonly organizationId: string
  readonly id: string
  readonly name: string
}

/** The departments of both sandboxes, those that are there anyway among them. */
export const demoDepartments: ReadonlyArray<DemoDepartment> = [
  ...sandboxDepartments,
  { organizationId: sandbox, id: department("3"), name: "Engineering" },
  { organizationId: sandbox, id: department("4"), name: "Marketing" },
  { organizationId: sandbox, id: department("5"), name: "Operations" },
  { organizationId: sandbox, id: department("6"), name: "People" },
  { organizationId: otherSandbox, id: department("7"), name: "Studio" }
]

const person = (
  id: string,
  name: string,
  email: string,
  role: SandboxPerson["role"],
  place: Pick<SandboxPerson, "organizationId" | "departmentId" | "managerId">
): SandboxPerson => ({ id, name, email, role, ...place })

const at = (ending: string, managerId: string) => ({
  organizationId: sandbox,
  departmentId: department(ending),
  managerId
})
const inStudio = { organizationId: otherSandbox, departmentId: department("7"), managerId: persons.emre }

/** Everybody in both sandboxes, the people who can sign in first; managers come before those that they manage. */
export const demoPeople: ReadonlyArray<SandboxPerson> = [
  ...sandboxPeople,
  person(persons.deniz, "Deniz Kaya", "deniz.kaya@sandbox.test", "APPROVER", at("3", persons.elif)),
  person(persons.burak, "Burak Şahin", "burak.sahin@sandbox.test", "MEMBER", at("3", persons.deniz)),
  person(persons.ayse, "Ayşe Çelik", "ayse.celik@sandbox.test", "MEMBER", at("3", persons.deniz)),
  person(persons.ozan, "Ozan Polat", "ozan.polat@sandbox.test", "MEMBER", at("4", persons.zeynep)),
  person(persons.leyla, "Leyla Haddad", "leyla.haddad@sandbox.test", "MEMBER", at("5", persons.mert)),
  person(persons.james, "James Whitfield", "james.whitfield@sandbox.test", "MEMBER", at("2", persons.zeynep)),
  person(persons.katrin, "Katrin Vogel", "katrin.vogel@sandbox.test", "MEMBER", at("6", persons.zeynep)),
  person(persons.grace, "Grace Nwosu", "grace.nwosu@other.test", "APPROVER", inStudio),
  person(persons.tom, "Tom Becker", "tom.becker@other.test", "MEMBER", inStudio)
]

/** A person as a member from the beginning of the demo year on. */
export const memberOf = ({ departmentId, email, id, managerId, name, role }: SandboxPerson, since: number): Member => ({
  userId: id,
  email,
  name,
  role,
  status: "ACTIVE",
  departmentId,
  managerId,
  version: 1,
  createdAt: since,
  updatedAt: since
})
