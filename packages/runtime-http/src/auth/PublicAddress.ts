import { Context } from "effect"

/** Where people reach this service: `https://pay.example.com`, without a closing slash. */
export class PublicAddress extends Context.Service<PublicAddress, { readonly baseUrl: string }>()(
  "@sarraf/runtime-http/auth/PublicAddress"
) {}

/** Whether it is reached over https, so that cookies may be kept from any other way. */
export const isSecureAddress = ({ baseUrl }: PublicAddress["Service"]): boolean => baseUrl.startsWith("https:")
