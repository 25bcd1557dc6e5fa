import { isIPv6 } from "node:net"

const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/**
 * Whose an address is: an IPv4 address stands for itself, an IPv6 one for its /64, which is one customer's (RFC 6177). The
 * shortened spellings of RFC 5952 and IPv4 addresses in IPv6 ones (RFC 4291, section 2.5.5.2) come out as what they mean.
 */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [before = "", after = ""] = address.replace(/%.*$/u, "").split("::")
  const first = groupsOf(before)
  const last = groupsOf(after)
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0")
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
