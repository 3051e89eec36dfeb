import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The headless shell needs half the work; the full browser works as well. */
const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
]

/** $CHROMIUM_PATH, else the system's Chromium. */
function installedChromium(): string | undefined {
  const given = process.env.CHROMIUM_PATH
  if (given) return given
  return INSTALLED.find((path) => existsSync(path))
}

/** The npm package contains a binary for x64 only. */
export const hasChromium = () => installedChromium() !== undefined || process.arch === 'x64'

/** The installed Chromium, else the one in the npm package. */
export async function chromiumPath(): Promise<string> {
  const installed = installedChromium()
  if (installed) return installed
  // It unpacks to a fixed name and does not check whether that is another version.
  const folder = join(tmpdir(), 'hushbox-chromium-153')
  mkdirSync(folder, { recursive: true })
  process.env.TMPDIR = folder
  const { default: chromium } = await import('@sparticuz/chromium')
  return await chromium.executablePath()
}

/** Stops Chromium's background requests; the tests count every request that leaves our origin. */
export const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
