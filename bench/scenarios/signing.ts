import { createHmac } from "node:crypto"

const client = { id: "sandbox_client", secret: "sandbox_secret" }

/** Headers of the sandbox client, signed by the specification (version 1: timestamp, then body) and not by the gateway's own code. */
export const signatureOf = (body: string) => {
  const timestamp = String(Date.now())
  const signature = createHmac("sha256", client.secret)
    .update(timestamp + body)
    .digest("hex")
  return `x-client-id: ${client.id}\r\nx-timestamp: ${timestamp}\r\nx-signature: ${signature}\r\n`
}
