import { request as httpRequest } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { listen } from "@sarraf/runtime-http/http/Server"
import { Effect, type Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly bytes: Buffer
  readonly text: string
}

/** Serves routes as the program does: the handler first, the port last. Gives a client of that port. */
export const serving = <E, R>(routes: Layer.Layer<never, E, R>) =>
  Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(routes)
    const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
    const handler = yield* NodeHttpServer.makeHandler(app, { scope })
    const { port } = yield* listen((request, response) => handler(request, response), { host: "127.0.0.1", port: 0 })
    return (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = "") =>
      Effect.callback<Answer, Error>((resume) => {
        const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () => {
            const bytes = Buffer.concat(chunks)
            const { headers, statusCode = 0 } = response
            resume(Effect.succeed({ status: statusCode, headers, bytes, text: bytes.toString() }))
          })
        })
        sent.on("error", (error) => resume(Effect.fail(error)))
        sent.end(body)
        return Effect.sync(() => sent.destroy())
      })
  })
