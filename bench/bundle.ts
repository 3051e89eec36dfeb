import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { atMost, type Figure } from './figure.ts'

const ROOT = join(import.meta.dirname, '../dist/web')
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().optional(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
)

/** Every file that must arrive before the entry runs, as gzip sends it. */
export async function measureBundle(): Promise<Figure[]> {
  const manifest = Manifest.parse(
    JSON.parse(readFileSync(join(ROOT, '.vite/manifest.json'), 'utf8')),
  )
  const files = new Set<string>()
  const styles = new Set<string>()
  const visit = (key: string) => {
    const chunk = manifest[key]
    if (!chunk || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const css of chunk.css) styles.add(css)
    for (const next of chunk.imports) visit(next)
  }
  for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) visit(key)
  const kilobytes = (names: Iterable<string>) =>
    [...names].reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(ROOT, name)), { level: 9 }).length,
      0,
    ) / 1000
  return [
    atMost('first page: JavaScript, gzip', kilobytes(files), 100, 'kB'),
    atMost('first page: CSS, gzip', kilobytes(styles), 12, 'kB'),
  ]
}
