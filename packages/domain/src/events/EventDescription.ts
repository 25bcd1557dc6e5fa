import type { Schema } from "effect"

type Members = Readonly<Record<string, unknown>>

/** What receivers are promised of the events of one type. */
export interface EventDescription {
  /** When it happens, a sentence. */
  readonly happens: string
  /** What it happens to, two words at most: "card transaction". */
  readonly objectName: string
  /** Of the object's identifier: `ctx`. */
  readonly prefix: string
  /** `data.object`: its JSON as it stands. */
  readonly object: Schema.Codec<Members, object>
  /** `data.previous`; undefined: it has none. */
  readonly previous?: Schema.Codec<Members, object>
  /** What `data` may look like. */
  readonly example: {
    readonly object: Members & { readonly id: string; readonly updated_at: string }
    readonly previous?: Members
  }
}
