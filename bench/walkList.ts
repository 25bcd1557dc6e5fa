import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import { Connection } from "./load/Connection.ts"
import type { Scenario } from "./scenarios/Scenario.ts"

interface Page {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly next_cursor: string | null
}

/**
 * Reads a list from its first page on; gives the cursor of the page of this number, from 1. Fails where there are not so
 * many pages, and where a row comes twice.
 */
export const walkTo = (port: number, list: Scenario, page: number) =>
  Effect.tryPromise({
    try: async () => {
      const connection = await Connection.open(port)
      const seen = new Set<string>()
      let rows = 0
      let cursor: string | undefined
      try {
        for (let number = 1; number < page; number++) {
          const request = list.subject({ currency: "TRY", token: "walk", payments: [], cursor })()
          const { status, text } = await new Promise<{ status: number; text: string }>((resolve) =>
            connection.send(request?.text ?? "", resolve, true)
          )
          if (status !== 200) throw new Error(`page ${number} was answered ${status}: ${text}`)
          const { data, next_cursor: next }: Page = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4))
          for (const { id } of data) seen.add(id)
          rows += data.length
          if (next === null) throw new Error(`page ${number} is the last`)
          cursor = next
        }
      } finally {
        connection.close()
      }
      if (seen.size !== rows) throw new Error(`${rows - seen.size} rows came twice`)
      return cursor
    },
    catch: (cause) => new BenchFailed({ message: `The list could not be read: ${cause}` })
  })
