import { FindMyWay, type HttpRouter } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

/** `page`: its failures are pages of its own, not problems. */
export type ServedRoute = readonly [method: string, path: HttpRouter.PathInput, kind?: "page"]

/** GET answers HEAD as well: the router falls back to it. */
const withHead = (methods: ReadonlySet<string>) => (methods.has("GET") ? new Set([...methods, "HEAD"]) : methods)

/** Routes that differ only in the names of their parameters are the same path. */
const samePath = (path: string) => path.replace(/:\w+/g, ":parameter") as HttpRouter.PathInput

/**
 * Which methods a path does have. The router itself only says that it knows no route for this method and path, which is
 * 404 where nothing is and 405 where another method is (RFC 9110, section 15.5.6).
 */
export const makeAllowedMethods = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  alsoServed: ReadonlyArray<ServedRoute>,
  config: Partial<FindMyWay.RouterConfig>
) => {
  const served: Array<ServedRoute> = [...alsoServed]
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      served.push([endpoint.method, endpoint.path as HttpRouter.PathInput])
    }
  })
  const byPath = Map.groupBy(served, ([, path]) => samePath(path))
  const router = FindMyWay.make<string>(config)
  for (const [path, routes] of byPath) {
    router.on("GET", path, [...withHead(new Set(routes.map(([method]) => method)))].sort().join(", "))
  }
  /** The value of an `Allow` header; `undefined` when nothing is served at the path. */
  return (url: string): string | undefined => router.find("GET", url)?.handler
}
