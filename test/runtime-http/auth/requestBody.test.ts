import { connect } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { readBody } from "@sarraf/runtime-http/auth/requestBody"
import { listen } from "@sarraf/runtime-http/http/Server"
import { Effect, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

const bytesMax = 8

/** Reads the body twice, then as text the way the API's decoder does, and answers with all three. */
const echo = HttpRouter.add(
  "POST",
  "/echo",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const first = yield* readBody(bytesMax)
    const second = yield* readBody(bytesMax)
    const text = yield* request.text
    return HttpServerResponse.text(
      [first, second]
        .map((bytes) => Buffer.from(bytes).toString())
        .concat(text)
        .join("|")
    )
  }).pipe(
    Effect.catchTags({
      PAYLOAD_TOO_LARGE: () => Effect.succeed(HttpServerResponse.text("too large", { status: 413 })),
      INVALID_REQUEST: () => Effect.succeed(HttpServerResponse.text("broken", { status: 400 }))
    })
  )
)

/** Sends each piece on its own, the next when the one before has arrived, and gives what comes back until the end. */
const exchange = (pieces: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(echo)
    const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
    const handler = yield* NodeHttpServer.makeHandler(app, { scope })
    const rest = [...pieces]
    const { port } = yield* listen(
      (request, response) => {
        handler(request, response)
        request.on("data", () => socket?.write(rest.shift() ?? ""))
      },
      { host: "127.0.0.1", port: 0 }
    )
    let socket: ReturnType<typeof connect> | undefined
    return yield* Effect.callback<string>((resume) => {
      let answer = ""
      socket = connect({ host: "127.0.0.1", port })
      socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
      socket.on("close", () => resume(Effect.succeed(answer)))
      socket.write(rest.shift() ?? "")
    })
  })

const head = (headers: string) => `POST /echo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n\r\n`

it.live("puts the pieces of a body together, and gives them again to whoever asks later", () =>
  Effect.gen(function* () {
    const chunked = yield* exchange([`${head("transfer-encoding: chunked")}3\r\nabc\r\n`, "2\r\nde\r\n", "0\r\n\r\n"])
    assert.match(chunked, /^HTTP\/1\.1 200 .*abcde\|abcde\|abcde/su)
    const whole = yield* exchange([`${head("content-length: 8")}12345678`])
    assert.match(whole, /^HTTP\/1\.1 200 .*12345678\|12345678\|12345678/su)
  }).pipe(Effect.scoped)
)

it.live("finds no body where none is announced", () =>
  Effect.gen(function* () {
    assert.match(yield* exchange([head("content-length: 0")]), /^HTTP\/1\.1 200 .*\|\|/su)
    assert.match(yield* exchange([head("accept: */*")]), /^HTTP\/1\.1 200 .*\|\|/su)
  }).pipe(Effect.scoped)
)

it.live("refuses one byte more than it may have, announced or not", () =>
  Effect.gen(function* () {
    assert.match(yield* exchange([`${head("content-length: 9")}123456789`]), /^HTTP\/1\.1 413 .*too large/su)
    const chunked = [`${head("transfer-encoding: chunked")}8\r\n12345678\r\n`, "1\r\n9\r\n", "0\r\n\r\n"]
    assert.match(yield* exchange(chunked), /^HTTP\/1\.1 413 .*too large/su)
  }).pipe(Effect.scoped)
)
