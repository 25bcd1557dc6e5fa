import countries from "i18n-iso-countries"
import english from "i18n-iso-countries/langs/en.json" with { type: "json" }
import turkish from "i18n-iso-countries/langs/tr.json" with { type: "json" }

/** `Türkiye`, `TÜRKIYE`, `turkiye` → `turkiye`: case, accents and the dotless i make no difference. */
const folded = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/ı/gu, "i").replace(/[.'’]/gu, "").trim()

/** Names that people write and the lists do not have. */
const usual: Readonly<Record<string, string>> = {
  turkey: "TR",
  turkiye: "TR",
  uk: "GB",
  "great britain": "GB",
  england: "GB",
  usa: "US",
  "united states": "US",
  uae: "AE",
  emirates: "AE",
  bae: "AE",
  ingiltere: "GB",
  amerika: "US",
  abd: "US",
  britain: "GB",
  britanya: "GB",
  "buyuk britanya": "GB",
  scotland: "GB",
  wales: "GB",
  "northern ireland": "GB",
  iskocya: "GB",
  galler: "GB",
  "kuzey irlanda": "GB",
  "republic of turkey": "TR",
  "republic of turkiye": "TR",
  "turkiye cumhuriyeti": "TR",
  holland: "NL",
  cekya: "CZ",
  "rusya federasyonu": "RU",
  kibris: "CY",
  kore: "KR",
  korea: "KR",
  makedonya: "MK",
  macedonia: "MK",
  "bosna-hersek": "BA",
  bosnia: "BA",
  moldavya: "MD",
  syria: "SY",
  filistin: "PS",
  vatican: "VA",
  macau: "MO",
  makao: "MO",
  "viet nam": "VN",
  burma: "MM",
  swaziland: "SZ",
  "east timor": "TL",
  "the bahamas": "BS",
  kongo: "CG",
  congo: "CG"
}

const namesOf = (list: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
  Object.entries(list).flatMap(([code, names]) => [names].flat().map((name) => [folded(name), code] as const))

const codeByName: ReadonlyMap<string, string> = new Map([
  ...namesOf(english.countries),
  ...namesOf(turkish.countries),
  ...Object.entries(countries.getAlpha3Codes()).map(([alpha3, alpha2]) => [folded(alpha3), alpha2] as const),
  // As most clients write it, and once more for those that do not.
  ...Object.keys(countries.getAlpha2Codes()).flatMap((alpha2) => [
    [alpha2, alpha2] as const,
    [folded(alpha2), alpha2] as const
  ]),
  ...Object.entries(usual)
])

/** ISO 3166-1 alpha-2 of an alpha-2 or alpha-3 code or a usual English or Turkish name, in any case (contract section 4). */
export const countryCode = (text: string): string | undefined => codeByName.get(text) ?? codeByName.get(folded(text))
