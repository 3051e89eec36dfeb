import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
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
export function chromiumPath(): string {
  const installed = installedChromium()
  if (installed) return installed
  // It unpacks to a fixed name and does not check whether that is another version.
  const folder = join(tmpdir(), 'hushbox-chromium-153')
  if (!existsSync(folder)) unpackInto(folder)
  return join(folder, 'chromium')
}

/**
 * Whole or not at all: several workers begin at once, and none may start a program that another one
 * still writes. Unpacked by a process of its own, because the package unpacks into the temporary
 * folder of its process: changed in ours, PostgreSQL would have to live in there too, and may not.
 */
function unpackInto(folder: string): void {
  const own = mkdtempSync(`${folder}-`)
  execFileSync(process.execPath, [join(import.meta.dirname, 'unpack-chromium.ts')], {
    env: { ...process.env, TMPDIR: own },
  })
  try {
    renameSync(own, folder)
  } catch (error) {
    rmSync(own, { recursive: true })
    // Another worker was first.
    if (!existsSync(folder)) throw error
  }
}

/** Stops Chromium's background requests; the tests count every request that leaves our origin. */
export const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
