import type { AssistantPrincipal } from "@sarraf/domain/assistants/AssistantPrincipal"
import { ConnectionTokens } from "@sarraf/domain/assistants/ConnectionTokens"
import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { AssistantTokens } from "@sarraf/domain/organizations/AssistantTokens"
import type { Catalogue } from "@sarraf/runtime-mcp/catalogue/Catalogue"
import { type AssistantListener, makeAssistantListener } from "@sarraf/runtime-mcp/http/assistantListener"
import { Effect, Layer, Logger, Redacted } from "effect"
import { listen } from "./Loopback.ts"

const far = Date.UTC(2100, 0, 1)

/** Tokens of two organizations, one of live mode, and a second one of the first organization. */
const assistantTokens = new Map(
  [
    ["mcp_fixture", "org_fixture", false],
    ["mcp_colleague", "org_fixture", false],
    ["mcp_neighbour", "org_neighbour", false],
    ["mcp_live", "org_live", true]
  ].map(([token, organizationId, livemode]) => [
    token,
    {
      organizationId: String(organizationId),
      id: `mcpt_${token}`,
      userId: `usr_${token}`,
      role: "OWNER" as const,
      expiresAt: far,
      livemode: livemode === true
    }
  ])
)

const connection = (scopes: ReadonlyArray<string>): AssistantPrincipal => ({
  organizationId: "org_fixture",
  userId: "usr_connected",
  role: "MEMBER",
  credential: "connection:con_1",
  clientId: "https://assistant.example/client.json",
  scopes,
  expiresAt: far,
  livemode: false
})

/** Access tokens of the authorization server. */
const connectionTokens = new Map([
  ["connected-with-the-scope", connection(["mcp:read"])],
  ["connected-without-the-scope", connection(["offline_access"])]
])

interface FixtureOptions {
  readonly burst?: number
  readonly perSecond?: number
  readonly callMillisMax?: number
  /** Whether the audit trail cannot be written. */
  readonly isAuditAway?: boolean
  /** Whether tokens cannot be looked up. */
  readonly isDatabaseAway?: boolean
}

/** A catalogue behind the real listener and guard, with ports in memory. */
export const serveCatalogue = async (
  catalogue: Catalogue,
  { burst = 10_000, callMillisMax = 30_000, isAuditAway, isDatabaseAway, perSecond = 10_000 }: FixtureOptions = {}
) => {
  const audited: Array<AuditEntry> = []
  const logged: Array<string> = []
  /** Every token that was looked up. */
  const asked: Array<string> = []
  const ports = Layer.mergeAll(
    Layer.succeed(AssistantTokens, {
      find: (token) => {
        asked.push(Redacted.value(token))
        return isDatabaseAway === true
          ? Effect.fail(new Unavailable())
          : Effect.succeed(assistantTokens.get(Redacted.value(token)))
      }
    }),
    Layer.succeed(ConnectionTokens, {
      find: (token) => Effect.succeed(connectionTokens.get(Redacted.value(token)))
    }),
    Layer.mock(AuditTrail, {
      append: (entry) =>
        isAuditAway === true ? Effect.fail(new Unavailable()) : Effect.sync(() => void audited.push(entry))
    })
  )
  const logs = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
  let listener: AssistantListener | undefined
  const { close, port } = await listen((request, response) => {
    const address = request.socket.remoteAddress ?? null
    listener?.handle(request, response, { requestId: "req_fixture", address, network: address ?? "" })
  })
  const url = `http://127.0.0.1:${port}/mcp`
  listener = await Effect.runPromise(
    makeAssistantListener(catalogue, {
      url,
      authorizationServer: `http://127.0.0.1:${port}`,
      livemode: false,
      rate: { burst, perSecond },
      callMillisMax
    }).pipe(Effect.provide([ports, logs]))
  )
  return { asked, audited, close, logged, port, url }
}
