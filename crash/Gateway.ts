import { setTimeout as pause } from "node:timers/promises"
import { type BuyerAnswer, visit } from "../test/e2e/support/browser.ts"
import { authorizePath, pathOf, type SignedRequest, sandbox, signRequest } from "../test/e2e/support/Client.ts"
import { sendAndHangUp } from "../test/e2e/support/wire.ts"
import {
  type Answered,
  type Asked,
  type ClientRecord,
  codeOf,
  patienceMillis,
  type Sent,
  toldBy
} from "./ClientRecord.ts"

/** Connecting and sending take less. */
const hangUpMillis = 2_000
/** A buyer gives up on pages that do not come. */
const visitMillis = 8_000
const shop = "https://shop.example/"
/** Enough of a page to know which it was. */
const excerptMax = 200

/** A request before it is signed; the same under its key however often it is sent. */
export type Request = Omit<Sent, "number" | "at" | "asked"> & {
  readonly asked: Exclude<Asked, "visit">
  readonly body: unknown
}

const signed = ({ asked, body, key, paymentId }: Request): SignedRequest => {
  const options = key === null ? {} : { idempotencyKey: key }
  if (asked === "find") return signRequest(sandbox, "GET", pathOf(paymentId ?? ""), undefined, options)
  const path = asked === "authorize" ? authorizePath : pathOf(paymentId ?? "", asked)
  return signRequest(sandbox, "POST", path, body, options)
}

const recorded = ({ body: _, ...sent }: Request) => sent

/** The gateway as its clients reach it: every request is on the record before it goes out, and so is what came back. */
export const makeGateway = (url: string, record: ClientRecord) => ({
  /** Undefined where nothing came back. */
  send: async (request: Request): Promise<Omit<Answered, "at">> => {
    const number = record.send(recorded(request))
    const { body, headers, method, path } = signed(request)
    const answered = await fetch(new URL(path, url), {
      method,
      headers,
      signal: AbortSignal.timeout(patienceMillis),
      ...(body === undefined ? {} : { body: new Uint8Array(body) })
    })
      .then(async (response) => {
        const json: unknown = JSON.parse(await response.text())
        return {
          number,
          status: response.status,
          code: codeOf(json),
          isReplayed: response.headers.get("idempotent-replayed") === "true",
          told: toldBy(json)
        }
      })
      .catch((error: Error) => {
        const why = error.cause instanceof Error ? error.cause.message : error.message
        return { number, status: null, code: why, isReplayed: false, told: null }
      })
    record.answer(answered)
    return answered
  },
  /** The buyer's way from a payment's page to the issuer and back; true where it ended at the shop. */
  visit: async (page: string, buyer: BuyerAnswer, about: Pick<Sent, "story" | "paymentId">): Promise<boolean> => {
    const number = record.send({ ...about, asked: "visit", key: null, minor: null, currency: null })
    const ended = await Promise.race([
      visit(page, buyer, shop).then(
        ({ html, url }) => ({ isBack: html === undefined, code: (html ?? url.href).replaceAll(/\s+|<[^>]*>/g, " ") }),
        (error: Error) => ({ isBack: false, code: error.message })
      ),
      pause(visitMillis, { isBack: false, code: "the pages did not come" }, { ref: false })
    ])
    const code = ended.code.slice(0, excerptMax)
    record.answer({ number, status: ended.isBack ? 200 : null, code, isReplayed: false, told: null })
    return ended.isBack
  },
  /** Sends it and goes away. */
  hangUp: async (request: Request, afterMillis: number): Promise<void> => {
    record.send(recorded(request))
    await Promise.race([
      sendAndHangUp(url, signed(request), afterMillis).catch(() => undefined),
      // A connection that broke before is not closed a second time.
      pause(afterMillis + hangUpMillis, undefined, { ref: false })
    ])
  }
})
export type Gateway = ReturnType<typeof makeGateway>
