// Builds the publishable form of a package into its dist folder, and proves it from a packed archive as a stranger sees it.
//
//   node scripts/pack.ts                                     packages/domain with the entry money/Money
//   node scripts/pack.ts packages/domain money/Money …       any package whose tsconfig.json emits to dist
//
// The sources cannot be published as they are: Node.js strips no types below node_modules.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

const [folder = "packages/domain", ...named] = process.argv.slice(2)
const entries = named.length > 0 ? named : ["money/Money"]
const dist = join(folder, "dist")
const tool = (name: string) => resolve("node_modules/.bin", name)

const run = (command: string, args: ReadonlyArray<string>, cwd = ".") => {
  try {
    execFileSync(command, args, { cwd, stdio: "inherit" })
  } catch {
    console.error(`${[command, ...args].join(" ")} failed: ${folder} is not fit to publish.`)
    process.exit(1)
  }
}

/** `"./*": "./src/*.ts"` becomes `"./*": { types: "./*.d.ts", default: "./*.js" }`. */
const built = (source: string) => {
  const path = source.replace(/^\.\/src\//, "./").replace(/\.ts$/, "")
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

const build = (): Manifest => {
  rmSync(dist, { recursive: true, force: true })
  run(tool("tsc"), ["-p", folder])
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const { devDependencies: _, exports, files: __, private: ___, scripts: ____, ...published } = manifest
  const entryPoints = Object.entries(exports).map(([name, source]) => [name, built(source)])
  writeFileSync(
    join(dist, "package.json"),
    `${JSON.stringify({ ...published, exports: Object.fromEntries(entryPoints) }, null, 2)}\n`
  )
  copyFileSync("LICENSE", join(dist, "LICENSE"))
  return manifest
}

/** A project that has nothing but the archive and the package's peers, and neither skips nor relaxes any check. */
const consume = ({ name, peerDependencies = {} }: Manifest, archive: string, project: string) => {
  const installed = join(project, "node_modules", name)
  mkdirSync(installed, { recursive: true })
  run("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"])
  for (const peer of Object.keys(peerDependencies)) {
    const place = join(project, "node_modules", peer)
    mkdirSync(join(place, ".."), { recursive: true })
    symlinkSync(resolve("node_modules", peer), place)
  }
  const imports = entries.map((entry, index) => `import * as entry${index} from "${name}/${entry}"`)
  const checks = entries.map(
    (entry, index) => `if (Object.keys(entry${index}).length === 0) throw new Error("${entry} is empty")`
  )
  writeFileSync(join(project, "consumer.ts"), [...imports, ...checks, ""].join("\n"))
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }))
  const compilerOptions = { target: "es2024", module: "nodenext", strict: true, types: [], outDir: "out" }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
  run(tool("tsc"), ["-p", project])
  run(process.execPath, ["out/consumer.js"], project)
}

const manifest = build()
const workplace = mkdtempSync(join(tmpdir(), "sarraf-pack-"))
process.on("exit", () => rmSync(workplace, { recursive: true, force: true }))
run("npm", ["pack", resolve(dist), "--silent", "--pack-destination", workplace])
const archive = join(workplace, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`)
run(tool("publint"), ["run", archive, "--strict"])
// A wildcard in "exports" is not analysed by itself, so the entries are named.
run(tool("attw"), [archive, "--profile", "esm-only", "--no-definitely-typed", "--entrypoints", ...entries])
consume(manifest, archive, join(workplace, "consumer"))
console.log(`${dist} is ${manifest.name} ${manifest.version}, ready for: npm publish ${dist}`)
