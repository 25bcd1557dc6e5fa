import { Context } from "effect"

/** Whether this process moves real money (`SARRAF_MODE=live`). */
export class GatewayMode extends Context.Service<GatewayMode, { readonly livemode: boolean }>()(
  "@sarraf/runtime-http/auth/GatewayMode"
) {}
