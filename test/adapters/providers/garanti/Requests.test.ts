import { assert, describe, it } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/garanti/Adapter"
import { GarantiCredentials } from "@sarraf/adapters/providers/garanti/Credentials"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted, Schema } from "effect"
import {
  authorization,
  authorizeCall,
  capture,
  captureCall,
  credentials,
  historyRow,
  operationCall,
  postedDocument,
  postedElements,
  recordOf,
  returnUrl,
  terminalAnswering,
  xmlAnswer
} from "./Sample.ts"

/** The one request that a step sends. */
const sent = (step: (terminal: PaymentProvider) => Effect.Effect<unknown>): Effect.Effect<ProviderRequest> =>
  Effect.gen(function* () {
    const { requests, terminal } = terminalAnswering(xmlAnswer(""))
    yield* step(terminal)
    const [request] = requests
    assert(request !== undefined)
    return request
  })

const elementsOf = (step: (terminal: PaymentProvider) => Effect.Effect<unknown>) =>
  Effect.map(sent(step), (request) => {
    const { Terminal, ...rest } = Object(postedElements(request))
    const { HashData, ...known } = Terminal
    return { hash: `${HashData}`, Terminal: known, ...rest }
  })

const head = { Mode: "TEST", Version: "512" }
const ours = { OrderID: "SRF00000000000000001" }
const merchant = { IPAddress: "127.0.0.1" }
const provision = { ProvUserID: "PROVAUT", UserID: "PROVAUT", ID: "30691298", MerchantID: "7000679" }
const refunds = { ...provision, ProvUserID: "PROVRFN", UserID: "PROVRFN" }
const common = { InstallmentCnt: "", CurrencyCode: "949", CardholderPresentCode: "0", MotoInd: "N" }

/** SHA-512 by hand of `SRF00000000000000001` + `30691298` + card + amount + `949` + secData, a hash for each amount. */
const hashes = {
  preauth:
    "60F65A2111F43E2183AAA8D1CEBEB074BB7A17784B71382B36D61CECF63388EFCE97AF738656DE87F1F5D0651FCD005F244BE63E41532C86F7EBCA50B89DE53C",
  "90": "231DC52A240EED2DBABB0E17264EE7C82CEC537073E7367D3077A449BA93FAA73E417E00F9DBC89E4080C02EEDE37A27437E3972B211B0DD32AEA44B16ED351A",
  "1": "0590C330D0775E571EAFFC9BBF7D26DD97A809AF634D95879F1DA404C093218C56BC78C4C0BD08B1DBD2FFF94D19CB66ADE64DD7E856CFC29730C0868517D675",
  "100":
    "9A389BE1E79ED6E4C77505B35EE2C1A51A35DADFBBB153896335200C224220F2F4EC3BFE79DE02C27B6A2437AA6FDE4E4B112960CFF9845D32EFA4A4E5CABAB6"
}

describe("requests", () => {
  it.effect("authorizes with a preauth that has the fields of the sheet's section 4", () =>
    Effect.gen(function* () {
      const request = yield* elementsOf((terminal) => terminal.authorize(authorizeCall({ installment: 3 })))
      assert.deepStrictEqual(request, {
        ...head,
        hash: hashes.preauth,
        Terminal: provision,
        Customer: { IPAddress: "203.0.113.7", EmailAddress: "ayse+1@example.com" },
        Card: { Number: "4282209004348015", ExpireDate: "0330", CVV2: "737" },
        Order: ours,
        Transaction: { ...common, Type: "preauth", InstallmentCnt: "3", Amount: "1001" }
      })
    })
  )

  it.effect("posts one form field to the live address, elements in the sheet's order", () =>
    Effect.gen(function* () {
      const request = yield* sent((terminal) => terminal.authorize(authorizeCall()))
      assert.strictEqual(request.url, "https://sanalposprov.garanti.com.tr/VPServlet")
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(request.provider, "garanti")
      assert.strictEqual(request.headers["content-type"], "application/x-www-form-urlencoded; charset=utf-8")
      const document = postedDocument(request)
      assert.isTrue(
        document.startsWith('<?xml version="1.0" encoding="UTF-8"?><GVPSRequest><Mode>TEST</Mode><Version>')
      )
      const names = [...document.matchAll(/<(\w+)>/gu)].map(([, name]) => name)
      const terminal = ["Terminal", "ProvUserID", "UserID", "HashData", "ID", "MerchantID"]
      const customer = ["Customer", "IPAddress", "EmailAddress", "Card", "Number", "ExpireDate", "CVV2"]
      const order = ["Order", "OrderID", "Transaction", "Type", "InstallmentCnt", "Amount", "CurrencyCode"]
      const expected = ["GVPSRequest", "Mode", "Version", ...terminal, ...customer, ...order]
      assert.deepStrictEqual(names, [...expected, "CardholderPresentCode", "MotoInd"])
    })
  )

  it.effect("captures with the first user; refunds and voids with the second", () =>
    Effect.gen(function* () {
      const target = { OriginalRetrefNum: "400609699313" }
      const captured = { captures: [capture("400609700000", 90n)] }
      const body = { ...head, Customer: merchant, Order: ours }
      assert.deepStrictEqual(yield* elementsOf((terminal) => terminal.capture(captureCall(90n))), {
        ...body,
        hash: hashes["90"],
        Terminal: provision,
        Transaction: { Type: "postauth", Amount: "90", CurrencyCode: "949", ...target }
      })
      assert.deepStrictEqual(yield* elementsOf((terminal) => terminal.refund(operationCall(1n, captured))), {
        ...body,
        hash: hashes["1"],
        Terminal: refunds,
        Transaction: { ...common, Type: "refund", Amount: "1", OriginalRetrefNum: "400609700000" }
      })
      const voidOf = { ...common, Type: "void", Amount: "100" }
      assert.deepStrictEqual(yield* elementsOf((terminal) => terminal.cancel(operationCall(1001n))), {
        ...body,
        hash: hashes["100"],
        Terminal: refunds,
        Transaction: { ...voidOf, ...target }
      })
      const voided = yield* elementsOf(
        (terminal) => terminal.voidCapture?.(operationCall(90n, captured)) ?? Effect.void
      )
      assert.deepStrictEqual(voided.Transaction, { ...voidOf, OriginalRetrefNum: "400609700000" })
      assert.deepStrictEqual(voided.Terminal, refunds)
    })
  )

  it.effect("asks for the status and then for the history of our order", () =>
    Effect.gen(function* () {
      const status = { Status: "WAITINGPOSTAUTH", PreAuthAmount: "1001", RetrefNum: "400609699313" }
      const { requests, terminal } = terminalAnswering(...recordOf(status, [historyRow("preauth 00 00 1001 N - 1")]))
      yield* terminal.query(authorization({ providerReference: null }))
      const transactions = requests.map((request) => Object(postedElements(request)))
      assert.deepStrictEqual(
        transactions.map(({ Order, Transaction }) => ({ Order, Transaction })),
        [
          { Order: ours, Transaction: { ...common, Type: "orderinq", Amount: "100" } },
          { Order: ours, Transaction: { ...common, Type: "orderhistoryinq", Amount: "100" } }
        ]
      )
      assert.deepStrictEqual(transactions[0]?.Terminal, { ...provision, HashData: hashes["100"] })
    })
  )

  it.effect("sends nothing for a currency without a number, nor without the buyer's IPv4 address", () =>
    Effect.gen(function* () {
      const { requests, terminal } = terminalAnswering()
      const { ip: _, ...unknown } = authorizeCall().buyer
      for (const changes of [
        { money: new Money({ currency: "AED", minor: 1n }) },
        { buyer: unknown },
        { buyer: { ...unknown, ip: "2001:db8::1" } },
        { buyer: { ...unknown, ip: "2001:db8::1" }, threeDS: { returnUrl } }
      ]) {
        assert.strictEqual((yield* terminal.authorize(authorizeCall(changes)))._tag, "NotSent")
      }
      assert.strictEqual(requests.length, 0)
    })
  )

  it.effect("takes an IPv4 address that is written as IPv6", () =>
    Effect.gen(function* () {
      const buyer = { ...authorizeCall().buyer, ip: "::ffff:203.0.113.7" }
      const { Customer } = yield* elementsOf((terminal) => terminal.authorize(authorizeCall({ buyer })))
      assert.strictEqual(Customer.IPAddress, "203.0.113.7")
    })
  )

  it.effect("neither releases what is captured nor refunds what is not, without asking the bank", () =>
    Effect.gen(function* () {
      const { requests, terminal } = terminalAnswering()
      const release = yield* terminal.cancel(operationCall(1n, { captures: [capture("400609700000")] }))
      const refund = yield* terminal.refund(operationCall(1n))
      assert.deepStrictEqual([release._tag, refund._tag, requests.length], ["Refused", "Refused", 0])
    })
  )

  it.effect("takes the bank's number from its record after a lost answer, and releases no capture by it", () =>
    Effect.gen(function* () {
      const lost = { authorization: authorization({ providerReference: null }) }
      const standing = recordOf({ Status: "WAITINGPOSTAUTH" }, [historyRow("preauth 00 00 1001 N - 400600000001")])
      const { requests, terminal } = terminalAnswering(...standing, xmlAnswer(""))
      yield* terminal.cancel(operationCall(1001n, lost))
      const last = requests[2]
      assert(last !== undefined)
      assert.strictEqual(Object(postedElements(last)).Transaction.OriginalRetrefNum, "400600000001")

      const captured = recordOf({ Status: "APPROVED" }, [
        historyRow("preauth 00 00 1001 N - 400600000001"),
        historyRow("postauth 00 00 1001 N - 400600000002")
      ])
      const other = terminalAnswering(...captured)
      assert.strictEqual((yield* other.terminal.cancel(operationCall(1001n, lost)))._tag, "NotSent")
      assert.strictEqual(other.requests.length, 2)
    })
  )

  it.effect("lets no text of the buyer's become an element", () =>
    Effect.gen(function* () {
      const buyer = { ...authorizeCall().buyer, email: "<Amount>1</Amount> & \u0000a" }
      const { Customer, Transaction } = yield* elementsOf((terminal) => terminal.authorize(authorizeCall({ buyer })))
      assert.strictEqual(Transaction.Amount, "1001")
      assert.strictEqual(Customer.EmailAddress, "<Amount>1</Amount> &  a")
    })
  )
})

describe("credentials", () => {
  const written = {
    merchantId: "7000679",
    terminalId: "30691298",
    provUserId: "PROVAUT",
    password: Redacted.make("a"),
    refundUserId: "PROVRFN",
    refundPassword: Redacted.make("b"),
    storeKey: Redacted.make("c")
  }
  const is = Schema.is(GarantiCredentials)

  it("are a terminal and its two users, addresses and mode left out for the live ones", () => {
    assert.isTrue(is(written))
    assert.isTrue(is({ ...written, mode: "TEST", apiUrl: "https://a.example/VPServlet" }))
    assert.isFalse(is({ ...written, terminalId: "1234567890" }))
    assert.isFalse(is({ ...written, apiUrl: "a.example" }))
    assert.isFalse(is({ ...written, mode: "LIVE" }))
  })

  it.effect("decide mode and addresses", () =>
    Effect.gen(function* () {
      const requests: Array<ProviderRequest> = []
      const { mode: _, ...live } = credentials
      const send = (request: ProviderRequest) =>
        Effect.sync(() => void requests.push(request)).pipe(Effect.as(xmlAnswer("")))
      const urls = { apiUrl: "https://a.example/VPServlet", threeDSUrl: "https://a.example/gate" }
      yield* make({ credentials: live, transport: { send } }).authorize(authorizeCall())
      yield* make({ credentials: { ...live, ...urls }, transport: { send } }).authorize(authorizeCall())
      assert.deepStrictEqual(
        requests.map((request) => [request.url, Object(postedElements(request)).Mode]),
        [
          ["https://sanalposprov.garanti.com.tr/VPServlet", "PROD"],
          ["https://a.example/VPServlet", "PROD"]
        ]
      )
      const steps = yield* Effect.forEach([live, { ...live, ...urls }], (one) =>
        make({ credentials: one, transport: { send } }).authorize(authorizeCall({ threeDS: { returnUrl } }))
      )
      assert.deepStrictEqual(
        steps.map(
          (outcome) => outcome._tag === "ActionRequired" && outcome.step.type === "form" && outcome.step.action
        ),
        ["https://sanalposprov.garanti.com.tr/servlet/gt3dengine", "https://a.example/gate"]
      )
    })
  )
})
