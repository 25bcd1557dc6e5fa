import { ConfigProvider, Effect } from "effect"

/** Everything that is ours begins with this, so a name with it that is not known is a mistake. */
const ours = "SARRAF"

/** Levenshtein's distance: how many letters to insert, remove or replace. */
const distance = (left: string, right: string): number => {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1
      const replaced = (previous[column - 1] ?? 0) + same
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}

/** A name cut short, one written too long, and a foreign name with our prefix are nearer than any typing error. */
const difference = (name: string, candidate: string) => {
  const bare = name.slice(`${ours}_`.length)
  if (bare === candidate) return 0
  if (candidate.startsWith(name) || name.startsWith(candidate)) return 1
  return distance(name, candidate)
}

const nearest = (name: string, known: ReadonlyArray<string>) =>
  known.reduce((best, next) => (difference(name, next) < difference(name, best) ? next : best))

/** The names a provider has below a path. Environment variables arrive split at `_`, records whole; both end up whole. */
const namesBelow = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const own = node.value === undefined ? [] : [path.join("_")]
    const keys =
      node._tag === "Record"
        ? [...node.keys]
        : node._tag === "Array"
          ? Array.from({ length: node.length }, (_, index) => String(index))
          : []
    const wanted = path.length === 0 ? keys.filter((key) => key === ours || key.startsWith(`${ours}_`)) : keys
    const below = yield* Effect.forEach(wanted, (key) => namesBelow(provider, [...path, key]))
    return [...own, ...below.flat()]
  })

/**
 * One sentence for each variable that begins with `SARRAF_` and that nothing reads, with the known name nearest to it.
 * A warning and not an error: an older program must start with the settings of a newer one.
 */
export const unknownVariables = Effect.fn("Configuration.unknownVariables")(function* (known: ReadonlyArray<string>) {
  const provider = yield* ConfigProvider.ConfigProvider
  const names = yield* Effect.orElseSucceed(namesBelow(provider, []), () => [])
  return [...new Set(names)]
    .filter((name) => name.startsWith(`${ours}_`) && !known.includes(name))
    .sort()
    .map((name) => `${name} is not a known variable and has no effect; did you mean ${nearest(name, known)}?`)
})
