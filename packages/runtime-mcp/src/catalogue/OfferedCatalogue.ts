import { Context } from "effect"
import type { Catalogue } from "./Catalogue.ts"

/** What this process offers to assistants. */
export class OfferedCatalogue extends Context.Service<OfferedCatalogue, Catalogue>()(
  "@sarraf/runtime-mcp/catalogue/OfferedCatalogue"
) {}
