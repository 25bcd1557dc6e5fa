import { type LogLevel, Redacted, Result } from "effect"

/** Why a text is not a value: `wrong` continues "PORT …", `accepted` continues "accepted: …". Neither repeats a secret. */
export interface Refusal {
  readonly wrong: string
  readonly accepted: string
}

export type Parser<A> = (text: string) => Result.Result<A, Refusal>

const refuse = (wrong: string, accepted: string) => Result.fail({ wrong, accepted })

/** Short plain values are repeated, since the reader looks for them; anything longer could be a secret in the wrong place. */
const quoted = (text: string) => (/^[\w.:-]{1,20}$/.test(text) ? `is "${text}"` : "is something else")

export const wholeNumber =
  (minimum: number, maximum: number, note = ""): Parser<number> =>
  (text) => {
    const accepted = `a whole number from ${minimum} to ${maximum}${note}`
    const value = Number(text)
    return /^\d{1,10}$/.test(text) && value >= minimum && value <= maximum
      ? Result.succeed(value)
      : refuse(quoted(text), accepted)
  }

export const oneOf =
  <const Choice extends string>(choices: ReadonlyArray<Choice>): Parser<Choice> =>
  (text) => {
    const found = choices.find((choice) => choice === text.toLowerCase())
    return found === undefined ? refuse(quoted(text), choices.join(" or ")) : Result.succeed(found)
  }

export const trueOrFalse: Parser<boolean> = (text) =>
  Result.map(oneOf(["true", "false"])(text), (choice) => choice === "true")

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

export const logLevel: Parser<LogLevel.LogLevel> = (text) => {
  const level = levels[text.toLowerCase()]
  return level === undefined ? refuse(quoted(text), Object.keys(levels).join(", ")) : Result.succeed(level)
}

export const path: Parser<string> = (text) =>
  text.includes("\0") ? refuse("contains a zero byte", "a path of the file system") : Result.succeed(text)

export const hostName: Parser<string> = (text) =>
  /^[\w.:%-]+$/.test(text)
    ? Result.succeed(text)
    : refuse("is not a host", "a host name or an IP address of this machine, without a scheme or a port")

/** Several names of hosts, separated by commas, in lower case and without a port. */
export const hostNames: Parser<ReadonlyArray<string>> = (text) => {
  const names = text.split(",").map((name) => name.trim().toLowerCase())
  return names.every((name) => /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(name))
    ? Result.succeed(names)
    : refuse("is something else", "host names such as example.com, without a scheme or a port, comma-separated")
}

/** An absolute URL without its closing slash, so that a path can be put behind it. */
export const httpUrl: Parser<string> = (text) => {
  const accepted = "an address such as https://pay.example.com, without a query"
  if (!URL.canParse(text)) return refuse("is not a URL", accepted)
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") return refuse("is not an http or https URL", accepted)
  if (url.search !== "" || url.hash !== "") return refuse("has a query or a fragment", accepted)
  if (url.username !== "" || url.password !== "") return refuse("contains a user name or a password", accepted)
  return Result.succeed(url.href.replace(/\/+$/, ""))
}

/** The same with a path of its own, beside which other addresses of the host have room. */
export const endpointUrl: Parser<string> = (text) =>
  Result.flatMap(httpUrl(text), (url) =>
    new URL(url).pathname === "/"
      ? refuse("has no path", "an address with one, such as https://pay.example.com/mcp")
      : Result.succeed(url)
  )

/** As Amazon S3 names buckets ("Bucket naming rules"). */
export const bucketName: Parser<string> = (text) =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)
    ? Result.succeed(text)
    : refuse(quoted(text), "3 to 63 lower-case letters, digits, dots and hyphens")

/** Never repeated: an access key stands near its secret, and is easily taken for it. */
export const plainName: Parser<string> = (text) =>
  /^[\w.-]{1,128}$/.test(text)
    ? Result.succeed(text)
    : refuse("is something else", "letters, digits, dots, hyphens and underscores")

export const secret: Parser<Redacted.Redacted<string>> = (text) => Result.succeed(Redacted.make(text))

/** May hold a password, so it is redacted from here on. */
export const databaseUrl: Parser<Redacted.Redacted<string>> = (text) =>
  URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)
    ? Result.succeed(Redacted.make(text))
    : refuse("is not a PostgreSQL URL", "postgresql://user:password@host:5432/database")

/** AES-256 takes 32 bytes. */
const keyBytes = 32
const keyAccepted = `${keyBytes} random bytes in base64, as \`openssl rand -base64 ${keyBytes}\` prints them`

const decodeKey = (text: string): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return Result.fail("is not base64")
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  return bytes.length === keyBytes ? Result.succeed(Redacted.make(bytes)) : Result.fail(`has ${bytes.length} bytes`)
}

export const encryptionKey: Parser<Redacted.Redacted<Uint8Array>> = (text) =>
  Result.mapError(decodeKey(text), (wrong) => ({ wrong, accepted: keyAccepted }))

/** Several keys, separated by commas; the first that is wrong is named by its position, never by its text. */
export const encryptionKeys: Parser<ReadonlyArray<Redacted.Redacted<Uint8Array>>> = (text) => {
  const keys: Array<Redacted.Redacted<Uint8Array>> = []
  for (const [index, part] of text.split(",").entries()) {
    const key = decodeKey(part.trim())
    if (Result.isFailure(key)) {
      return refuse(`has a wrong key at position ${index + 1}, which ${key.failure}`, `${keyAccepted}, comma-separated`)
    }
    keys.push(key.success)
  }
  return Result.succeed(keys)
}

/** Fewer different bytes than any random key has: an example copied from a document, or all zeros. */
export const isExampleKey = (key: Redacted.Redacted<Uint8Array>) => new Set(Redacted.value(key)).size < 8
