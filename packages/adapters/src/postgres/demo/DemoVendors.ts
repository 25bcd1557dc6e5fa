import type { RiskFactor, VendorStatus } from "@sarraf/domain/vendors/Vendor"

/** A contract of the demo, in days from the day of the start: negative ones are over. */
export interface DemoContract {
  readonly title: string
  readonly startsInDays: number
  readonly endsInDays: number | null
  readonly renewsInDays: number | null
  readonly noticeDays: number | null
  /** In whole units of the vendor's currency. */
  readonly annual: number | null
}

/** A vendor of the sandbox, and what its bills are like. */
export interface DemoVendor {
  readonly name: string
  readonly legalName: string
  readonly country: string
  readonly currency: string
  readonly category: string
  readonly contact: readonly [name: string, email: string | null, phone: string | null]
  /** An IBAN or account number that belongs to nobody; null: not known yet. */
  readonly account: string | null
  readonly status: VendorStatus
  readonly risk: ReadonlyArray<RiskFactor>
  readonly contracts: ReadonlyArray<DemoContract>
  /** A bill every so many months; null: the months that it comes in. */
  readonly bills: number | ReadonlyArray<number>
  /** Of a bill without tax, least and most, in whole units. */
  readonly amount: readonly [least: number, most: number]
  readonly taxPercent: number
  readonly termDays: number
  readonly line: string
}

const factor = (name: string, points: number, sentence: string): RiskFactor => ({ name, points, sentence })

const usual = factor("public_record", 5, "Registered for years, and nothing against it in public records.")
const single = factor("single_source", 20, "Nobody else could take over within a month.")
const concentrated = factor("concentration", 25, "About a third of what vendors were given in the last twelve months.")
const abroad = factor("foreign_account", 10, "It is paid in another country than the one it is registered in.")
const young = factor("recently_founded", 15, "Registered less than two years ago.")
const changedAccount = factor("bank_account_changed", 30, "The bank account was changed this quarter.")
const noContract = factor("no_contract", 10, "There is no contract in force.")
const expiring = factor("contract_ending", 10, "Its contract ends or renews within three months.")
const undocumented = factor("documents_missing", 15, "Tax certificate and trade register extract are missing.")
const late = factor("late_deliveries", 10, "Two of the last five deliveries came late.")
const duplicates = factor("duplicate_bills", 15, "A bill was probably sent twice.")
const exchange = factor("exchange_rate", 5, "Its prices follow the exchange rate of another currency.")
const press = factor("adverse_media", 20, "The press writes of unpaid wages.")

const contract = (
  title: string,
  startsInDays: number,
  renewsInDays: number | null,
  annual: number | null,
  rest: Partial<DemoContract> = {}
): DemoContract => ({
  title,
  startsInDays,
  endsInDays: renewsInDays,
  renewsInDays,
  noticeDays: renewsInDays === null ? null : 30,
  annual,
  ...rest
})

type Place = Pick<DemoVendor, "country" | "currency" | "taxPercent">
const turkey: Place = { country: "TR", currency: "TRY", taxPercent: 20 }
const germany: Place = { country: "DE", currency: "EUR", taxPercent: 0 }
const britain: Place = { country: "GB", currency: "GBP", taxPercent: 0 }
const emirates: Place = { country: "AE", currency: "AED", taxPercent: 5 }
const america: Place = { country: "US", currency: "USD", taxPercent: 0 }

const vendor = (
  names: readonly [name: string, legalName: string, category: string],
  place: Place,
  bills: Pick<DemoVendor, "amount" | "bills" | "line">,
  rest: Pick<DemoVendor, "account" | "contact" | "risk"> & Partial<DemoVendor>
): DemoVendor => {
  const [name, legalName, category] = names
  return { name, legalName, category, status: "ACTIVE", contracts: [], termDays: 30, ...place, ...bills, ...rest }
}

const person = (name: string, email: string | null, phone: string | null = null) => [name, email, phone] as const

/** The vendors of the sandbox; the first has about a third of what is spent. */
export const sandboxVendors: ReadonlyArray<DemoVendor> = [
  vendor(
    ["Boğaziçi Veri Merkezi", "Boğaziçi Veri Merkezi Hizmetleri A.Ş.", "Hosting"],
    turkey,
    { bills: 1, amount: [505_000, 548_000], line: "Data centre, racks and traffic" },
    {
      account: "TR330006100519786457841326",
      contact: person("Hakan Erdem", "muhasebe@bogazicivm.example", "+90 212 555 01 40"),
      risk: [single, concentrated, usual],
      contracts: [contract("Data centre services", -690, 41, 6_300_000, { noticeDays: 60 })]
    }
  ),
  vendor(
    ["Levent Plaza", "Levent Plaza Gayrimenkul Yönetimi A.Ş.", "Rent"],
    turkey,
    { bills: 1, amount: [185_000, 185_000], line: "Office rent, fourth floor" },
    {
      account: "TR210001000129387465000001",
      contact: person("Sibel Aksoy", "kira@leventplaza.example"),
      risk: [usual, single],
      contracts: [contract("Lease, fourth floor", -500, 230, 2_220_000, { noticeDays: 90 })],
      termDays: 10
    }
  ),
  vendor(
    ["Marmara Temizlik", "Marmara Temizlik ve Tesis Yönetimi Ltd. Şti.", "Facilities"],
    turkey,
    { bills: 1, amount: [31_000, 36_500], line: "Cleaning, İstanbul office" },
    {
      account: "TR880004600888000012345678",
      contact: person("Gül Tunç", "info@marmaratemizlik.example", "+90 216 555 07 12"),
      risk: [press, late, usual],
      contracts: [contract("Cleaning", -300, 65, 410_000)]
    }
  ),
  vendor(
    ["Ege Lojistik", "Ege Lojistik Taşımacılık A.Ş.", "Logistics"],
    turkey,
    { bills: 1, amount: [38_000, 92_000], line: "Freight and customs" },
    {
      account: "TR560006200034000006671234",
      contact: person("Onur Bilgin", "onur@egelojistik.example"),
      risk: [late, usual, exchange],
      contracts: [contract("Framework agreement, freight", -420, 120, null)],
      termDays: 45
    }
  ),
  vendor(
    ["Anka Yazılım", "Anka Yazılım ve Danışmanlık A.Ş.", "Software"],
    turkey,
    { bills: 1, amount: [96_000, 148_000], line: "Development, days" },
    {
      account: "TR970013400000123456789012",
      contact: person("Barış Güneş", "baris@ankayazilim.example"),
      risk: [usual, noContract],
      contracts: [contract("Development on demand", -700, null, null, { endsInDays: -30 })]
    }
  ),
  vendor(
    ["Kuzey Güvenlik", "Kuzey Özel Güvenlik Ltd. Şti.", "Facilities"],
    turkey,
    { bills: 1, amount: [44_000, 47_000], line: "Reception and night guard" },
    {
      account: "TR120006400000112340056789",
      contact: person("Murat Doğan", "ofis@kuzeyguvenlik.example"),
      risk: [usual, expiring],
      contracts: [contract("Guarding", -340, 25, 548_000, { noticeDays: 30 })],
      termDays: 15
    }
  ),
  vendor(
    ["Rheinwerk Cloud", "Rheinwerk Cloud GmbH", "Hosting"],
    germany,
    { bills: 3, amount: [4_800, 6_200], line: "Backup storage, quarter" },
    {
      account: "DE89370400440532013000",
      contact: person("Anja Becker", "billing@rheinwerk.example", "+49 30 5550 118"),
      risk: [usual, exchange],
      contracts: [contract("Backup storage", -200, 165, 22_000)]
    }
  ),
  vendor(
    ["Thames Legal", "Thames Legal LLP", "Legal"],
    britain,
    { bills: 3, amount: [2_400, 6_900], line: "Counsel, hours" },
    {
      account: "GB29NWBK60161331926819",
      contact: person("Oliver Grant", "accounts@thameslegal.example"),
      risk: [usual],
      contracts: [contract("Letter of engagement", -800, null, null, { endsInDays: null })]
    }
  ),
  vendor(
    ["Deira Facilities", "Deira Facilities Management LLC", "Rent"],
    emirates,
    { bills: 3, amount: [19_500, 19_500], line: "Office rent, Deira, quarter" },
    {
      account: "AE070331234567890123456",
      contact: person("Yousef Karim", "leasing@deirafm.example"),
      risk: [usual, single],
      contracts: [contract("Lease, Deira", -310, 55, 78_000, { noticeDays: 90 })]
    }
  ),
  vendor(
    ["Zirve Denetim", "Zirve Bağımsız Denetim A.Ş.", "Audit"],
    turkey,
    { bills: 3, amount: [85_000, 120_000], line: "Audit, instalment" },
    {
      account: "TR640006701000000012345678",
      contact: person("Nilgün Oral", "nilgun@zirvedenetim.example"),
      risk: [usual],
      contracts: [contract("Audit of the year", -150, null, 400_000, { endsInDays: 215 })]
    }
  ),
  vendor(
    ["Mavi Ajans", "Mavi Reklam ve İletişim Ltd. Şti.", "Marketing"],
    turkey,
    { bills: 3, amount: [60_000, 175_000], line: "Campaign, production and media" },
    {
      account: "TR410011100000000098765432",
      contact: person("Ece Yaman", "ece@maviajans.example"),
      risk: [young, changedAccount, undocumented, usual],
      contracts: [contract("Agency retainer", -250, 18, 420_000, { noticeDays: 14 })]
    }
  ),
  vendor(
    ["Northwind Analytics", "Northwind Analytics Inc.", "Software"],
    america,
    { bills: 3, amount: [2_900, 3_400], line: "Analytics, seats" },
    {
      account: "021000021334455667",
      contact: person("Dana Wells", "ar@northwind.example"),
      risk: [usual, exchange, expiring],
      contracts: [contract("Analytics subscription", -330, 35, 12_600)]
    }
  ),
  vendor(
    ["Sağlam Sigorta", "Sağlam Sigorta A.Ş.", "Insurance"],
    turkey,
    { bills: 3, amount: [41_000, 44_000], line: "Group health insurance, instalment" },
    {
      account: "TR750006200119000006672315",
      contact: person("Pınar Koç", "kurumsal@saglamsigorta.example"),
      risk: [usual],
      contracts: [contract("Group health insurance", -280, 85, 170_000)]
    }
  ),
  vendor(
    ["Hızlı Kargo", "Hızlı Kargo Dağıtım A.Ş.", "Logistics"],
    turkey,
    { bills: 3, amount: [8_400, 19_000], line: "Parcels" },
    {
      account: "TR020001500158007300123456",
      contact: person("Tolga Er", "fatura@hizlikargo.example"),
      risk: [usual, duplicates, late, noContract],
      termDays: 20
    }
  ),
  vendor(
    ["Atlas Mobilya", "Atlas Ofis Mobilyaları San. ve Tic. A.Ş.", "Furniture"],
    turkey,
    { bills: [1, 5, 9], amount: [72_000, 210_000], line: "Desks and chairs" },
    {
      account: "TR300004600119888000056789",
      contact: person("Cem Uslu", "satis@atlasmobilya.example"),
      risk: [usual, late]
    }
  ),
  vendor(
    ["Teknik Donanım", "Teknik Donanım Bilgisayar Ltd. Şti.", "Hardware"],
    turkey,
    { bills: [0, 4, 8, 10], amount: [130_000, 340_000], line: "Laptops" },
    {
      account: "TR470006400000210987654321",
      contact: person("Volkan Ateş", "kurumsal@teknikdonanim.example"),
      risk: [usual, exchange, noContract]
    }
  ),
  vendor(
    ["Spree Personal", "Spree Personalberatung GmbH", "Recruiting"],
    germany,
    { bills: [3, 7], amount: [9_800, 14_500], line: "Placement fee" },
    {
      account: "DE44500105175407324931",
      contact: person("Jonas Weber", "rechnung@spreepersonal.example"),
      risk: [usual, noContract]
    }
  ),
  vendor(
    ["Gulf Events", "Gulf Events FZ-LLC", "Events"],
    emirates,
    { bills: [2, 9], amount: [28_000, 46_000], line: "Stand at the fair in Dubai" },
    {
      account: "AE460260001015555555501",
      contact: person("Mona Saleh", "mona@gulfevents.example"),
      risk: [young, abroad, noContract, undocumented]
    }
  ),
  vendor(
    ["Beyaz Perde", "Beyaz Perde Prodüksiyon Ltd. Şti.", "Marketing"],
    turkey,
    { bills: [6, 10], amount: [55_000, 98_000], line: "Product film" },
    {
      account: "TR650013500000000011223344",
      contact: person("Arda Kılıç", "arda@beyazperde.example"),
      risk: [young, changedAccount, abroad, noContract, undocumented, usual],
      status: "ON_HOLD"
    }
  ),
  vendor(
    ["Çınar Eğitim", "Çınar Eğitim ve Organizasyon A.Ş.", "Training"],
    turkey,
    { bills: [4, 10], amount: [24_000, 52_000], line: "Course, three days" },
    {
      account: "TR190001002540365412340001",
      contact: person("Selma Işık", "egitim@cinar.example"),
      risk: [usual]
    }
  ),
  vendor(
    ["Pera Tercüme", "Pera Tercüme Bürosu Ltd. Şti.", "Services"],
    turkey,
    { bills: [2, 5, 8, 10], amount: [6_500, 16_000], line: "Sworn translation" },
    {
      account: "TR820006100000555512340077",
      contact: person("Defne Alp", null, "+90 212 555 03 09"),
      risk: [usual]
    }
  ),
  vendor(
    ["Vadi Catering", "Vadi Catering Gıda A.Ş.", "Catering"],
    turkey,
    { bills: [1, 3, 6, 9], amount: [18_000, 39_000], line: "Catering, all-hands" },
    {
      account: "TR090006701000000098765401",
      contact: person("Fatma Şen", "siparis@vadicatering.example"),
      risk: [usual, late]
    }
  ),
  vendor(
    ["Bosphorus Travel", "Bosphorus Travel Turizm A.Ş.", "Travel"],
    turkey,
    { bills: [2, 8], amount: [64_000, 118_000], line: "Off-site, travel and rooms" },
    {
      account: "TR280006200034500006690012",
      contact: person("Kerem Uz", "kerem@bosphorustravel.example"),
      risk: [usual, noContract],
      contracts: [contract("Travel desk", -400, 78, 150_000)]
    }
  ),
  vendor(
    ["Eski Telekom", "Eski Telekomünikasyon A.Ş.", "Telecom"],
    turkey,
    { bills: [0, 1, 2], amount: [9_200, 9_900], line: "Lines, month" },
    {
      account: "TR530006400000110099887766",
      contact: person("Müşteri Hizmetleri", "kurumsal@eskitelekom.example"),
      risk: [usual, noContract],
      contracts: [contract("Leased line", -900, null, 115_000, { endsInDays: -250 })],
      status: "INACTIVE"
    }
  ),
  vendor(
    ["Polar Robotik", "Polar Robotik Teknoloji A.Ş.", "Hardware"],
    turkey,
    { bills: [], amount: [1, 1], line: "" },
    {
      account: null,
      contact: person("Nehir Taş", "nehir@polarrobotik.example"),
      risk: [young, undocumented, noContract]
    }
  )
]

/** Those of the second sandbox. */
export const otherVendors: ReadonlyArray<DemoVendor> = [
  vendor(
    ["Hudson Studios", "Hudson Studios LLC", "Rent"],
    america,
    { bills: 3, amount: [7_200, 7_200], line: "Studio, quarter" },
    {
      account: "026009593998877665",
      contact: person("Rita Moss", "rent@hudsonstudios.example"),
      risk: [usual, single],
      contracts: [contract("Studio lease", -320, 60, 28_800)]
    }
  ),
  vendor(
    ["Lens & Light", "Lens & Light Rentals Inc.", "Equipment"],
    america,
    { bills: [7, 9, 10], amount: [480, 1_900], line: "Camera rental" },
    { account: "122000247112233445", contact: person("Sam Ito", "sam@lenslight.example"), risk: [usual] }
  ),
  vendor(
    ["Frame Freight", "Frame Freight Corp.", "Logistics"],
    america,
    { bills: [10], amount: [220, 640], line: "Shipping" },
    { account: null, contact: person("Desk", "ar@framefreight.example"), risk: [young, noContract] }
  )
]
