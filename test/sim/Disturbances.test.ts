import { assert, it } from "vitest"
import * as Disturbances from "../../sim/Disturbances.ts"

const settings = { seed: 42, minutes: 1 }
const numbers = ({ at }: Disturbances.Disturbances, place: string, count: number) =>
  Array.from({ length: count }, () => at(place, 300, (draw) => draw.whole(0, 1_000_000)))

it("What happens at one place does not depend on what happens at others", () => {
  const alone = numbers(Disturbances.make(settings), "wire.a", 40)
  const among = Disturbances.make(settings)
  numbers(among, "wire.b", 17)
  assert.deepStrictEqual(numbers(among, "wire.a", 40), alone)
  assert.isAbove(alone.filter((one) => one !== undefined).length, 3)
})

it("The chosen alone happen, as they did among all", () => {
  const all = Disturbances.make(settings)
  const before = numbers(all, "wire.a", 40)
  const [chosen = ""] = all.happened.slice(1)
  const some = Disturbances.make({ ...settings, only: [chosen] })
  const after = numbers(some, "wire.a", 40).filter((one) => one !== undefined)
  assert.deepStrictEqual(
    after,
    before.filter((one) => one?.name === chosen)
  )
  assert.deepStrictEqual(some.happened, [chosen])
})

it("Nothing happens once the disturbances have ended", () => {
  const ended = Disturbances.make(settings)
  ended.end()
  assert.isTrue(numbers(ended, "wire.a", 40).every((one) => one === undefined))
})
