import { type DemoMerchant, demoMerchants, otherMerchants } from "./DemoMerchants.ts"
import { persons } from "./DemoPeople.ts"
import { type DemoOrder, type DemoPurchase, drawPurchase } from "./DemoPurchase.ts"
import { type DemoRandom, makeDemoRandom } from "./DemoRandom.ts"

/** With a receipt, entered the next morning. */
const booked = { hasReceipt: true, enteredAfterHours: 12 } as const

const merchants = new Map([...demoMerchants, ...otherMerchants].map((merchant) => [merchant.name, merchant]))

const named = (name: string): DemoMerchant => {
  const found = merchants.get(name)
  if (found === undefined) throw new Error(`There is no demo merchant ${name}`)
  return found
}

/** Purchases that come back every month, who enters them, and on which day. */
const subscriptions = [
  ["Amazon Web Services", persons.deniz, 3],
  ["GitHub", persons.deniz, 5],
  ["Hetzner", persons.burak, 6],
  ["Figma", persons.ozan, 8],
  ["Google Ads", persons.ozan, 12],
  ["Turkcell", persons.leyla, 10]
] as const

/** Who travelled, when, where to, how they got there, where they stayed, and what they spent there, for so many days. */
const trips = [
  [persons.james, { month: 1, day: 11 }, 3, "British Airways", "Motel One", "Berlin"],
  [persons.can, { month: 2, day: 16 }, 3, "Turkish Airlines", "Rove Downtown", "Dubai"],
  [persons.ayse, { month: 3, day: 4 }, 3, "Pegasus", "Motel One", "Berlin"],
  [persons.leyla, { month: 3, day: 18 }, 4, "Emirates", "Divan İstanbul", "İstanbul"],
  [persons.zeynep, { month: 5, day: 7 }, 3, "Turkish Airlines", "Premier Inn Southwark", "London"],
  [persons.can, { month: 7, day: 9 }, 3, "Turkish Airlines", "Premier Inn Southwark", "London"],
  [persons.ozan, { month: 8, day: 14 }, 4, "Turkish Airlines", "Shinjuku Granbell", "Tokyo"],
  [persons.mert, { month: 9, day: 6 }, 2, "Turkish Airlines", "Rove Downtown", "Kuwait"],
  [persons.burak, { month: 9, day: 21 }, 3, "Pegasus", "Motel One", "Berlin"]
] as const

/** How many expenses each month has: less in the summer and at the turn of the year, more around fairs. */
const monthly = [46, 43, 49, 58, 53, 48, 40, 37, 54, 62, 60, 56] as const

/** Who goes where on ordinary days, how often, and until which month. */
const everyday = [
  { userId: persons.can, place: "İstanbul", weight: 8, until: 11 },
  { userId: persons.zeynep, place: "İstanbul", weight: 5, until: 11 },
  { userId: persons.mert, place: "İstanbul", weight: 3, until: 11 },
  { userId: persons.elif, place: "İstanbul", weight: 2, until: 11 },
  { userId: persons.deniz, place: "İstanbul", weight: 4, until: 11 },
  { userId: persons.burak, place: "İstanbul", weight: 5, until: 11 },
  { userId: persons.ayse, place: "İstanbul", weight: 5, until: 11 },
  { userId: persons.ozan, place: "İstanbul", weight: 5, until: 11 },
  { userId: persons.leyla, place: "Dubai", weight: 6, until: 11 },
  { userId: persons.james, place: "London", weight: 6, until: 11 },
  { userId: persons.katrin, place: "Berlin", weight: 5, until: 7 }
] as const

/** One of them, the likelier the heavier; there is at least one. */
const weighted = <A extends { readonly weight: number }>(choices: ReadonlyArray<A>, random: DemoRandom): A => {
  let left = random.next() * choices.reduce((sum, { weight }) => sum + weight, 0)
  const [first] = choices
  if (first === undefined) throw new Error("There is nothing to choose from")
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  return first
}

const tripPurchases = (random: DemoRandom): ReadonlyArray<DemoPurchase> =>
  trips.flatMap(([userId, { day, month }, days, flight, hotel, place]) => {
    const order = (name: string, later: number, rest: Partial<DemoOrder> = {}) =>
      drawPurchase(
        { userId, merchant: named(name), on: { month, day: day + later }, onAnyDay: true, fate: "paid", ...rest },
        random
      )
    const there = demoMerchants.filter((merchant) => merchant.place === place && merchant.weight > 0)
    const daily = there.length === 0 ? [named("Caribou Coffee Kuwait")] : there
    const spending = Array.from({ length: place === "Tokyo" ? 0 : days * 2 }, (_, index) =>
      order(
        weighted(
          daily.map((merchant) => ({ merchant, weight: merchant.weight + 1 })),
          random
        ).merchant.name,
        Math.floor(index / 2)
      )
    )
    return [
      order(flight, -3, { ...booked, description: `Flight, ${place}` }),
      order("BiTaksi", 0, { description: "Airport" }),
      ...spending,
      order(hotel, days, { ...booked, description: `Hotel, ${place}` })
    ]
  })

/** Purchases on a day of the plan, each with what sets it apart. */
const orderingOf =
  (random: DemoRandom) => (userId: string, name: string, month: number, day: number, rest: Partial<DemoOrder>) =>
    drawPurchase({ userId, merchant: named(name), on: { month, day }, onAnyDay: true, ...rest }, random)

/** What waits for a decision. */
const undecided = (random: DemoRandom): ReadonlyArray<DemoPurchase> => {
  const order = orderingOf(random)
  const late = { ...booked, fate: "waiting" } as const
  return [
    // Two steps, the first of which is decided.
    order(persons.can, "Turkish Airlines", 10, 20, {
      ...booked,
      fate: "half",
      amount: "14250.00",
      description: "Flight, fair in Berlin"
    }),
    // Chains that wait for their first step.
    order(persons.burak, "Divan İstanbul", 10, 22, {
      ...late,
      amount: "9800.00",
      description: "Room for a visiting engineer"
    }),
    order(persons.ozan, "Turkish Airlines", 10, 24, {
      ...late,
      amount: "18900.00",
      description: "Flight, photo shoot in Dubai"
    }),
    order(persons.deniz, "Amazon Web Services", 10, 23, { ...late, amount: "2140.00", description: "Load test" }),
    order(persons.ayse, "Vatan Bilgisayar", 10, 25, { ...late, amount: "46500.00", description: "Laptop" }),
    // The usual step.
    order(persons.leyla, "Careem", 10, 19, { ...late, description: "To a customer in Abu Dhabi" }),
    order(persons.james, "Dishoom", 10, 21, { ...late, description: "Dinner with a customer" }),
    order(persons.mert, "Karaköy Lokantası", 10, 22, {
      ...late,
      amount: "1650.00",
      description: "Lunch with the auditors"
    }),
    order(persons.zeynep, "Kahve Dünyası", 10, 24, { ...late, description: "Coffee with a customer" })
  ]
}

/** What a policy blocks, what was probably entered twice, and what was paid back late. */
const troubled = (random: DemoRandom): ReadonlyArray<DemoPurchase> => {
  const order = orderingOf(random)
  const twice = { description: "Lunch with a customer", fate: "waiting", hasReceipt: true } as const
  return [
    // Blocked while there is no receipt.
    order(persons.can, "Teknosa", 10, 12, {
      fate: "draft",
      hasReceipt: false,
      amount: "12499.00",
      description: "Monitor"
    }),
    order(persons.burak, "IKEA Ümraniye", 9, 17, {
      fate: "draft",
      hasReceipt: false,
      amount: "7350.00",
      description: "Standing desk"
    }),
    order(persons.ayse, "Vatan Bilgisayar", 10, 6, {
      fate: "draft",
      hasReceipt: false,
      amount: "8990.00",
      description: "Graphics card"
    }),
    // Entered twice, a day apart.
    order(persons.can, "Karaköy Lokantası", 10, 14, { ...twice, fate: "approved", amount: "1740.00" }),
    order(persons.can, "Karaköy Lokantası", 10, 15, { ...twice, amount: "1740.00" }),
    order(persons.leyla, "Rove Downtown", 9, 11, {
      ...booked,
      fate: "paid",
      amount: "2310.00",
      description: "Two nights"
    }),
    order(persons.leyla, "Rove Downtown", 9, 12, {
      ...booked,
      fate: "rejected",
      amount: "2310.00",
      description: "Two nights",
      reason: "Entered twice."
    }),
    order(persons.james, "Transport for London", 8, 3, { fate: "paid", amount: "24.50" }),
    order(persons.james, "Transport for London", 8, 4, { fate: "paid", amount: "24.50" }),
    // Paid back months later.
    order(persons.ozan, "Teknosa", 4, 9, {
      ...booked,
      fate: "paid",
      amount: "16900.00",
      description: "Camera",
      paidInRun: 4
    }),
    order(persons.ayse, "JetBrains", 2, 2, { ...booked, fate: "paid", paidInRun: 3 })
  ]
}

/** The purchases of the sandbox's year, about 600, in no order. */
export const sandboxYear = (): ReadonlyArray<DemoPurchase> => {
  const random = makeDemoRandom(20_261)
  const fixed = [
    ...undecided(random),
    ...troubled(random),
    ...tripPurchases(random),
    ...subscriptions.flatMap(([name, userId, day]) =>
      monthly.map((_, month) =>
        drawPurchase({ userId, merchant: named(name), on: { month, day }, hasReceipt: true, onAnyDay: true }, random)
      )
    )
  ]
  const ordinary = monthly.flatMap((number, month) => {
    const left = number - fixed.filter(({ on }) => on.month === month).length
    const present = everyday.filter(({ until }) => month <= until)
    return Array.from({ length: Math.max(0, left) }, () => {
      const { place, userId } = weighted(present, random)
      const near = demoMerchants.filter((merchant) => merchant.place === place)
      return drawPurchase(
        { userId, merchant: weighted(near, random), on: { month, day: random.between(1, 31) } },
        random
      )
    })
  })
  return [...fixed, ...ordinary]
}

/** The purchases of the second sandbox: 25 in five months. */
export const otherYear = (): ReadonlyArray<DemoPurchase> => {
  const random = makeDemoRandom(20_262)
  const staff = [
    { userId: persons.tom, weight: 3 },
    { userId: persons.grace, weight: 2 }
  ]
  return Array.from({ length: 25 }, (_, index) =>
    drawPurchase(
      {
        userId: weighted(staff, random).userId,
        merchant: weighted(otherMerchants, random),
        on: { month: 6 + Math.floor(index / 5), day: random.between(1, 28) }
      },
      random
    )
  )
}
