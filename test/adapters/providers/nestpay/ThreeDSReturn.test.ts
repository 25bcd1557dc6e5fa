import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { back, complete, isGenuine, notes, returnOf, without } from "./Returned.ts"
import { authorization, lira, shopAnswering, signed, version3 } from "./Sample.ts"

describe("a return", () => {
  it("is genuine with the bank's hash, however the names are spelled", () => {
    const genuine = signed(back)
    assert.isTrue(isGenuine(returnOf(genuine)))
    assert.isTrue(isGenuine(returnOf({ ...without(genuine, "HASH"), hash: genuine.HASH })))
    assert.isTrue(isGenuine(returnOf({ hash: "of the form that went out", ...genuine })))
    const { clientid = "", oid = "", ...rest } = back
    assert.isTrue(isGenuine(returnOf(signed({ ...rest, ClientId: clientid, OID: oid }))))
    assert.isTrue(isGenuine(returnOf(signed({ ...back, amount: "10.010" }))))
    assert.isTrue(isGenuine(returnOf(signed(without(back, "taksit")))))
  })

  it("is forged where any field that is hashed was altered, removed or added", () => {
    const genuine = signed(back)
    for (const name of Object.keys(back)) {
      if (name === "encoding") continue
      assert.isFalse(isGenuine(returnOf({ ...genuine, [name]: `${back[name]}x` })), name)
      assert.isFalse(isGenuine(returnOf(without(genuine, name))), name)
    }
    assert.isFalse(isGenuine(returnOf({ ...genuine, zzz: "" })))
  })

  it("is forged without a hash, with half of it, with another key's, and with the retired version 1", () => {
    const hash = version3(back)
    for (const HASH of ["", hash.slice(0, -1), hash.toLowerCase(), version3(back, "SRRF0701"), version3(back, "")]) {
      assert.isFalse(isGenuine(returnOf({ ...back, HASH })))
    }
    assert.isFalse(isGenuine(returnOf(back)))
    assert.isFalse(isGenuine(returnOf({})))
    const HASHPARAMS = "clientid:oid:mdStatus:cavv:eci:md:rnd:"
    assert.isFalse(isGenuine(returnOf(signed({ ...without(back, "hashAlgorithm"), HASHPARAMS }))))
    assert.isFalse(isGenuine(returnOf(signed({ ...back, hashAlgorithm: "ver1", HASHPARAMS }))))
  })

  const foreign: Readonly<Record<string, Partial<typeof back>>> = {
    shop: { clientid: "700655000998" },
    order: { oid: "SRF00000000000000009" },
    amount: { amount: "10.02" },
    "amount that cannot be read": { amount: "10,01" },
    currency: { currency: "978" },
    "number of installments": { taksit: "2" },
    "store type, which charges": { storetype: "3d_pay" },
    "form for the same order": { rnd: "76543210fedcba9876543210" },
    language: { lang: "en" }
  }
  for (const [what, changes] of Object.entries(foreign)) {
    it.effect(`of another ${what} is not this payment's, though it is signed`, () =>
      Effect.gen(function* () {
        const call = returnOf(signed(Object.assign({}, back, changes)))
        assert.isFalse(isGenuine(call))
        const { shop, requests } = shopAnswering()
        assert.strictEqual((yield* complete(shop, call))._tag, "Unknown")
        assert.strictEqual(requests.length, 0)
      })
    )
  }

  it("is compared with what this payment is now", () => {
    const genuine = signed(back)
    assert.isFalse(isGenuine(returnOf(genuine, { installment: 2 })))
    assert.isFalse(isGenuine(returnOf(genuine, { authorization: authorization({ notes, money: lira(1002n) }) })))
    assert.isFalse(isGenuine(returnOf(genuine, { authorization: authorization() })))
    assert.isFalse(isGenuine(returnOf(genuine, { authorization: authorization({ notes: { ...notes, rnd: "" } }) })))
  })

  it("with two names that differ in case alone is nobody's", () => {
    assert.isFalse(isGenuine(returnOf(signed({ ...back, mdstatus: "1" }))))
    assert.isFalse(isGenuine(returnOf(signed({ ...back, CAVV: "" }))))
  })

  it("whose fields were renamed under a genuine hash proves nothing", () => {
    const failed = { ...back, mdStatus: "0", txstatus: "N" }
    const hash = version3(failed)
    // The hash covers values in the order of their names: `dsId`, which is 1, becomes `mdStatus`, and what stands
    // between the two is renamed so that the order of the values stays.
    const inOrder = Object.entries(failed)
      .filter(([name]) => name !== "encoding")
      .sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
    const from = inOrder.findIndex(([name]) => name === "dsId")
    const to = inOrder.findIndex(([name]) => name === "mdStatus")
    const renamed = Object.fromEntries(
      inOrder.map(([name, value], position) => {
        if (position === from) return ["mdStatus", value]
        return position > from && position <= to ? [`mdStatus${`${position}`.padStart(2, "0")}`, value] : [name, value]
      })
    )
    assert.deepStrictEqual([renamed.mdStatus, version3(renamed)], ["1", hash])
    assert.isFalse(isGenuine(returnOf({ ...renamed, HASH: hash })))
  })
})
