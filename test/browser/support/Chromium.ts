import { mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import chromium from "@sparticuz/chromium"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
  type Page
} from "playwright-core"
import { afterAll, beforeAll } from "vitest"

const require = createRequire(import.meta.url)

/** The package unpacks its 200 MB into the temporary folder and takes what lies there already, whatever version it is. */
const unpack = async (): Promise<string> => {
  const root = dirname(dirname(dirname(require.resolve("@sparticuz/chromium"))))
  const modules = root.slice(0, root.lastIndexOf("node_modules") + "node_modules".length)
  const folder = join(modules, ".cache", "chromium-153.0.0")
  mkdirSync(folder, { recursive: true })
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    return await chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** A page, and everything that the browser has complained of on it. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors in the console and of scripts: a breach of the content security policy is one. */
  readonly complaints: Array<string>
}

/** One browser for a test file. Each visit is a buyer with a window of their own. */
export const useBrowser = () => {
  let browser: Browser | undefined
  beforeAll(async () => {
    const executablePath = await unpack()
    // Without its own sandbox, which a superuser cannot have; only our pages are opened.
    browser = await driver.launch({ executablePath, args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
  })
  return async (options: BrowserContextOptions = {}): Promise<Visit> => {
    if (browser === undefined) throw new Error("The browser runs only while a test does.")
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options })
    const page = await context.newPage()
    const complaints: Array<string> = []
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
    })
    page.on("pageerror", (error) => complaints.push(error.message))
    return { page, context, complaints }
  }
}
