import { assert, describe, it } from "@effect/vitest"
import { passwordFault } from "@sarraf/domain/organizations/Passwords"
import { Redacted } from "effect"

const fault = (password: string) => passwordFault(Redacted.make(password), "ayse@example.com")

describe("A new password", () => {
  it("has 8 to 200 characters, counted as people count them", () => {
    assert.isUndefined(fault("12345678"))
    assert.isUndefined(fault("x".repeat(200)))
    assert.isUndefined(fault("🔑".repeat(200)))
    assert.isDefined(fault("1234567"))
    assert.isDefined(fault("🔑".repeat(7)))
    assert.isDefined(fault("x".repeat(201)))
  })

  it("is not the e-mail address, however it is written", () => {
    for (const same of ["ayse@example.com", "Ayse@Example.COM", " ayse@example.com "]) assert.isDefined(fault(same))
    assert.isUndefined(fault("ayse@example.com!"))
  })
})
