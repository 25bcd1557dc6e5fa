import { createHash } from "node:crypto"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import type { ReceiptPlace } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect } from "effect"

/** What contents are told apart by, and named after. */
export const digest = (content: Uint8Array): Effect.Effect<string> =>
  Effect.sync(() => createHash("sha256").update(content).digest("hex"))

/** `org_…/ab/ab12…`: of an identifier and a digest alone, so that nothing a person wrote becomes a path. */
export const nameOf = ({ organizationId, sha256 }: ReceiptPlace): string => {
  if (!/^org_[0-9a-z_]{1,60}$/u.test(organizationId) || !/^[0-9a-f]{64}$/u.test(sha256)) {
    throw new Error("A receipt is kept under an organization's id and a SHA-256")
  }
  return `${organizationId}/${sha256.slice(0, 2)}/${sha256}`
}

/** What goes wrong in a storage is for its operator to know; a caller can only try again. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, Unavailable> =>
  Effect.tryPromise({ try: run, catch: (error) => (error instanceof Error ? error.message : String(error)) }).pipe(
    Effect.tapError((reason) => Effect.logWarning(`A receipt could not be ${what}: ${reason}`)),
    Effect.mapError(() => new Unavailable())
  )
