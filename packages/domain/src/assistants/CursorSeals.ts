import { Context } from "effect"

/**
 * Driven port: makes a place in a list into a cursor that nobody else can make or alter. `context` is what it is good for:
 * organization, tool and filters. It is the same in every process of an installation.
 */
export class CursorSeals extends Context.Service<
  CursorSeals,
  {
    seal(context: string, place: string): string
    /** Undefined where the cursor is altered, or was made for something else. */
    open(context: string, cursor: string): string | undefined
  }
>()("@sarraf/domain/assistants/CursorSeals") {}
