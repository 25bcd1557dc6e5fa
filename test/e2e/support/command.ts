import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

/** What a command left behind. */
export interface Ended {
  readonly exitCode: number
  readonly output: string
}

/** Runs a command of the installation in `folder`, as `npm run` does, beside the service that runs there. */
export const runCommand = (
  name: "admin" | "auditVerify" | "clients" | "trigger",
  folder: string,
  args: ReadonlyArray<string> = []
): Promise<Ended> =>
  new Promise((resolve) => {
    const program = fileURLToPath(new URL(`../../../packages/runtime-http/src/${name}.ts`, import.meta.url))
    const env = { PATH: process.env.PATH ?? "", SARRAF_DATA_DIR: folder, LOG_LEVEL: "info" }
    const child = execFile(process.execPath, [program, ...args], { env, timeout: 45_000 }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr })
    )
  })
