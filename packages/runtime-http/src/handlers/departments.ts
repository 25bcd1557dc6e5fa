import type { DepartmentRecord } from "@sarraf/domain/organizations/DepartmentStore"
import { Departments } from "@sarraf/domain/organizations/Departments"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { NameDepartment } from "../api/departments.ts"
import { historyOf } from "./audit.ts"
import {
  expectedVersions,
  pageBody,
  pageRequest,
  refusals,
  timeOf,
  warningsAbout,
  withEtag,
  withLocation
} from "./conventions.ts"

const ofList = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofFind = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])
const ofCreate = Struct.pick(refusals, ["RoleMissing", "InvalidFields", "Unavailable"])
const ofRename = Struct.pick(refusals, ["RoleMissing", "InvalidFields", "NotFound", "VersionConflict", "Unavailable"])
const ofRemove = Struct.pick(refusals, ["RoleMissing", "NotFound", "StateRefused", "VersionConflict", "Unavailable"])

const departmentBody = ({ createdAt, id, name, updatedAt, version }: DepartmentRecord) => ({
  id,
  name,
  version,
  created_at: timeOf(createdAt),
  updated_at: timeOf(updatedAt)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "departments",
  Effect.fn(function* (handlers) {
    const departments = yield* Departments
    const unknownOfName = warningsAbout(NameDepartment)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* departments.list(yield* pageRequest("departments", query))
          return pageBody("departments", query, page, ({ id }) => id, departmentBody)
        }).pipe(Effect.catchTags(ofList))
      )
      .handle("get", ({ params }) =>
        departments.find(params.id).pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(departmentBody),
          Effect.catchTags(ofFind)
        )
      )
      .handle("history", (request) =>
        historyOf("departments", departments.history)(request).pipe(Effect.catchTags(ofFind))
      )
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const made = yield* departments.create(payload.name.trim())
          yield* withLocation(`/api/departments/${made.id}`)
          yield* withEtag(made.version)
          return { ...departmentBody(made), ...(yield* unknownOfName) }
        }).pipe(Effect.catchTags(ofCreate))
      )
      .handle("rename", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"])
          const renamed = yield* departments.rename(params.id, payload.name.trim(), expected)
          yield* withEtag(renamed.version)
          return { ...departmentBody(renamed), ...(yield* unknownOfName) }
        }).pipe(Effect.catchTags(ofRename))
      )
      .handle("remove", ({ headers, params }) =>
        departments.remove(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(ofRemove))
      )
  })
)
