/** Where somebody spends money. */
export interface DemoMerchant {
  readonly name: string
  readonly place: "İstanbul" | "Dubai" | "London" | "Berlin" | "Tokyo" | "Kuwait" | "New York" | "web"
  readonly currency: string
  readonly category: string
  /** What is usually paid there, least and most, in whole units of the currency. */
  readonly least: number
  readonly most: number
  /** How often somebody goes there on an ordinary day; 0: only on a trip or for a reason of its own. */
  readonly weight: number
  readonly descriptions: readonly [string, ...Array<string>]
}

type Place = DemoMerchant["place"]

/** What most things there are paid in. */
const currencies: Readonly<Record<Place, string>> = {
  İstanbul: "TRY",
  Dubai: "AED",
  London: "GBP",
  Berlin: "EUR",
  Tokyo: "JPY",
  Kuwait: "KWD",
  "New York": "USD",
  web: "USD"
}

const merchant =
  (place: Place, currency = currencies[place]) =>
  (
    name: string,
    category: string,
    range: readonly [least: number, most: number],
    weight: number,
    ...descriptions: readonly [string, ...Array<string>]
  ): DemoMerchant => {
    const [least, most] = range
    return { name, place, currency, category, least, most, weight, descriptions }
  }

const istanbul = merchant("İstanbul")
const dubai = merchant("Dubai")
const london = merchant("London")
const berlin = merchant("Berlin")
const web = merchant("web")
const webInEuro = merchant("web", "EUR")

/** The forty merchants of the sandbox. */
export const demoMerchants: ReadonlyArray<DemoMerchant> = [
  istanbul("Karaköy Lokantası", "Meals", [480, 1_900], 9, "Lunch with a customer", "Team lunch", "Lunch"),
  istanbul("Çiya Sofrası", "Meals", [350, 1_400], 8, "Lunch", "Dinner after the release", "Lunch with a candidate"),
  istanbul("Kahve Dünyası", "Meals", [140, 420], 12, "Coffee with a customer", "Coffee", "Breakfast meeting"),
  istanbul("Yemeksepeti", "Meals", [260, 950], 10, "Lunch at the office", "Late dinner, deployment"),
  istanbul("BiTaksi", "Taxi", [180, 940], 14, "To a customer", "Airport", "Home after a late call"),
  istanbul("İstanbulkart", "Transport", [300, 600], 4, "Monthly top-up"),
  istanbul("Opet", "Fuel", [1_450, 2_950], 5, "Company car"),
  istanbul("Migros", "Office supplies", [320, 1_700], 7, "Kitchen", "Fruit and coffee for the office"),
  istanbul("Kırtasiye Dünyası", "Office supplies", [180, 960], 5, "Paper and pens", "Whiteboard markers"),
  istanbul("IKEA Ümraniye", "Office supplies", [1_900, 9_800], 1, "Desk lamps", "Shelves"),
  istanbul("Teknosa", "Hardware", [1_200, 21_000], 2, "Headset", "Monitor", "Docking station"),
  istanbul("Vatan Bilgisayar", "Hardware", [900, 46_000], 2, "Keyboard and mouse", "Laptop", "SSD"),
  istanbul("Turkcell", "Telecom", [640, 1_250], 2, "Mobile plan", "Data package"),
  istanbul("D&R", "Training", [190, 780], 2, "Book", "Two books on accounting"),
  istanbul("Turkish Airlines", "Travel", [4_200, 27_500], 0, "Flight"),
  istanbul("Pegasus", "Travel", [1_900, 8_900], 0, "Flight"),
  istanbul("Divan İstanbul", "Hotel", [6_800, 13_500], 0, "Room for a visiting partner"),
  dubai("Careem", "Taxi", [18, 95], 8, "To a customer", "Airport", "Between offices"),
  dubai("Carrefour Deira", "Office supplies", [60, 420], 4, "Kitchen", "Printer paper"),
  dubai("Al Mallah", "Meals", [45, 240], 7, "Lunch", "Lunch with a supplier"),
  dubai("ENOC", "Fuel", [90, 210], 3, "Company car"),
  dubai("Rove Downtown", "Hotel", [1_150, 3_400], 0, "Three nights"),
  dubai("Emirates", "Travel", [1_900, 5_600], 0, "Flight"),
  london("Pret A Manger", "Meals", [6, 24], 8, "Lunch", "Breakfast"),
  london("Dishoom", "Meals", [28, 145], 4, "Dinner with a customer", "Team dinner"),
  london("Transport for London", "Transport", [7, 38], 8, "Travelcard", "To a customer"),
  london("Premier Inn Southwark", "Hotel", [210, 640], 0, "Two nights"),
  london("British Airways", "Travel", [180, 720], 0, "Flight"),
  berlin("BVG", "Transport", [10, 49], 5, "Day tickets", "Monthly ticket"),
  berlin("Café Einstein", "Meals", [14, 82], 6, "Lunch", "Lunch with a candidate"),
  berlin("Deutsche Bahn", "Transport", [45, 190], 2, "To Hamburg", "To Leipzig"),
  berlin("Motel One", "Hotel", [240, 520], 0, "Three nights"),
  webInEuro("Hetzner", "Software", [118, 162], 0, "Servers"),
  webInEuro("JetBrains", "Software", [249, 289], 0, "Licences"),
  web("Amazon Web Services", "Software", [1_080, 1_960], 0, "Cloud, monthly"),
  web("GitHub", "Software", [231, 252], 0, "Team plan"),
  web("Figma", "Software", [135, 165], 0, "Design seats"),
  web("Google Ads", "Marketing", [340, 2_800], 0, "Campaign"),
  merchant("Tokyo")("Shinjuku Granbell", "Hotel", [38_000, 92_000], 0, "Fair in Tokyo, four nights"),
  merchant("Kuwait")("Caribou Coffee Kuwait", "Meals", [3, 21], 0, "Coffee with a customer")
]

const newYork = merchant("New York")

/** Those of the second sandbox. */
export const otherMerchants: ReadonlyArray<DemoMerchant> = [
  newYork("Blue Bottle Coffee", "Meals", [8, 46], 6, "Coffee with a client"),
  newYork("Staples", "Office supplies", [22, 180], 3, "Ink", "Paper"),
  newYork("B&H Photo", "Hardware", [240, 2_900], 2, "Lens", "Tripod"),
  newYork("MTA", "Transport", [6, 34], 4, "To a client"),
  web("Adobe", "Software", [60, 60], 2, "Creative Cloud")
]
