import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

/** What a program left behind. */
export interface Ended {
  readonly exitCode: number
  readonly output: string
}

const programOf = (name: "conformance" | "mcp-inspector") =>
  fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url))

/** Runs a program of a development dependency by its path, without a shell and without the network. */
export const runProgram = (
  name: "conformance" | "mcp-inspector",
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programOf(name), ...args],
      { env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env }, maxBuffer: 1 << 26 },
      (_, stdout, stderr) => resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr })
    )
  })

/** The file of what fails on purpose, with the reason for each line. */
export const expectedFailures = (revision: string) =>
  fileURLToPath(new URL(`../expected-failures-${revision}.yaml`, import.meta.url))
