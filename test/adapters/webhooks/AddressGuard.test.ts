import { BlockList } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { addressRefusal } from "@sarraf/adapters/webhooks/AddressGuard"
import { Schema } from "effect"

const live = { livemode: true, allowPrivate: false }
const test = { livemode: false, allowPrivate: false }
const testPrivate = { livemode: false, allowPrivate: true }

/** Everything of IPv4 that live mode refuses, as the registry of IANA has it, in another form than the guard's. */
const loopbackRange = ["127.0.0.0", "127.255.255.255"] as const
const privateRanges = [
  ["10.0.0.0", "10.255.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["100.64.0.0", "100.100.100.199"],
  ["100.100.100.201", "100.127.255.255"]
] as const
const specialRanges = [
  ["0.0.0.0", "0.255.255.255"],
  ["100.100.100.200", "100.100.100.200"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"]
] as const
const ranges = [loopbackRange, ...privateRanges, ...specialRanges]

const refused = new BlockList()
for (const [first, last] of ranges) refused.addRange(first, last, "ipv4")

const numberOf = (address: string) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
const textOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join(".")
const hexOf = (address: string) => {
  const hex = numberOf(address).toString(16).padStart(8, "0")
  return [hex.slice(0, 4), hex.slice(4)].map((group) => Number.parseInt(group, 16).toString(16)).join(":")
}

/** The forms in which IPv4 addresses are inside those of IPv6. */
const embeddings: Readonly<Record<string, (address: string) => string>> = {
  mapped: (address) => `::ffff:${address}`,
  "mapped, in hexadecimal": (address) => `::ffff:${hexOf(address)}`,
  "mapped, in full": (address) => `0:0:0:0:0:ffff:${address}`,
  "mapped, in capitals": (address) => `::FFFF:${hexOf(address).toUpperCase()}`,
  compatible: (address) => `::${address}`,
  translated: (address) => `::ffff:0:${address}`,
  NAT64: (address) => `64:ff9b::${address}`,
  "NAT64, in hexadecimal": (address) => `64:ff9b::${hexOf(address)}`,
  "local NAT64": (address) => `64:ff9b:1::${address}`,
  "6to4": (address) => `2002:${hexOf(address)}::1`,
  "Teredo's server": (address) => `2001:0:${hexOf(address)}::1`,
  "Teredo's client": (address) => `2001::${hexOf(textOf(~numberOf(address) >>> 0))}`
}
/** Those in which a public address is reached, and reached as itself. */
const reaching = [
  "mapped",
  "mapped, in capitals",
  "mapped, in hexadecimal",
  "mapped, in full",
  "NAT64",
  "NAT64, in hexadecimal"
]

const Word = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))
const Part = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const FirstOfRange = Schema.Literals(ranges.map(([first]) => first))
const rangeFrom = (start: string) => ranges.find(([first]) => first === start) ?? loopbackRange
const group = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
const Groups = Schema.Tuple([group, group, group, group, group, group, group])

/** An address between two, these included. */
const between = ([first, last]: readonly [string, string], part: number) =>
  textOf(numberOf(first) + Math.floor(part * (numberOf(last) - numberOf(first))))

const isRefused = (address: string) => addressRefusal(address, live) !== undefined

describe("an address is connected to in live mode only where it is public", () => {
  it.prop("every IPv4 address of a special range is refused", [FirstOfRange, Part], ([first, part]) => {
    const range = rangeFrom(first)
    for (const address of [...range, between(range, part)]) assert.isTrue(isRefused(address), address)
  })

  it.prop("every IPv4 address outside of them is not", [Word], ([word]) => {
    const address = textOf(word)
    assert.strictEqual(isRefused(address), refused.check(address, "ipv4"), address)
  })

  it("the neighbours of each range are judged by themselves", () => {
    for (const [first, last] of ranges) {
      const neighbours = [numberOf(first) - 1, numberOf(last) + 1].filter((n) => n >= 0 && n < 2 ** 32).map(textOf)
      for (const address of neighbours) {
        assert.strictEqual(isRefused(address), refused.check(address, "ipv4"), address)
      }
    }
  })

  it.prop("no form of IPv6 hides an IPv4 address of a special range", [FirstOfRange, Part], ([first, part]) => {
    const range = rangeFrom(first)
    for (const inner of [...range, between(range, part)]) {
      for (const [form, embed] of Object.entries(embeddings)) assert.isTrue(isRefused(embed(inner)), `${form} ${inner}`)
    }
  })

  it.prop("a public IPv4 address inside of IPv6 is reached where it stands for itself", [Word], ([word]) => {
    const inner = textOf(word)
    for (const [form, embed] of Object.entries(embeddings)) {
      const expected = reaching.includes(form) ? refused.check(inner, "ipv4") : true
      assert.strictEqual(isRefused(embed(inner)), expected, `${form} ${inner}`)
    }
  })

  it.prop("nothing outside of 2000::/3 is reached but IPv4", [group, Groups], ([first, rest]) => {
    const address = [first, ...rest].map((one) => one.toString(16)).join(":")
    const isGlobal = first >= 0x2000 && first < 0x4000
    const isSpecial =
      (first === 0x2001 && (rest[0] < 0x0200 || rest[0] === 0x0db8)) ||
      first === 0x2002 ||
      (first === 0x3fff && rest[0] < 0x1000)
    assert.strictEqual(isRefused(address), !isGlobal || isSpecial, address)
  })
})

const special = [
  "::",
  "::2",
  "64:ff9b:1::808:808",
  "100::1",
  "100:0:0:1::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:808:808::1",
  "3fff::1",
  "3fff:fff:ffff::1",
  "5f00::1",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "fd00:ec2::254",
  "fd20:ce::254",
  "64:ff9b::127.0.0.1",
  "64:ff9b::10.0.0.5",
  "::127.0.0.1",
  "169.254.169.254",
  "::ffff:169.254.169.254",
  "100.100.100.200",
  "168.63.129.16",
  "0.0.0.0"
]
const publicOnes = ["93.184.215.14", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "64:ff9b::808:808"]
const privateOnes = ["10.0.0.5", "172.31.255.255", "192.168.1.1", "100.64.0.1", "::ffff:10.0.0.5", "fd12:3456::1"]
const loopback = ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"]
const noAddresses = [
  "",
  "localhost",
  "10.0.0.256",
  "010.0.0.1",
  "0x7f.1",
  "2130706433",
  "::1%lo",
  "[::1]",
  "1.2.3",
  ":::"
]

describe("what is allowed in TEST mode", () => {
  it("is loopback", () => {
    for (const address of loopback) {
      assert.isUndefined(addressRefusal(address, test), address)
      assert.isDefined(addressRefusal(address, live), address)
    }
  })

  it("is private networks where that is set", () => {
    for (const address of privateOnes) {
      assert.isUndefined(addressRefusal(address, testPrivate), address)
      assert.isDefined(addressRefusal(address, test), address)
      assert.isDefined(addressRefusal(address, live), address)
    }
  })

  it("is never what is private to everyone: metadata of clouds, link-local, multicast, tunnels, documentation", () => {
    for (const address of special) {
      for (const reach of [live, test, testPrivate]) assert.isDefined(addressRefusal(address, reach), address)
    }
  })

  it("is public addresses, as in live mode", () => {
    for (const address of publicOnes) {
      for (const reach of [live, test, testPrivate]) assert.isUndefined(addressRefusal(address, reach), address)
    }
  })

  it("is nothing that is no address", () => {
    for (const text of noAddresses) assert.isDefined(addressRefusal(text, testPrivate), text)
  })

  it("is no private network in live mode, whatever is set", () => {
    assert.isDefined(addressRefusal("10.0.0.5", { livemode: true, allowPrivate: true }))
  })

  it("and what is refused is named", () => {
    assert.strictEqual(addressRefusal("10.0.0.5", live), "The address 10.0.0.5 is not public")
  })
})
