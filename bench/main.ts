// npm run bench            everything
// npm run bench -- auth    one part
// Figures beside a limit measured in the same run: these machines are noisy, ratios are not.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from './figure.ts'

const PARTS: Record<string, () => Promise<Figure[]>> = {
  start: async () => (await import('./server/start.ts')).measureStart(),
  memory: async () => (await import('./server/memory.ts')).measureMemory(),
  auth: async () => (await import('./server/auth.ts')).measureAuth(),
  database: async () => (await import('./server/database.ts')).measureDatabase(),
  addresses: async () => (await import('./server/addresses.ts')).measureAddresses(),
  list: async () => (await import('./server/list.ts')).measureList(),
  proxmox: async () => (await import('./server/proxmox.ts')).measureProxmox(),
  operator: async () => (await import('./server/operator.ts')).measureOperator(),
  server: async () => (await import('./server/server-page.ts')).measureServerPage(),
  sales: async () => (await import('./server/sales.ts')).measureSales(),
  polling: async () => (await import('./server/polling.ts')).measurePolling(),
  screens: async () => (await import('./pages/screens.ts')).measureScreens(),
  console: async () => (await import('./pages/console.ts')).measureConsole(),
  pages: async () => (await import('./pages/pages.ts')).measurePages(),
  soak: async () => (await import('./server/soak.ts')).measureSoak(),
  bundle: async () => (await import('./pages/bundle.ts')).measureBundle(),
}
const RESULTS = join(import.meta.dirname, 'results.md')
const HEAD = '| date | commit | what | measured | limit | |\n|---|---|---|---|---|---|\n'

const wanted = process.argv.slice(2)
const names = wanted.length > 0 ? wanted : Object.keys(PARTS)
const commit = process.env.COMMIT ?? 'working tree'
const rows: string[] = []
let isGreen = true

for (const name of names) {
  const part = PARTS[name]
  if (!part) throw new Error(`There is no part ${name}: ${Object.keys(PARTS).join(', ')}`)
  for (const { what, measured, limit, isWithin } of await part()) {
    const mark = isWithin ? 'ok' : 'OVER'
    isGreen &&= isWithin
    console.log(`${mark.padEnd(5)} ${what.padEnd(64)} ${measured.padStart(14)}   limit ${limit}`)
    const day = new Date().toISOString().slice(0, 10)
    rows.push(`| ${day} | ${commit} | ${what} | ${measured} | ${limit} | ${mark} |`)
  }
}

if (process.env.RECORD === '1') {
  if (!existsSync(RESULTS)) writeFileSync(RESULTS, `# Measured\n\n${HEAD}`)
  appendFileSync(RESULTS, `${rows.join('\n')}\n`)
}
process.exit(isGreen ? 0 : 1)
