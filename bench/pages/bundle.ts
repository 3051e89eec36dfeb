import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { atMost, type Figure } from '../figure.ts'

const ROOT = join(import.meta.dirname, '../../dist/web')
const Chunk = z.object({
  file: z.string(),
  imports: z.array(z.string()).default([]),
  dynamicImports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
})
type Manifest = Record<string, z.output<typeof Chunk>>

const ENTRY = 'index.html'
const AREAS = [
  { name: 'client area', routes: 'routes-client.tsx', limit: 45 },
  { name: 'admin area', routes: 'routes-admin.tsx', limit: 110 },
]
const PAGES = [
  { name: 'login', page: 'features/auth/login-page.tsx', hasToasts: true, limit: 25 },
  { name: 'register', page: 'features/auth/register-page.tsx', hasToasts: true, limit: 25 },
  { name: 'console', page: 'features/console/console-page.tsx', hasToasts: false, limit: 60 },
]
/**
 * Fetched by the page itself as it opens. Everything else fetched later waits for a click: a
 * dialog, the palette, the device identifier of a registration, its QR code.
 */
const AT_ONCE = ['widgets/metrics/plot.tsx', '../../node_modules/@novnc/novnc/core/rfb.js']
/** Loaded with every page on which an action is possible. */
const TOASTS = 'ui/feedback/toast.tsx'

/** What must arrive before a page is usable, gzipped; for an area, its heaviest page. */
export async function measureBundle(): Promise<Figure[]> {
  const manifest = readManifest()
  const first = reach(manifest, [ENTRY])
  const beyond = (keys: string[]) => {
    const all = reach(manifest, keys)
    const late = [...all].flatMap((key) => manifest[key]?.dynamicImports ?? [])
    const atOnce = late.filter((key) => AT_ONCE.includes(key))
    return [...reach(manifest, [...keys, ...atOnce])].filter((key) => !first.has(key))
  }
  return [
    atMost('first page: JavaScript, gzip', weigh(filesOf(manifest, first)), 100, 'kB'),
    atMost('first page: CSS, gzip', weigh(stylesOf(manifest)), 12, 'kB'),
    ...PAGES.map(({ name, page, hasToasts, limit }) => {
      const keys = beyond(hasToasts ? [page, TOASTS] : [page])
      return atMost(`${name}: more JavaScript, gzip`, weigh(filesOf(manifest, keys)), limit, 'kB')
    }),
    ...AREAS.map(({ name, routes, limit }) => {
      const pages = pagesOf(manifest, routes).map((page) => ({
        page,
        weight: weigh(filesOf(manifest, beyond([routes, TOASTS, page]))),
      }))
      const [heaviest] = pages.sort((a, b) => b.weight - a.weight)
      if (!heaviest) throw new Error(`${routes} has no pages`)
      return atMost(
        `${name}: more JavaScript, gzip (${nameOf(heaviest.page)})`,
        heaviest.weight,
        limit,
        'kB',
      )
    }),
  ]
}

function readManifest(): Manifest {
  const manifest = z
    .record(z.string(), Chunk)
    .parse(JSON.parse(readFileSync(join(ROOT, '.vite/manifest.json'), 'utf8')))
  const named = [ENTRY, TOASTS, ...AT_ONCE, ...AREAS.map(({ routes }) => routes)]
  for (const key of [...named, ...PAGES.map(({ page }) => page)]) {
    if (!manifest[key]) throw new Error(`the build has no ${key}: was it renamed?`)
  }
  return manifest
}

/** These chunks and everything they import before they can run. */
function reach(manifest: Manifest, keys: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (key: string) => {
    if (found.has(key)) return
    found.add(key)
    for (const next of manifest[key]?.imports ?? []) visit(next)
  }
  for (const key of keys) visit(key)
  return found
}

const pagesOf = (manifest: Manifest, routes: string) =>
  (manifest[routes]?.dynamicImports ?? []).filter((key) => /(-page|routes-[a-z-]+)\.tsx$/.test(key))

const filesOf = (manifest: Manifest, keys: Iterable<string>) =>
  new Set([...keys].flatMap((key) => manifest[key]?.file ?? []))

/** One stylesheet for all pages: every visitor fetches all of it. */
const stylesOf = (manifest: Manifest) => new Set(Object.values(manifest).flatMap(({ css }) => css))

const nameOf = (key: string) => key.replace(/^.*\//, '').replace('.tsx', '')

const weigh = (names: Iterable<string>) =>
  [...names].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(ROOT, name)), { level: 9 }).length,
    0,
  ) / 1000
