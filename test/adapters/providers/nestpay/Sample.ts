import { make } from "@sarraf/adapters/providers/nestpay/Adapter"
import { profiles } from "@sarraf/adapters/providers/nestpay/profiles"
import { sandboxCredentials } from "@sarraf/adapters/providers/nestpay/Simulator"
import type {
  ConnectFailed,
  NoAnswer,
  ProviderRequest,
  ProviderResponse
} from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  Captured,
  OperationCall
} from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Redacted, Result } from "effect"

export const reference = "SRF00000000000000001"

export const lira = (minor: bigint) => new Money({ currency: "TRY", minor })

export const cardNumber = (digits: string) => Result.getOrThrow(CardNumber.parse(digits))

export const authorizeCall = (changes: Partial<AuthorizeCall> = {}): AuthorizeCall => ({
  reference,
  money: lira(1001n),
  card: {
    number: cardNumber("4355084355084358"),
    expMonth: 1,
    expYear: 2030,
    cvc: Redacted.make("123"),
    holderName: "Ayşe Yılmaz"
  },
  installment: 1,
  buyer: { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse@example.com", ip: "203.0.113.7" },
  billingAddress: { address: "Çiçek Sokağı 5", city: "İzmir", country: "TR", postalCode: "35000" },
  requestId: "req_1",
  note: () => Effect.void,
  ...changes
})

export const authorization = (changes: Partial<Authorization> = {}): Authorization => ({
  reference,
  providerReference: null,
  notes: {},
  money: lira(1001n),
  authorizedAt: DateTime.makeUnsafe("2026-01-15T09:00:00Z"),
  ...changes
})

export const operationCall = (minor: bigint, changes: Partial<OperationCall> = {}): OperationCall => ({
  authorization: authorization(),
  operationId: "op_1",
  reference: "SRF00000000000000002",
  money: lira(minor),
  captures: [],
  requestId: "req_2",
  ...changes
})

export const captureCall = (minor: bigint, changes: Partial<OperationCall> = {}): CaptureCall => ({
  ...operationCall(minor, changes),
  final: true
})

export const capture = (providerReference: string | null, minor: bigint): Captured => ({
  operationId: "op_1",
  providerReference,
  minor,
  refundedMinor: 0n
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

type Tree = { readonly [name: string]: string | Tree }

const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** Elements without attributes, as our requests have them: a reader apart from the adapter's. */
const treeOf = (text: string): Tree => {
  const elements = [...text.matchAll(/<(\w+)>(.*?)<\/\1>/gsu)]
  return Object.fromEntries(
    elements.map(([, name = "", body = ""]) => [name, body.includes("<") ? treeOf(body) : unescaped(body)])
  )
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

type Elements = { readonly [name: string]: string | number | null | Elements }

const written = (elements: Elements): string =>
  Object.entries(elements)
    .map(([name, value]) => {
      const text = String(value ?? "")
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
      return `<${name}>${typeof value === "object" && value !== null ? written(value) : text}</${name}>`
    })
    .join("\n")

/** An answer of the bank with these elements. */
export const answerWith = (elements: Elements): ProviderResponse =>
  xmlAnswer(`<?xml version="1.0" encoding="ISO-8859-9"?>\n<CC5Response>${written(elements)}</CC5Response>`)

/** A shop whose bank gives these answers in turn, and the requests that it was sent. */
export const shopAnswering = (...answers: ReadonlyArray<Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>>) => {
  const requests: Array<ProviderRequest> = []
  const shop = make({
    profile: profiles.isbank,
    credentials: sandboxCredentials,
    transport: {
      send: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return answers[requests.length - 1] ?? Effect.die(new Error("The bank was asked more often than foreseen."))
        })
    }
  })
  return { shop, requests }
}
