import { assert, describe, it } from "@effect/vitest"
import { countryCode } from "@sarraf/runtime-http/api/country"
import { Schema } from "effect"
import countries from "i18n-iso-countries"

const written: Readonly<Record<string, ReadonlyArray<string>>> = {
  TR: [
    "TR",
    "tr",
    "Tr",
    "TUR",
    "tur",
    "Türkiye",
    "TÜRKİYE",
    "TÜRKIYE",
    "türkiye",
    "turkiye",
    "Turkiye",
    "Turkey",
    "TURKEY",
    "turkey",
    " Türkiye "
  ],
  GB: [
    "GB",
    "gbr",
    "UK",
    "U.K.",
    "United Kingdom",
    "UNITED KINGDOM",
    "Great Britain",
    "England",
    "İngiltere",
    "INGILTERE",
    "ingiltere",
    "İNGİLTERE",
    "Birleşik Krallık",
    "BİRLEŞİK KRALLIK",
    "birlesik krallik"
  ],
  US: [
    "US",
    "USA",
    "usa",
    "U.S.A.",
    "United States",
    "United States of America",
    "ABD",
    "abd",
    "A.B.D.",
    "Amerika",
    "Amerika Birleşik Devletleri",
    "AMERİKA BİRLEŞİK DEVLETLERİ"
  ],
  DE: ["DE", "DEU", "Germany", "GERMANY", "Almanya", "ALMANYA", "almanya"],
  AE: ["AE", "ARE", "UAE", "United Arab Emirates", "BAE", "Birleşik Arap Emirlikleri", "BİRLEŞİK ARAP EMİRLİKLERİ"],
  NL: ["NL", "NLD", "Netherlands", "The Netherlands", "Holland", "Hollanda"],
  RU: ["RU", "RUS", "Russia", "Russian Federation", "Rusya", "Rusya Federasyonu"],
  CY: ["CY", "Cyprus", "Kıbrıs", "KIBRIS"],
  CG: ["CG", "Congo", "Republic of the Congo", "Kongo"],
  CD: ["CD", "Democratic Republic of the Congo"],
  SY: ["SY", "Syria", "Suriye"],
  BA: ["BA", "Bosnia and Herzegovina", "Bosna Hersek", "Bosna-Hersek"],
  FR: ["FR", "FRA", "France", "Fransa"],
  CH: ["CH", "CHE", "Switzerland", "İsviçre", "ISVICRE"],
  SE: ["SE", "Sweden", "İsveç", "isveç"],
  IT: ["IT", "Italy", "İtalya", "ITALYA", "italya"],
  IE: ["IE", "Ireland", "İrlanda"],
  ES: ["ES", "Spain", "İspanya"],
  IR: ["IR", "Iran", "İran"],
  CZ: ["CZ", "Czech Republic", "Czechia", "Çekya", "Çek Cumhuriyeti"],
  KR: ["KR", "South Korea", "Güney Kore"],
  SA: ["SA", "Saudi Arabia", "Suudi Arabistan"],
  CI: ["CI", "Côte d'Ivoire", "Cote d’Ivoire", "Ivory Coast", "Fildişi Sahili"],
  GR: ["GR", "Greece", "Yunanistan"],
  EG: ["EG", "Egypt", "Mısır", "MISIR"],
  AT: ["AT", "Austria", "Avusturya"],
  AU: ["AU", "Australia", "Avustralya"]
}

/** In the English list two countries have this name. */
const shared = ["congo"]

describe("countryCode", () => {
  it.each(Object.entries(written).flatMap(([code, names]) => names.map((name) => [name, code] as const)))(
    "knows %j as %s",
    (name, code) => {
      assert.strictEqual(countryCode(name), code)
    }
  )

  const codes = Object.keys(countries.getAlpha2Codes())
  const Code = Schema.Literals(codes)

  it.prop(
    "knows each code of two and of three letters in any case",
    [Code],
    ([code]) => {
      const alpha3 = countries.alpha2ToAlpha3(code) ?? ""
      for (const text of [code, code.toLowerCase(), alpha3, alpha3.toLowerCase()])
        assert.strictEqual(countryCode(text), code)
    },
    { arbitrary: { runs: 500 } }
  )

  it.each(["en", "tr"])("knows each name that the list of the language %s has, in any case", (language) => {
    const wrong = Object.entries(countries.getNames(language, { select: "all" })).flatMap(([code, names]) =>
      names.flatMap((name) =>
        [name, name.toUpperCase(), name.toLowerCase(), name.toLocaleUpperCase("tr"), name.toLocaleLowerCase("tr")]
          .filter((text) => !shared.includes(text.toLowerCase()) && countryCode(text) !== code)
          .map((text) => `${text} is ${countryCode(text)}, not ${code}`)
      )
    )
    assert.deepStrictEqual(wrong, [])
  })

  it.each(["", " ", "T", "XX", "TURK", "Atlantis", "90", "constructor", "__proto__", "toString", "-", "TR,DE"])(
    "knows no country %j",
    (text) => {
      assert.isUndefined(countryCode(text))
    }
  )
})
