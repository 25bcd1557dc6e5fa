import * as Adyen from "./adyen/Adapter.ts"
import { AdyenCredentials } from "./adyen/Credentials.ts"
import * as AdyenSimulator from "./adyen/Simulator.ts"
import * as Garanti from "./garanti/Adapter.ts"
import { GarantiCredentials } from "./garanti/Credentials.ts"
import * as GarantiSimulator from "./garanti/Simulator.ts"
import * as Iyzico from "./iyzico/Adapter.ts"
import { IyzicoCredentials } from "./iyzico/Credentials.ts"
import * as IyzicoSimulator from "./iyzico/Simulator.ts"
import * as NestPay from "./nestpay/Adapter.ts"
import { NestPayCredentials } from "./nestpay/Credentials.ts"
import { type NestPayProfile, profiles } from "./nestpay/profiles.ts"
import * as NestPaySimulator from "./nestpay/Simulator.ts"
import * as NetworkInternational from "./network-international/Adapter.ts"
import { NetworkInternationalCredentials } from "./network-international/Credentials.ts"
import * as NetworkInternationalSimulator from "./network-international/Simulator.ts"
import { makeEntry, type ProviderEntry } from "./ProviderEntry.ts"
import * as Stripe from "./stripe/Adapter.ts"
import { StripeCredentials } from "./stripe/Credentials.ts"
import * as StripeSimulator from "./stripe/Simulator.ts"

const nestPay = (profile: NestPayProfile) =>
  makeEntry({
    id: profile.id,
    displayName: profile.displayName,
    protocol: "NestPay XML",
    credentials: NestPayCredentials,
    make: (account) => NestPay.make({ ...account, profile }),
    sandboxCredentials: NestPaySimulator.sandboxCredentials,
    simulator: NestPaySimulator.make
  })

const adyen = makeEntry({
  id: "adyen",
  displayName: "Adyen",
  protocol: "Checkout JSON",
  credentials: AdyenCredentials,
  make: Adyen.make,
  sandboxCredentials: AdyenSimulator.sandboxCredentials,
  simulator: AdyenSimulator.make
})

const garanti = makeEntry({
  id: "garanti",
  displayName: "Garanti BBVA",
  protocol: "GVPS XML",
  credentials: GarantiCredentials,
  make: Garanti.make,
  sandboxCredentials: GarantiSimulator.sandboxCredentials,
  simulator: GarantiSimulator.make
})

const iyzico = makeEntry({
  id: "iyzico",
  displayName: "iyzico",
  protocol: "IYZWSv2 JSON",
  credentials: IyzicoCredentials,
  make: Iyzico.make,
  sandboxCredentials: IyzicoSimulator.sandboxCredentials,
  simulator: IyzicoSimulator.make
})

const networkInternational = makeEntry({
  id: "network-international",
  displayName: "Network International",
  protocol: "N-Genius JSON",
  credentials: NetworkInternationalCredentials,
  make: NetworkInternational.make,
  sandboxCredentials: NetworkInternationalSimulator.sandboxCredentials,
  simulator: NetworkInternationalSimulator.make
})

const stripe = makeEntry({
  id: "stripe",
  displayName: "Stripe",
  protocol: "form/JSON",
  credentials: StripeCredentials,
  make: Stripe.make,
  sandboxCredentials: StripeSimulator.sandboxCredentials,
  simulator: StripeSimulator.make
})

/** Every provider that this service knows, in the order in which they are listed. */
export const catalogue: ReadonlyArray<ProviderEntry> = [
  ...Object.values(profiles).map(nestPay),
  garanti,
  iyzico,
  networkInternational,
  stripe,
  adyen
]
