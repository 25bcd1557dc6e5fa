/**
 * Whether each item is the first of its key. Of equal keys in one statement all find the row that one of them wrote
 * (`ON CONFLICT DO NOTHING`, in the items' order): only the first has written it.
 */
export const firstOfEach = <Item>(
  items: ReadonlyArray<Item>,
  keyOf: (item: Item) => string
): ReadonlyArray<boolean> => {
  const seen = new Set<string>()
  return items.map((item) => {
    const key = keyOf(item)
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  })
}
