import { assert, describe, it } from "@effect/vitest"
import { drawsOf } from "../../crash/Draw.ts"
import { readOptions } from "../../crash/options.ts"
import { type FaultKind, scheduleOf } from "../../crash/schedule.ts"
import { authorizationBody, type Story, storyOf } from "../../crash/story.ts"

const stories = (seed: number): ReadonlyArray<Story> =>
  Array.from({ length: 400 }, (_, number) => storyOf(seed, number % 7, number))

describe("draws", () => {
  it("are the same for the same seed and part, and others for another", () => {
    const numbers = (seed: number, part: string) => {
      const draw = drawsOf(seed, part)
      return Array.from({ length: 20 }, () => draw.whole(0, 1_000_000))
    }
    assert.deepStrictEqual(numbers(7, "faults"), numbers(7, "faults"))
    assert.notDeepEqual(numbers(7, "faults"), numbers(8, "faults"))
    assert.notDeepEqual(numbers(7, "faults"), numbers(7, "c1-1"))
  })

  it("reach both ends and nothing beyond", () => {
    const draw = drawsOf(1, "ends")
    const drawn = new Set(Array.from({ length: 500 }, () => draw.whole(3, 6)))
    assert.deepStrictEqual([...drawn].sort(), [3, 4, 5, 6])
  })

  it("follow their weights", () => {
    const draw = drawsOf(1, "weights")
    const drawn = Array.from({ length: 4_000 }, () => draw.weighted({ often: 3, seldom: 1, never: 0 }))
    const often = drawn.filter((name) => name === "often").length
    assert.isAbove(often, 2_800)
    assert.isBelow(often, 3_200)
    assert.notInclude(drawn, "never")
  })
})

describe("the schedule of a run", () => {
  const plan = { seed: 42, kills: 200, payMillis: 1_000_000, processes: 2, short: false, simulators: "inside" } as const
  const faultsOf = (changes: Partial<Parameters<typeof scheduleOf>[0]>) =>
    scheduleOf({ ...plan, ...changes }).map(({ fault }) => fault)
  const kindsOf = (changes: Partial<Parameters<typeof scheduleOf>[0]>) => faultsOf(changes).map(({ kind }) => kind)

  it("follows from the seed", () => {
    assert.deepStrictEqual(scheduleOf(plan), scheduleOf(plan))
    assert.notDeepEqual(scheduleOf(plan), scheduleOf({ ...plan, seed: 43 }))
  })

  it("kills servers as often as was asked for, and breaks something else after each kill", () => {
    const kinds = kindsOf({})
    assert.lengthOf(kinds, 400)
    for (const [index, kind] of kinds.entries()) assert.strictEqual(kind === "killServer", index % 2 === 0)
  })

  it("has its faults in their order and in the time of the clients", () => {
    const moments = scheduleOf(plan).map(({ at }) => at)
    assert.deepStrictEqual(
      moments,
      [...moments].sort((a, b) => a - b)
    )
    assert.isAtLeast(moments[0] ?? -1, 0)
    assert.isBelow(moments.at(-1) ?? plan.payMillis, plan.payMillis)
  })

  it("kills a server and the database, however short it is", () => {
    for (let seed = 1; seed <= 20; seed++) {
      assert.deepStrictEqual(kindsOf({ seed, kills: 1 }), ["killServer", "killDatabase"])
    }
  })

  it("breaks the simulators only where they are a process of their own", () => {
    const [inside, outside] = [new Set(kindsOf({})), new Set(kindsOf({ simulators: "outside" }))]
    const everywhere: ReadonlyArray<FaultKind> = [
      "killServer",
      "stopServer",
      "jumpClock",
      "cutClients",
      "killDatabase",
      "cutConnections",
      "fillDisk"
    ]
    assert.sameMembers([...inside], [...everywhere])
    assert.sameMembers([...outside], [...everywhere, "stopSimulators", "failSimulators"])
    assert.include(kindsOf({ simulators: "outside", kills: 2 }), "stopSimulators")
  })

  it("strikes servers that there are", () => {
    for (const fault of faultsOf({ processes: 3 })) {
      if ("server" in fault) assert.include([0, 1, 2], fault.server)
    }
  })

  it("sets clocks ahead and behind, two of them never 25 seconds apart", () => {
    const jumps = faultsOf({}).flatMap((fault) => (fault.kind === "jumpClock" ? [fault.byMillis] : []))
    assert.isTrue(Math.min(...jumps) < 0 && Math.max(...jumps) > 0)
    assert.isBelow(Math.max(...jumps) - Math.min(...jumps), 25_000)
  })
})

describe("a story", () => {
  it("follows from the seed, the client and its number", () => {
    assert.deepStrictEqual(stories(5), stories(5))
    assert.notDeepEqual(stories(5), stories(6))
  })

  it("is under a reference of its own", () => {
    assert.strictEqual(storyOf(5, 3, 17).name, "c3-17")
    assert.strictEqual(authorizationBody(storyOf(5, 3, 17), 2030).merchantReference, "c3-17")
  })

  it("refunds in parts that can be told apart, never an amount that the simulators give a meaning", () => {
    for (const { minor, steps } of stories(9)) {
      const refunds = steps.flatMap((step) => (step.type === "refund" ? [step.minor] : []))
      assert.strictEqual(new Set(refunds).size, refunds.length)
      for (const amount of [minor, ...steps.flatMap((step) => ("minor" in step ? [step.minor] : []))]) {
        assert.notInclude([13, 77], amount % 100)
        assert.isAtLeast(amount, 1)
        assert.isAtMost(amount, minor)
      }
    }
  })

  it("uses every card, currency and end", () => {
    const all = stories(3)
    assert.strictEqual(new Set(all.map(({ card }) => card)).size, 13)
    assert.strictEqual(new Set(all.map(({ currency }) => currency)).size, 5)
    const steps = new Set(all.flatMap((story) => story.steps.map(({ type }) => type)))
    assert.deepStrictEqual([...steps].sort(), ["capture", "find", "refund", "void"])
    assert.isTrue(all.some(({ is3DS }) => is3DS) && all.some(({ authorize }) => authorize.hangUpAfter !== null))
  })
})

describe("the arguments", () => {
  it("make a short run by default, with a seed of its own", () => {
    const { seed, ...rest } = readOptions([])
    assert.isAbove(seed, 0)
    assert.deepStrictEqual(rest, {
      kills: 3,
      payMillis: 13_500,
      processes: 2,
      clients: 12,
      simulators: "inside",
      short: true,
      keep: false
    })
  })

  it("make a long run by its kills or by its minutes", () => {
    assert.deepInclude(readOptions(["--kills", "100"]), { kills: 100, payMillis: 500_000, short: false })
    assert.deepInclude(readOptions(["--minutes", "2"]), { kills: 24, payMillis: 120_000, short: false })
    assert.deepInclude(readOptions(["--minutes", "2", "--kills", "7"]), { kills: 7, payMillis: 120_000 })
  })

  it("are refused in a sentence", () => {
    assert.throws(() => readOptions(["--seed", "x"]), '--seed is a whole number from 1 to 2147483648, not "x".')
    assert.throws(() => readOptions(["--processes", "4"]), "--processes is a whole number from 1 to 3")
    assert.throws(() => readOptions(["--simulators", "away"]), "--simulators is inside or outside")
  })
})
