/** One bank on the NestPay platform. Everything else is common to them (provider sheet, section 10). */
export interface NestPayProfile {
  /** As in the transaction's `provider`. */
  readonly id: "isbank" | "halkbank" | "ziraat" | "teb" | "sekerbank"
  readonly displayName: string
  /** Where payments are posted. */
  readonly apiUrl: string
  /** Where the buyer's browser posts the 3D Secure form. */
  readonly threeDGateUrl: string
  /** Routing's figure. No two banks have the same, so that the order among them is the same every time. */
  readonly costBasisPoints: number
}

const bank = (
  id: NestPayProfile["id"],
  displayName: string,
  origin: string,
  costBasisPoints: number
): NestPayProfile => ({
  id,
  displayName,
  apiUrl: `${origin}/fim/api`,
  threeDGateUrl: `${origin}/fim/est3Dgate`,
  costBasisPoints
})

/** Live addresses of the five banks (provider sheet, section 10). Ziraat's older PayFlex product is not this protocol. */
export const profiles: Readonly<Record<NestPayProfile["id"], NestPayProfile>> = {
  isbank: bank("isbank", "Türkiye İş Bankası", "https://sanalpos.isbank.com.tr", 179),
  halkbank: bank("halkbank", "Türkiye Halk Bankası", "https://sanalpos.halkbank.com.tr", 183),
  ziraat: bank("ziraat", "Ziraat Bankası", "https://sanalpos2.ziraatbank.com.tr", 181),
  teb: bank("teb", "Türk Ekonomi Bankası", "https://sanalpos.teb.com.tr", 185),
  sekerbank: bank("sekerbank", "Şekerbank", "https://sanalpos.sekerbank.com.tr", 187)
}
