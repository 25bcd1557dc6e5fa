import { isIPv4, isIPv6 } from "node:net"

/** What an organization's webhooks may reach. */
export interface Reach {
  /** Live mode: https to public addresses alone. */
  readonly livemode: boolean
  /** In TEST mode: private networks too. Ignored in live mode, which refuses to start with it. */
  readonly allowPrivate: boolean
}

/**
 * PUBLIC is reached by everyone. LOOPBACK is this machine, PRIVATE a network of the operator's. SPECIAL is never a
 * receiver: link-local addresses, multicast, documentation, tunnels, and where clouds tell machines their credentials.
 */
type AddressKind = "PUBLIC" | "LOOPBACK" | "PRIVATE" | "SPECIAL"

/** First address, length of the prefix in bits, kind. */
type Range = readonly [first: string, prefix: number, kind: AddressKind]

/**
 * The first range that holds an address tells its kind; an address in none is PUBLIC. Source: IANA IPv4 Special-Purpose
 * Address Registry (RFC 6890), with its few globally reachable parts of 192.0.0.0/24; the clouds' own documentation.
 */
const ipv4Ranges: ReadonlyArray<Range> = [
  // Metadata of clouds, in ranges that are private or public otherwise: Alibaba Cloud, Azure.
  ["100.100.100.200", 32, "SPECIAL"],
  ["168.63.129.16", 32, "SPECIAL"],
  ["127.0.0.0", 8, "LOOPBACK"],
  ["10.0.0.0", 8, "PRIVATE"],
  ["172.16.0.0", 12, "PRIVATE"],
  ["192.168.0.0", 16, "PRIVATE"],
  // Shared by the customers of a carrier (RFC 6598), and by the machines of some clouds.
  ["100.64.0.0", 10, "PRIVATE"],
  // This network (RFC 1122): Linux takes 0.0.0.0 for itself.
  ["0.0.0.0", 8, "SPECIAL"],
  // Link-local (RFC 3927), with the metadata of most clouds at 169.254.169.254.
  ["169.254.0.0", 16, "SPECIAL"],
  ["192.0.0.0", 24, "SPECIAL"],
  // Documentation (RFC 5737).
  ["192.0.2.0", 24, "SPECIAL"],
  ["198.51.100.0", 24, "SPECIAL"],
  ["203.0.113.0", 24, "SPECIAL"],
  // Relays of 6to4, given up (RFC 7526).
  ["192.88.99.0", 24, "SPECIAL"],
  // Benchmarks (RFC 2544).
  ["198.18.0.0", 15, "SPECIAL"],
  // Multicast, and all that is reserved above it, up to broadcast (RFC 5771, RFC 1112).
  ["224.0.0.0", 3, "SPECIAL"]
]

/**
 * As `ipv4Ranges`, by IANA's IPv6 Special-Purpose Address Registry. Nothing outside of 2000::/3 is given to anybody
 * (RFC 4291, 2.4), which leaves out link-local fe80::/10, site-local fec0::/10, multicast ff00::/8, discard 100::/64,
 * local NAT64 64:ff9b:1::/48, IPv4-compatible and IPv4-translated addresses, and whatever is to come.
 */
const ipv6Ranges: ReadonlyArray<Range> = [
  // Metadata of clouds, in a range that is private otherwise: Amazon, Google.
  ["fd00:ec2::", 32, "SPECIAL"],
  ["fd20:ce::", 32, "SPECIAL"],
  ["::1", 128, "LOOPBACK"],
  ["fc00::", 7, "PRIVATE"],
  // Assignments of protocols: Teredo 2001::/32, benchmarks, ORCHID (RFC 2928).
  ["2001::", 23, "SPECIAL"],
  // Documentation (RFC 3849, RFC 9637).
  ["2001:db8::", 32, "SPECIAL"],
  ["3fff::", 20, "SPECIAL"],
  // 6to4 (RFC 3056): any IPv4 address may be inside, and nobody receives there.
  ["2002::", 16, "SPECIAL"],
  ["2000::", 3, "PUBLIC"],
  ["::", 0, "SPECIAL"]
]

const ipv4Number = (text: string): bigint =>
  text.split(".").reduce((sum, part) => sum * 256n + BigInt(Number.parseInt(part, 10)), 0n)

/** The groups of a half of an IPv6 address; a dotted quad at its end is two of them. */
const groupsOf = (half: string): ReadonlyArray<bigint> =>
  half === ""
    ? []
    : half.split(":").flatMap((group) => {
        if (!group.includes(".")) return [BigInt(`0x${group}`)]
        const quad = ipv4Number(group)
        return [quad >> 16n, quad & 0xffffn]
      })

const ipv6Number = (text: string): bigint => {
  const [head = "", tail] = text.split("::")
  const before = groupsOf(head)
  const after = groupsOf(tail ?? "")
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n)
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | group, 0n)
}

const tableOf = (ranges: ReadonlyArray<Range>, bits: number, numberOf: (text: string) => bigint) => {
  const rows = ranges.map(([first, prefix, kind]) => {
    const shift = BigInt(bits - prefix)
    return { kind, shift, network: numberOf(first) >> shift }
  })
  return (address: bigint): AddressKind =>
    rows.find(({ network, shift }) => address >> shift === network)?.kind ?? "PUBLIC"
}

const kindOfIpv4 = tableOf(ipv4Ranges, 32, ipv4Number)
const kindOfIpv6 = tableOf(ipv6Ranges, 128, ipv6Number)

/** ::ffff:0:0/96 (RFC 4291, 2.5.5.2) and 64:ff9b::/96 (RFC 6052), without the IPv4 address in their last 32 bits. */
const mapped = ipv6Number("::ffff:0:0") >> 32n
const translated = ipv6Number("64:ff9b::") >> 32n

/** What an address is, by its text as resolvers and sockets write it. A text that is no address is SPECIAL. */
const kindOf = (address: string): AddressKind => {
  if (isIPv4(address)) return kindOfIpv4(ipv4Number(address))
  // A zone, as in fe80::1%eth0, is there for link-local addresses alone.
  if (!isIPv6(address) || address.includes("%")) return "SPECIAL"
  const number = ipv6Number(address)
  const embedded = kindOfIpv4(number & 0xffff_ffffn)
  if (number >> 32n === mapped) return embedded
  // A network without IPv4 reaches public addresses so; what is inside is never this machine or its network.
  if (number >> 32n === translated) return embedded === "PUBLIC" ? "PUBLIC" : "SPECIAL"
  return kindOfIpv6(number)
}

/** Whether the address is this machine's loopback, in any spelling of IPv4 inside IPv6 that reaches it. */
export const isLoopback = (address: string): boolean => kindOf(address) === "LOOPBACK"

/**
 * Why an address is not connected to, a sentence; undefined where it is. Public addresses always are, loopback ones in
 * TEST mode, and private networks in TEST mode with `allowPrivate`. Source: contract section 7.
 */
export const addressRefusal = (address: string, { allowPrivate, livemode }: Reach): string | undefined => {
  const kind = kindOf(address)
  const isAllowed = kind === "PUBLIC" || (!livemode && (kind === "LOOPBACK" || (kind === "PRIVATE" && allowPrivate)))
  return isAllowed ? undefined : `The address ${address} is not public`
}
