import type { RequestListener } from "node:http"
import { Context } from "effect"

/** What answers some addresses itself, beside the routes of the API: the assistant server, the authorization server. */
export interface Beside {
  /** Whether an address is its, by its path without the query. */
  owns(path: string): boolean
  readonly handle: RequestListener
}

/** Who answers what the router does not. Layers add themselves while the server starts, before the first request. */
export class BesideAddresses extends Context.Service<
  BesideAddresses,
  {
    add(one: Beside): void
    /** By the request's target, `/mcp?x=1`. */
    find(target: string | undefined): RequestListener | undefined
  }
>()("@sarraf/runtime-http/http/BesideAddresses") {
  static readonly make = (): BesideAddresses["Service"] => {
    const all: Array<Beside> = []
    return {
      add: (one) => void all.push(one),
      find: (target = "") => {
        const path = target.split("?", 1)[0] ?? ""
        return all.find(({ owns }) => owns(path))?.handle
      }
    }
  }
}
