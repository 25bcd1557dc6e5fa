import { Result } from "effect"
import { type Condition, depthMax, leavesMax, listMax, type Operand, type WrittenValue } from "./Condition.ts"
import { type Field, type FieldName, fieldNamed, fieldNames, fields } from "./fields.ts"
import { type Operator, operators, operatorsOf } from "./operators.ts"
import { type ReadValue, readOperand } from "./readOperand.ts"

/** What is wrong with a condition and where, from the condition's own root: `["all", 1, "op"]`. */
export interface ConditionFault {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

export interface ReadCondition {
  /** Undefined where there are faults. */
  readonly condition: Condition | undefined
  /** Every fault, in the order of the text. */
  readonly faults: ReadonlyArray<ConditionFault>
  /** Members that mean nothing; they are ignored. */
  readonly unknown: ReadonlyArray<ReadonlyArray<string | number>>
}

type Path = ReadonlyArray<string | number>

interface Reader {
  readonly faults: Array<ConditionFault>
  readonly unknown: Array<Path>
  leaves: number
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const forms = ["all", "any", "not"] as const
const leafMembers = ["field", "op", "value"] as const

const expected = 'must be a condition: { "field", "op", "value" }, or an object with one of all, any, not'

const namesOf = (field: Field): ReadonlyArray<string> => field.aliases
const allNames = fieldNames.map((name) => [name, ...namesOf(fields[name])].join(" or ")).join(", ")

const isOperator = (value: unknown): value is Operator => operators.some((operator) => operator === value)

const refuse = (reader: Reader, path: Path, message: string): undefined => {
  reader.faults.push({ path, message })
  return undefined
}

/** Undefined where it is not there, no text, or nothing that the language knows; then it has been told. */
const readField = (reader: Reader, value: unknown, path: Path): FieldName | undefined => {
  if (value == null) return refuse(reader, path, `is required: one of ${allNames}`)
  const name = typeof value === "string" ? fieldNamed(value) : undefined
  return name ?? refuse(reader, path, `must be one of ${allNames}`)
}

/** Where the field is not known, any operator will do. */
const readOperator = (
  reader: Reader,
  value: unknown,
  path: Path,
  field: FieldName | undefined
): Operator | undefined => {
  const allowed = field === undefined ? operators : operatorsOf[fields[field].type]
  if (value == null) return refuse(reader, path, `is required: one of ${allowed.join(", ")}`)
  if (isOperator(value) && allowed.includes(value)) return value
  return refuse(reader, path, `must be one of ${allowed.join(", ")}${field === undefined ? "" : ` for ${field}`}`)
}

interface Operands {
  readonly operands: ReadonlyArray<Operand>
  readonly value: WrittenValue
}

const readItem = (reader: Reader, value: unknown, path: Path, field: Field): ReadValue | undefined => {
  const read = readOperand(value, field)
  if (Result.isSuccess(read)) return read.success
  for (const fault of read.failure) reader.faults.push({ path: [...path, ...fault.path], message: fault.message })
  return undefined
}

const readOne = (reader: Reader, value: unknown, path: Path, field: Field): Operands | undefined => {
  const read = readItem(reader, value, path, field)
  return read === undefined ? undefined : { operands: [read.operand], value: read.written }
}

const readSeveral = (
  reader: Reader,
  values: ReadonlyArray<unknown>,
  path: Path,
  field: Field
): Operands | undefined => {
  const items = values.map((value, index) => readItem(reader, value, [...path, index], field))
  const read = items.filter((item) => item !== undefined)
  return read.length < items.length
    ? undefined
    : { operands: read.map(({ operand }) => operand), value: read.map(({ written }) => written) }
}

/** Amounts of two currencies have no order that always holds. */
const isDescending = ([low, high]: ReadonlyArray<Operand>): boolean => {
  if (low?.type === "money" && high?.type === "money") {
    if (low.currency !== high.currency) return false
    const scale = Math.max(low.amount.scale, high.amount.scale)
    const at = ({ digits, scale: own }: typeof low.amount) => digits * 10n ** BigInt(scale - own)
    return at(low.amount) > at(high.amount)
  }
  if (low === undefined || high === undefined || low.type === "money" || high.type === "money") return false
  return low.value > high.value
}

const readValue = (
  reader: Reader,
  value: unknown,
  path: Path,
  [field, op]: readonly [Field, Operator]
): Operands | undefined => {
  if (op === "exists") {
    // Without a value the question is whether it exists.
    const wanted = value ?? true
    return typeof wanted === "boolean"
      ? { operands: [{ type: "boolean", value: wanted }], value: wanted }
      : refuse(reader, path, "must be true or false")
  }
  if (op === "between") {
    if (!Array.isArray(value) || value.length !== 2) {
      return refuse(reader, path, "must be a list of two: the lowest and the highest value")
    }
    const bounds = readSeveral(reader, value, path, field)
    return bounds !== undefined && isDescending(bounds.operands)
      ? refuse(reader, path, "must begin with the lower of the two values")
      : bounds
  }
  if (op === "in" || op === "not_in") {
    return Array.isArray(value) && value.length > 0 && value.length <= listMax
      ? readSeveral(reader, value, path, field)
      : refuse(reader, path, `must be a list of 1 to ${listMax} values`)
  }
  return value == null ? refuse(reader, path, "is required") : readOne(reader, value, path, field)
}

const readLeaf = (reader: Reader, node: Readonly<Record<string, unknown>>, path: Path): Condition | undefined => {
  reader.leaves += 1
  if (reader.leaves > leavesMax) return undefined
  const field = readField(reader, node.field, [...path, "field"])
  const op = readOperator(reader, node.op, [...path, "op"], field)
  if (field === undefined || op === undefined) return undefined
  const read = readValue(reader, node.value, [...path, "value"], [fields[field], op])
  if (read === undefined) return undefined
  const { operands, value } = read
  return { kind: "leaf", field, op, operands, written: { field: String(node.field), value } }
}

const readList = (
  reader: Reader,
  kind: "all" | "any",
  members: unknown,
  [path, depth]: readonly [Path, number]
): Condition | undefined => {
  if (!Array.isArray(members)) return refuse(reader, path, "must be a list of conditions")
  // An empty list counts like a leaf, so that thousands of them are too many as well.
  if (members.length === 0) reader.leaves += 1
  if (members.length > leavesMax) reader.leaves = leavesMax + 1
  const of = members.slice(0, leavesMax).map((member, index) => readNode(reader, member, [...path, index], depth + 1))
  const read = of.filter((member) => member !== undefined)
  return read.length < of.length ? undefined : { kind, of: read }
}

const readNode = (reader: Reader, node: unknown, path: Path, depth: number): Condition | undefined => {
  if (!isObject(node)) return refuse(reader, path, expected)
  const given = forms.filter((form) => node[form] != null)
  const isLeaf = leafMembers.some((member) => node[member] != null)
  if (given.length + (isLeaf ? 1 : 0) !== 1) return refuse(reader, path, expected)
  const [form] = given
  const known: ReadonlyArray<string> = [...forms, ...leafMembers]
  for (const member of Object.keys(node)) if (!known.includes(member)) reader.unknown.push([...path, member])
  if (form === undefined) return readLeaf(reader, node, path)
  if (depth >= depthMax) return refuse(reader, path, `must not nest all, any and not more than ${depthMax} deep`)
  if (form !== "not") return readList(reader, form, node[form], [[...path, form], depth])
  const inner = readNode(reader, node.not, [...path, "not"], depth + 1)
  return inner === undefined ? undefined : { kind: "not", of: inner }
}

/**
 * Reads the JSON of a condition (contract section 6) and tells every fault in it at once. Total: whatever it is given, it
 * answers.
 */
export const readCondition = (json: unknown): ReadCondition => {
  const reader: Reader = { faults: [], unknown: [], leaves: 0 }
  const condition = readNode(reader, json, [], 0)
  if (reader.leaves > leavesMax) refuse(reader, [], `must have at most ${leavesMax} conditions`)
  return { condition: reader.faults.length > 0 ? undefined : condition, faults: reader.faults, unknown: reader.unknown }
}

/** `["conditions"]` and `["all", 1, "op"]` → `conditions.all[1].op`. */
export const pathText = (path: ReadonlyArray<string | number>): string =>
  path.reduce<string>((joined, key) => {
    if (typeof key === "number") return `${joined}[${key}]`
    return joined === "" ? key : `${joined}.${key}`
  }, "")
