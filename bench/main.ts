// npm run bench            everything
// npm run bench -- auth    one part
// Figures beside a limit measured in the same run: these machines are noisy, ratios are not.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from './figure.ts'

const PARTS: Record<string, () => Promise<Figure[]>> = {
  start: async () => (await import('./start.ts')).measureStart(),
  memory: async () => (await import('./memory.ts')).measureMemory(),
  auth: async () => (await import('./auth.ts')).measureAuth(),
  database: async () => (await import('./database.ts')).measureDatabase(),
  addresses: async () => (await import('./addresses.ts')).measureAddresses(),
  list: async () => (await import('./list.ts')).measureList(),
  proxmox: async () => (await import('./proxmox.ts')).measureProxmox(),
  operator: async () => (await import('./operator.ts')).measureOperator(),
  server: async () => (await import('./server-page.ts')).measureServerPage(),
  sales: async () => (await import('./sales.ts')).measureSales(),
  polling: async () => (await import('./polling.ts')).measurePolling(),
  screens: async () => (await import('./screens.ts')).measureScreens(),
  console: async () => (await import('./console.ts')).measureConsole(),
  pages: async () => (await import('./pages.ts')).measurePages(),
  soak: async () => (await import('./soak.ts')).measureSoak(),
  bundle: async () => (await import('./bundle.ts')).measureBundle(),
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
