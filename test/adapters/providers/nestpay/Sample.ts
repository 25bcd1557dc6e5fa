import { createHash } from "node:crypto"
import { make } from "@sarraf/adapters/providers/nestpay/Adapter"
import { profiles } from "@sarraf/adapters/providers/nestpay/profiles"
import { sandboxCredentials } from "@sarraf/adapters/providers/nestpay/Simulator"
import type { ProviderRequest, ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import { type Answer, answersInTurn } from "../answers.ts"
import { callsOf } from "../calls.ts"
import { type Elements, treeOf, xmlOf } from "../xml.ts"

export const reference = "SRF00000000000000001"

export const lira = (minor: bigint) => new Money({ currency: "TRY", minor })

export const { authorization, authorizeCall, capture, captureCall, operationCall, returnCall } = callsOf({
  reference,
  operationReference: "SRF00000000000000002",
  money: lira(1001n),
  cardNumber: "4355084355084358",
  providerReference: null
})

/** Text → ISO-8859-9 by the decoder's own table turned round; letters that it lacks are not used here. */
const byteOf = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder("iso-8859-9").decode(Uint8Array.of(byte)), byte] as const)
)
export const latin5 = (text: string): Uint8Array =>
  Uint8Array.from([...text].map((character) => byteOf.get(character) ?? 0x3f))

const readTurkish = (bytes: Uint8Array) => new TextDecoder("iso-8859-9").decode(bytes)

/** The posted document, taken out of the form by means of the test's own. */
export const postedDocument = (request: ProviderRequest): string => {
  const form = readTurkish(request.body ?? new Uint8Array())
  const bytes = form
    .slice("DATA=".length)
    .split(/(%[0-9A-F]{2})/u)
    .flatMap((part) => (/^%[0-9A-F]{2}$/u.test(part) ? [Number.parseInt(part.slice(1), 16)] : [...latin5(part)]))
  return readTurkish(Uint8Array.from(bytes))
}

/** The elements of the posted document. */
export const postedElements = (request: ProviderRequest): unknown => treeOf(postedDocument(request)).CC5Request

export const xmlAnswer = (
  document: string | Uint8Array,
  changes: Partial<ProviderResponse> = {}
): ProviderResponse => ({
  status: 200,
  headers: { "content-type": "text/xml;charset=ISO-8859-9" },
  body: typeof document === "string" ? latin5(document) : document,
  ...changes
})

/** An answer of the bank with these elements. */
export const answerWith = (elements: Elements): ProviderResponse =>
  xmlAnswer(`<?xml version="1.0" encoding="ISO-8859-9"?>\n<CC5Response>${xmlOf(elements)}</CC5Response>`)

/** Where the buyer's browser reaches the simulator. */
export const pagesUrl = "http://sandbox.test:8080/sandbox/isbank"

type Credentials = Parameters<typeof make>[0]["credentials"]

/** The simulated bank's store key. */
export const storeKey = "SRRF0700"

/** Hash version 3 by the sheet's section 3, apart from the adapter's and the simulator's own. */
export const version3 = (fields: Readonly<Record<string, string | null>>, key = storeKey): string => {
  const named = Object.entries(fields).filter(([name]) => !/^(?:hash|encoding|nationalidno)$/iu.test(name))
  named.sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
  const values = [...named.map(([, value]) => value ?? ""), key]
  const plaintext = values.map((value) => value.replaceAll("\\", "\\\\").replaceAll("|", "\\|")).join("|")
  return createHash("sha512").update(plaintext, "utf8").digest("base64")
}

/** A form of the bank's, closed by its hash. */
export const signed = (fields: Readonly<Record<string, string>>, key = storeKey) => ({
  ...fields,
  HASH: version3(fields, key)
})

/** A shop whose bank gives these answers in turn, and the requests that it was sent. */
export const shopAnswering = (...answers: ReadonlyArray<Answer>) => shopWith(sandboxCredentials(pagesUrl), answers)

/** The same with credentials of its own. */
export const shopWith = (credentials: Credentials, answers: ReadonlyArray<Answer>) => {
  const { requests, transport } = answersInTurn(answers)
  return { shop: make({ profile: profiles.isbank, credentials, transport }), requests }
}
