import { Effect, type Redacted } from "effect"
import { makeVault } from "../../signing/Vault.ts"

/** Headers and secrets of a thousand endpoints and more; then all are opened anew. */
const openedMax = 4_096

/** Opens seals and remembers what was in them: those of an endpoint are the same at each delivery until they are changed. */
export const makeOpenedSeals = Effect.map(makeVault, (vault) => {
  const opened = new Map<string, Redacted.Redacted<string>>()
  const open: typeof vault.open = (sealed, place) => {
    const key = `${place} ${sealed}`
    const known = opened.get(key)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(vault.open(sealed, place), (text) => {
      if (opened.size >= openedMax) opened.clear()
      opened.set(key, text)
      return text
    })
  }
  return { ...vault, open }
})
