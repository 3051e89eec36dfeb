// Runs Lighthouse on the built pages, as a phone. It is not among our packages (it brings a
// hundred): `LIGHTHOUSE=folder npm run lighthouse` uses the one installed in that folder.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { chromiumPath, QUIET } from '../../e2e/house/browser.ts'
import { removeFolder, startProduct } from '../../src/server/testing/server-process.ts'
import { atLeast, type Figure, median } from '../figure.ts'

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const LIMITS: Record<string, Record<(typeof CATEGORIES)[number], number>> = {
  '/': { performance: 0.98, accessibility: 1, 'best-practices': 1, seo: 1 },
  '/pricing': { performance: 0.95, accessibility: 1, 'best-practices': 1, seo: 1 },
  '/login': { performance: 0.95, accessibility: 1, 'best-practices': 1, seo: 1 },
  '/register': { performance: 0.95, accessibility: 1, 'best-practices': 1, seo: 1 },
}
/** A single run is noisy on a busy machine: the median counts. */
const LOOKS = 3
const MAX_REPORT_BYTES = 64_000_000

const Report = z.object({
  categories: z.record(
    z.string(),
    z.object({
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(z.string(), z.object({ title: z.string(), score: z.number().nullable() })),
})

const program = join(resolve(process.env.LIGHTHOUSE ?? '.'), 'node_modules/.bin/lighthouse')
if (!existsSync(program)) {
  console.error('Lighthouse is not here. In a folder of its own: npm i lighthouse; then')
  console.error('LIGHTHOUSE=that-folder npm run lighthouse')
  process.exit(1)
}
const chrome = chromiumPath()
const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', ...QUIET].join(' ')

function look(url: string): z.output<typeof Report> {
  const { stdout, stderr, status } = spawnSync(
    program,
    [
      url,
      '--quiet',
      '--output=json',
      '--output-path=stdout',
      `--only-categories=${CATEGORIES.join(',')}`,
      `--chrome-flags=${flags}`,
    ],
    {
      env: { ...process.env, CHROME_PATH: chrome },
      encoding: 'utf8',
      maxBuffer: MAX_REPORT_BYTES,
    },
  )
  if (status !== 0) throw new Error(`lighthouse ended with ${status}: ${stderr}`)
  return Report.parse(JSON.parse(stdout))
}

/** The audits that cost points, by name. */
const complaints = ({ categories, audits }: z.output<typeof Report>): string[] =>
  Object.values(categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ weight }) => weight > 0)
    .flatMap(({ id }) => audits[id] ?? [])
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ title, score }) => `      ${score}  ${title}`)

const server = await startProduct()
try {
  for (const [path, limits] of Object.entries(LIMITS)) {
    const looks = Array.from({ length: LOOKS }, () => look(server.url + path))
    const scores = (name: string) => looks.map(({ categories }) => categories[name]?.score ?? 0)
    const figures: Figure[] = CATEGORIES.map((name) =>
      atLeast(`${path} ${name}`, median(scores(name)), limits[name]),
    )
    for (const { what, measured, limit, isWithin } of figures) {
      console.log(`${isWithin ? 'ok   ' : 'UNDER'} ${what.padEnd(28)} ${measured}   limit ${limit}`)
      if (!isWithin) process.exitCode = 1
    }
    for (const line of new Set(looks.flatMap(complaints))) console.log(line)
  }
} finally {
  await server.stop()
  removeFolder(server.dataDir)
}
