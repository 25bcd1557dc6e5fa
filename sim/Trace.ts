/** What happened, a line a step, in the order in which it happened. */
export interface Trace {
  readonly lines: ReadonlyArray<string>
  readonly add: (line: string) => void
}

const two = (value: number) => String(value).padStart(2, "0")

/** `1:02:03.004`, since the beginning. */
const timeOf = (elapsed: number): string => {
  const seconds = Math.floor(elapsed / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return `${hours}:${two(minutes)}:${two(seconds % 60)}.${String(elapsed % 1_000).padStart(3, "0")}`
}

export const make = (elapsed: () => number): Trace => {
  const lines: Array<string> = []
  return { lines, add: (line) => void lines.push(`${timeOf(elapsed())}  ${line}`) }
}
