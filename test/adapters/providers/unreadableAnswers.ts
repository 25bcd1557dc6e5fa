import type { ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"

const bytes = (text: string) => new TextEncoder().encode(text)
const html = (title: string) =>
  bytes(`<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`)
const htmlHeaders = { "content-type": "text/html; charset=utf-8" }

/** What may come in place of a provider's genuine answer, and tells nobody whether money moved. */
export const unreadableAnswers: Readonly<Record<string, (genuine: ProviderResponse) => ProviderResponse>> = {
  "an empty body": (genuine) => ({ ...genuine, body: new Uint8Array() }),
  "HTML with status 200": () => ({ status: 200, headers: htmlHeaders, body: html("Approved 00") }),
  "HTML with status 502": () => ({ status: 502, headers: htmlHeaders, body: html("502 Bad Gateway") }),
  "HTML with status 403": () => ({ status: 403, headers: htmlHeaders, body: html("Access denied") }),
  "a page that redirects": () => ({
    status: 302,
    headers: { location: "https://example.com/" },
    body: new Uint8Array()
  }),
  "a genuine body with status 500": (genuine) => ({ ...genuine, status: 500 }),
  "a genuine body with status 202": (genuine) => ({ ...genuine, status: 202 }),
  "status 204": () => ({ status: 204, headers: {}, body: new Uint8Array() }),
  "half of the body": (genuine) => ({ ...genuine, body: genuine.body.subarray(0, genuine.body.length >> 1) }),
  "all but the body's end": (genuine) => ({ ...genuine, body: genuine.body.subarray(0, genuine.body.length - 2) }),
  "a megabyte of noise": (genuine) => ({
    ...genuine,
    body: Uint8Array.from({ length: 1_048_576 }, (_, index) => (index * 2_654_435_761) >>> 24)
  }),
  "a body in UTF-16": (genuine) => ({
    ...genuine,
    body: new Uint8Array(Buffer.from(`\uFEFF${Buffer.from(genuine.body).toString("latin1")}`, "utf16le"))
  }),
  "a body with bytes of no character set": (genuine) => ({ ...genuine, body: Uint8Array.of(0xff, 0xfe, 0xc3, 0x28) }),
  "JSON of another shape": (genuine) => ({ ...genuine, body: bytes('{"result":"approved","code":"00"}') }),
  "a JSON text": (genuine) => ({ ...genuine, body: bytes('"succeeded"') }),
  "JSON null": (genuine) => ({ ...genuine, body: bytes("null") }),
  "an empty JSON list": (genuine) => ({ ...genuine, body: bytes("[]") }),
  "XML of another shape": (genuine) => ({
    ...genuine,
    body: bytes('<?xml version="1.0"?><Result><Response>Approved</Response></Result>')
  }),
  "a form of another shape": (genuine) => ({ ...genuine, body: bytes("Response=Approved&ProcReturnCode=00") })
}
