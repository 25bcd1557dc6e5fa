import type { ServerResponse } from "node:http"
import type { HttpServerResponse } from "effect/http"

type Page = HttpServerResponse.HttpServerResponse

const headersOf = ({ headers }: Page) => ({ ...headers, "content-type": "text/html; charset=utf-8" })
const bytesOf = ({ body }: Page) => (body._tag === "Uint8Array" ? Buffer.from(body.body) : Buffer.of())

/** The answer of the library that a page is put into. */
interface Answer {
  status: number
  body: unknown
  set(headers: Readonly<Record<string, string>>): void
}

/** Answers a request of the library with a page of ours. */
export const showPage = (ctx: Answer, page: Page) => {
  ctx.status = page.status
  ctx.set(headersOf(page))
  ctx.body = bytesOf(page)
}

/** Answers a request that the library has not seen. */
export const sendPage = (response: ServerResponse, page: Page) => {
  response.writeHead(page.status, headersOf(page)).end(bytesOf(page))
}
