// Own lines of every function in packages/*/src, which are its lines without those of the functions inside it: a layer
// that holds ten short methods is not a long function. A linter that counts the methods in calls every layer too long.
// A migration is left out: it is the text of a schema, and never changes after its release.
import { globSync, readFileSync } from "node:fs"
import { type Node, parseSync, Visitor } from "oxc-parser"

const ownLinesMax = 70

interface LongFunction {
  readonly line: number
  readonly ownLines: number
}

const findLong = (file: string): ReadonlyArray<LongFunction> => {
  const source = readFileSync(file, "utf8")
  const { errors, program } = parseSync(file, source)
  if (errors[0] !== undefined) throw new Error(`${file} does not parse: ${errors[0].message}`)
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length

  const found: Array<LongFunction> = []
  /** For each function that is open, the lines of the functions inside it; first those outside any. */
  const linesInside = [0]
  const enter = () => {
    linesInside.push(0)
  }
  const leave = ({ end, start }: Node) => {
    const line = lineOf(start)
    const lines = lineOf(end) - line + 1
    const ownLines = lines - (linesInside.pop() ?? 0)
    if (ownLines > ownLinesMax) found.push({ line, ownLines })
    linesInside.push((linesInside.pop() ?? 0) + lines)
  }
  new Visitor({
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave
  }).visit(program)
  return found
}

for (const file of globSync("packages/*/src/**/*.ts", { exclude: ["**/migrations/**"] })) {
  for (const { line, ownLines } of findLong(file)) {
    process.exitCode = 1
    console.error(
      `${file}:${line} has ${ownLines} own lines, at most ${ownLinesMax} are allowed: move what it decides into a pure function of its own and keep the loading and saving here.`
    )
  }
}
