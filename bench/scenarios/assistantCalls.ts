import { post, type Scenario } from "./Scenario.ts"

/** The sandbox's assistant, as hosts call it today: revision 2025-11-25, each call for itself. */
const headers =
  "authorization: Bearer mcp_sandbox\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n"

/** Calls of one tool. The baseline has no assistant server. */
const callsOf = (name: string, input: Readonly<Record<string, unknown>> = {}): Scenario => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } })
  const text = post("/mcp", headers, body)
  return { stock: undefined, subject: () => () => ({ text }), baseline: () => () => undefined }
}

/** The least that a call costs: token, audit entry, and three short questions. */
export const whoami = callsOf("whoami")
export const listExpenses = callsOf("list_expenses", { limit: 25 })
export const dashboard = callsOf("get_dashboard_stats")
