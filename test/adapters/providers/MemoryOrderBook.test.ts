import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { Effect } from "effect"
import { orderBookContract, withoutServices } from "./orderBookContract.ts"

orderBookContract("memory", Effect.sync(MemoryOrderBook.make), withoutServices)
