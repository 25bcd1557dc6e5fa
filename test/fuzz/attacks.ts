import type { Options, Piece } from "./connection.ts"
import type { Random } from "./Random.ts"

/** Bytes that are hardly HTTP, or come in a way that no honest client chooses. */

export interface Attack {
  readonly name: string
  readonly pieces: ReadonlyArray<Piece>
  readonly options?: Partial<Options>
  /** The connection may be closed without a word. */
  readonly mayBeSilent?: boolean
}

const bytes = (text: string): Piece => ({ bytes: Buffer.from(text, "latin1") })
const later = (text: string, afterMillis: number): Piece => ({ ...bytes(text), afterMillis })

const paths = [
  "/pf/v1/payments/authorize",
  "/api/expenses",
  "/healthz",
  "/pf/v1/providers/stripe/notifications"
] as const
const head = (random: Random, ...headers: ReadonlyArray<string>) =>
  `POST ${random.pick(paths)} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${headers.map((line) => `${line}\r\n`).join("")}`
const closing = "connection: close"

const garbage = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)))

type MakeAttack = (random: Random) => Omit<Attack, "name">

const attacks: Readonly<Record<string, MakeAttack>> = {
  "raw bytes": (random) => ({ pieces: [{ bytes: garbage(random, 1 + random.below(3_000)) }, bytes("\r\n\r\n")] }),
  "another protocol": (random) => ({
    pieces: [
      random.chance(0.5)
        ? bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        : { bytes: Buffer.from("16030100b1010000ad0303", "hex") },
      bytes("\r\n\r\n")
    ]
  }),
  "a version that does not exist": () => ({ pieces: [bytes("GET / HTTP/9.9\r\nhost: a\r\n\r\n")] }),
  "no host": () => ({ pieces: [bytes("GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n")] }),
  "an absolute address": (random) => ({
    pieces: [bytes(`GET http://${"a".repeat(random.below(300))}/healthz HTTP/1.1\r\nhost: a\r\n${closing}\r\n\r\n`)]
  }),
  "no address": (random) => ({
    pieces: [
      bytes(
        `${random.pick(["OPTIONS *", "CONNECT a:1", "GET ?", "GET //", "GET /%"])} HTTP/1.1\r\nhost: a\r\n${closing}\r\n\r\n`
      )
    ],
    mayBeSilent: true
  }),
  "one huge header": (random) => ({
    // The shortest of them are still taken, and answered as any other request.
    pieces: [bytes(`${head(random, closing)}x: ${"y".repeat(16_000 + random.below(100_000))}\r\n\r\n`)]
  }),
  "thousands of headers": (random) => ({
    pieces: [bytes(`${head(random, ...Array.from({ length: 3_000 }, (_, index) => `x${index}: y`))}\r\n`)]
  }),
  "a huge address": (random) => ({
    pieces: [bytes(`GET /${"a".repeat(10_000 + random.below(50_000))} HTTP/1.1\r\nhost: a\r\n${closing}\r\n\r\n`)]
  }),
  "a header with a line feed": (random) => ({ pieces: [bytes(`${head(random)}x: a\nb\r\n: c\r\n\r\n`)] }),
  "two lengths": (random) => ({
    pieces: [bytes(`${head(random, "content-length: 2", "content-length: 5")}\r\n{}abc`)]
  }),
  "a length that is none": (random) => ({
    pieces: [
      bytes(
        `${head(random, `content-length: ${random.pick(["-1", "1e3", "0x10", "99999999999999999999", " "])}`)}\r\n{}`
      )
    ]
  }),
  "a length and chunks": (random) => ({
    pieces: [bytes(`${head(random, "content-length: 4", "transfer-encoding: chunked")}\r\n2\r\n{}\r\n0\r\n\r\n`)]
  }),
  "chunks that are none": (random) => ({
    pieces: [
      bytes(
        `${head(random, "transfer-encoding: chunked")}\r\n${random.pick(["z", "-1", "fffffffffffffffff", "2"])}\r\n{}x\r\n`
      )
    ]
  }),
  "chunks with extensions": (random) => ({
    pieces: [bytes(`${head(random, "transfer-encoding: chunked")}\r\n2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)]
  }),
  "an encoding that does not exist": (random) => ({
    pieces: [bytes(`${head(random, "transfer-encoding: gzip, identity", closing)}\r\n`)]
  }),
  "a body larger than told": (random) => ({
    pieces: [bytes(`${head(random, "content-length: 2")}\r\n{}${"x".repeat(random.below(2_000) + 1)}\r\n\r\n`)]
  }),
  "a body far too large": (random) => ({
    pieces: [
      bytes(`${head(random, "content-length: 20000000", closing)}\r\n`),
      ...Array.from({ length: 20 }, () => bytes("x".repeat(100_000)))
    ],
    options: { hangUpAfterMillis: 3_000 },
    mayBeSilent: true
  }),
  "a body that does not come": (random) => ({
    pieces: [bytes(`${head(random, "content-length: 10")}\r\n{`)],
    options: { hangUpAfterMillis: random.below(1_500) },
    mayBeSilent: true
  }),
  "a slow body": (random) => ({
    pieces: [
      bytes(`${head(random, "content-length: 8", closing)}\r\n`),
      ...Array.from('{"a":1}\n', (byte) => later(byte, 100))
    ]
  }),
  "slow headers": (random) => ({
    pieces: [
      ...Array.from(`GET ${random.pick(paths)} HTTP/1.1\r\n`, (byte) => later(byte, 40)),
      bytes(`host: a\r\n${closing}\r\n\r\n`)
    ]
  }),
  "a closed half": (random) => ({
    pieces: [bytes(`GET ${random.pick(["/healthz", "/openapi.json", "/nothing"])} HTTP/1.1\r\nhost: a\r\n\r\n`)],
    options: { isHalfClosed: true }
  }),
  "half a request and a closed half": (random) => ({
    pieces: [bytes(head(random, "content-length: 50").slice(0, 20 + random.below(60)))],
    options: { isHalfClosed: true },
    mayBeSilent: true
  }),
  "many requests at once on one connection": (random) => {
    const count = 2 + random.below(30)
    const one = () =>
      `GET ${random.pick(["/healthz", "/nothing", "/pf/v1/payments", "/api/expenses"])} HTTP/1.1\r\nhost: a\r\n`
    return {
      pieces: [bytes(`${Array.from({ length: count }, () => `${one()}\r\n`).join("")}${one()}${closing}\r\n\r\n`)]
    }
  },
  "good requests and then bytes": (random) => ({
    pieces: [
      bytes("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n".repeat(3)),
      { bytes: garbage(random, 500) },
      bytes("\r\n\r\n")
    ]
  }),
  "an expectation": (random) => ({
    pieces: [
      bytes(`${head(random, `expect: ${random.pick(["100-continue", "tea"])}`, "content-length: 2", closing)}\r\n{}`)
    ]
  }),
  "an upgrade": (random) => ({
    pieces: [
      bytes(
        `GET ${random.pick(paths)} HTTP/1.1\r\nhost: a\r\nconnection: ${random.pick(["upgrade", "upgrade, close"])}\r\nupgrade: ${random.pick(["websocket", "h2c"])}\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
      )
    ],
    options: { hangUpAfterMillis: 1_000 },
    mayBeSilent: true
  }),
  "a client that is gone at once": (random) => ({
    pieces: [bytes(`${head(random, "content-length: 2")}\r\n{}`)],
    options: { hangUpAfterMillis: random.below(5) },
    mayBeSilent: true
  }),
  nothing: () => ({ pieces: [], options: { hangUpAfterMillis: 300 }, mayBeSilent: true })
}

export const makeAttack = (random: Random): Attack => {
  const [first, ...others] = Object.entries(attacks)
  if (first === undefined) throw new Error("There is no attack.")
  const [name, make] = random.pick([first, ...others])
  return { name, ...make(random) }
}

/** Bytes of a request head, one every half second, so that it would take minutes. */
export const slowLoris = (): ReadonlyArray<Piece> =>
  Array.from(`GET /healthz HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(200)}`, (byte) => later(byte, 500))
