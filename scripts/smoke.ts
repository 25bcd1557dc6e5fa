// Starts the server as a user would, takes one signed payment through it from authorization to partial refund, stops it.
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "sarraf-smoke-"))
const server = spawn("npm", ["start"], {
  env: { ...process.env, PORT: "0", SARRAF_DATA_DIR: join(folder, "data") },
  stdio: ["ignore", "pipe", "inherit"]
})
const ended = new Promise<number | null>((resolve) => server.once("exit", resolve))

/** The address that the server announces; fails when it ends before that. */
const address = async (): Promise<string> => {
  let output = ""
  for await (const chunk of server.stdout) {
    output += String(chunk)
    const found = /Sarraf is ready at (http:\/\/[\w.:[\]]+)/.exec(output)
    if (found?.[1] !== undefined) return found[1]
  }
  throw new Error(`The server ended before it was ready:\n${output}`)
}

interface Answer {
  readonly transactionId: string
  readonly status: string
  readonly refundedAmount: number
}

const send = async (url: string, body: object): Promise<Answer> => {
  const text = JSON.stringify(body)
  const timestamp = String(Date.now())
  const signature = createHmac("sha256", "sandbox_secret")
    .update(timestamp + text)
    .digest("hex")
  const headers = {
    "content-type": "application/json",
    "x-client-id": "sandbox_client",
    "x-timestamp": timestamp,
    "x-signature": signature
  }
  const response = await fetch(url, { method: "POST", headers, body: text })
  const answer = await response.json()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer as Answer
}

const payment = {
  amount: 149.9,
  currency: "TRY",
  merchantReference: "smoke-1",
  cardNumber: "4111 1111 1111 1111",
  cardExpMonth: "12",
  cardExpYear: "2030",
  cardCvc: "123",
  buyer: { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" },
  billingAddress: { address: "Istiklal 1", city: "Istanbul", country: "TR" }
}

let failed = false
try {
  const url = await address()
  const { transactionId } = await send(`${url}/pf/v1/payments/authorize`, payment)
  await send(`${url}/pf/v1/payments/${transactionId}/capture`, {})
  const { refundedAmount, status } = await send(`${url}/pf/v1/payments/${transactionId}/refund`, { amount: 49.9 })
  if (status !== "PARTIALLY_REFUNDED" || refundedAmount !== 49.9)
    throw new Error(`Unexpected end: ${status} ${refundedAmount}`)
  console.log(`${transactionId}: authorized 149.90 TRY, captured, refunded 49.90`)
} catch (error) {
  failed = true
  console.error(error)
}
server.kill("SIGTERM")
const code = await ended
rmSync(folder, { recursive: true, force: true })
if (code !== 0) console.error(`The server ended with ${code} instead of 0.`)
process.exit(failed || code !== 0 ? 1 : 0)
