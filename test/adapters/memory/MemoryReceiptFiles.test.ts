import * as MemoryReceiptFiles from "@sarraf/adapters/memory/MemoryReceiptFiles"
import { receiptFilesContract } from "../receipts/receiptFilesContract.ts"

receiptFilesContract("memory", MemoryReceiptFiles.layer)
