import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { AuditPage } from "./audit.ts"
import { Bearer } from "./bearer.ts"
import { idParams, ifMatch, pageOf, pageQuery, Text, Timestamp, Version, warnings } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const DepartmentBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  version: Version,
  created_at: Timestamp,
  updated_at: Timestamp,
  ...warnings
}).annotate({ identifier: "Department" })

/** Body of `POST /api/departments`, and of `PATCH /api/departments/:id`. */
export const NameDepartment = Schema.Struct({ name: Text(100) }).annotate({ identifier: "NameDepartment" })

const refused = [problems.Forbidden, problems.ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/api/departments", {
  query: pageQuery,
  success: pageOf(DepartmentBody, "Departments"),
  error: [problems.InvalidRequest, ...refused]
}).annotate(OpenApi.Summary, "List the organization's departments, newest first")

const get = HttpApiEndpoint.get("get", "/api/departments/:id", {
  params: idParams,
  success: DepartmentBody,
  error: [problems.NotFound, ...refused]
}).annotate(OpenApi.Summary, "Read a department")

const history = HttpApiEndpoint.get("history", "/api/departments/:id/history", {
  params: idParams,
  query: pageQuery,
  success: AuditPage,
  error: [problems.InvalidRequest, problems.NotFound, ...refused]
}).annotate(OpenApi.Summary, "Read what was done to a department, newest first")

const create = HttpApiEndpoint.post("create", "/api/departments", {
  payload: NameDepartment,
  success: DepartmentBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, ...refused]
}).annotate(OpenApi.Summary, "Add a department")

const rename = HttpApiEndpoint.patch("rename", "/api/departments/:id", {
  params: idParams,
  headers: ifMatch,
  payload: NameDepartment,
  success: DepartmentBody,
  error: [problems.InvalidRequest, problems.NotFound, problems.VersionConflict, ...refused]
}).annotate(OpenApi.Summary, "Rename a department")

const remove = HttpApiEndpoint.delete("remove", "/api/departments/:id", {
  params: idParams,
  headers: ifMatch,
  success: HttpApiSchema.NoContent,
  error: [problems.NotFound, problems.InvalidState, problems.VersionConflict, ...refused]
}).annotate(OpenApi.Summary, "Delete a department that no member and no expense has")

/** Parts of the organization, for expenses, policies and reports. */
export class DepartmentsApi extends HttpApiGroup.make("departments")
  .add(list)
  .add(get)
  .add(history)
  .add(create)
  .add(rename)
  .add(remove)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
