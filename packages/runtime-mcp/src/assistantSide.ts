import * as ReadingStores from "@sarraf/adapters/postgres/assistant/ReadingStores"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgConnectionTokens from "@sarraf/adapters/postgres/oauth/PgConnectionTokens"
import * as PgAssistantTokens from "@sarraf/adapters/postgres/organizations/PgAssistantTokens"
import * as CursorSeals from "@sarraf/adapters/signing/CursorSeals"
import { Layer } from "effect"
import * as Catalogue from "./catalogue/makeCatalogue.ts"

/** What lets assistants in and writes down what they did, on connections that may write. `audience`: `SARRAF_MCP_URL`. */
const access = (audience: string) =>
  Layer.mergeAll(PgAssistantTokens.layer, PgConnectionTokens.layer(audience), PgAuditTrail.layer)

/** What they find: read through connections that cannot write. */
const catalogue = Catalogue.layer.pipe(Layer.provide([ReadingStores.layer, CursorSeals.layer]))

/** The assistant server: who may come in, and what they find. */
export const layer = (audience: string) => Layer.merge(access(audience), catalogue)
