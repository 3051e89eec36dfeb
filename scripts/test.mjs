// Runs every check, cheapest failure first. `all` adds the drills (test/drills.ts) and repeats on the
// embedded database what PostgreSQL passed, `check` stops before the tests, `faults` runs only those
// of the promises R1 to R16, `long` runs the long figures instead (the tests read LONG=1 themselves);
// any other argument picks steps of all by name.
import { spawnSync } from 'node:child_process'

const CHECKS = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['promises and switches', 'oxlint', ['--type-aware', '--deny-warnings', '.']],
  ['what nothing uses', 'knip', ['--no-progress']],
  ['types', 'npm', ['run', '--silent', 'types']],
]
const ALL = [
  ...CHECKS,
  ['unit, server and tables', 'vitest', ['run']],
  ['e2e', 'playwright', ['test']],
]
const everydaySteps = async () => {
  const { BROWSER_WALKS } = await import('../test/drills.ts')
  return [
    ...CHECKS,
    ['unit, server and tables', 'vitest', ['run', '--project=server', '--project=page']],
    ['e2e', 'playwright', ['test', '--project=product', ...BROWSER_WALKS]],
  ]
}

const wanted = process.argv.slice(2)
const isLong = wanted.includes('long')
const isEveryday = wanted.length === 0
const longSteps = async () => {
  const { LONG_TESTS } = await import('../test/faults/promises.ts')
  return [
    ['long figures', 'vitest', ['run', ...LONG_TESTS]],
    ['soak', 'node', ['bench/main.ts', 'soak']],
  ]
}
const faultSteps = async () => {
  const { promised } = await import('../test/faults/promises.ts')
  return [
    ['faults', 'vitest', ['run', ...promised('.test.ts')]],
    ['faults in a browser', 'playwright', ['test', '--project=product', ...promised('.e2e.ts')]],
    ['soak', 'node', ['bench/main.ts', 'soak']],
  ]
}
const pick = async () => {
  if (isLong) return await longSteps()
  if (wanted.includes('faults')) return await faultSteps()
  if (wanted.includes('check')) return CHECKS
  if (wanted.includes('all')) return ALL
  if (isEveryday) return await everydaySteps()
  return ALL.filter(([name]) => wanted.some((part) => name.includes(part)))
}
// Read by tests that repeat more in a run of their own, and less in the everyday one.
const figures = {
  ...(isLong && { LONG: '1' }),
  ...(wanted.includes('faults') && { FAULTS: '1' }),
  ...(isEveryday && { ONE_DATABASE: '1' }),
}
const env = { ...process.env, ...figures }

const { hasChromium } = await import('../e2e/house/browser.ts')
const skipReason = (command) =>
  command === 'playwright' && !hasChromium()
    ? 'no Chromium for this processor: install it (Debian: chromium-headless-shell) or set CHROMIUM_PATH'
    : undefined

const results = []
for (const [name, command, args] of await pick()) {
  process.stdout.write(`\n── ${name}\n`)
  const skipped = skipReason(command)
  if (skipped) {
    results.push({ name, isGreen: true, skipped })
    continue
  }
  const started = Date.now()
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  results.push({ name, isGreen: status === 0, seconds: Math.round((Date.now() - started) / 1000) })
  if (status !== 0) break
}

process.stdout.write('\n')
for (const { name, isGreen, seconds, skipped } of results) {
  const line = skipped
    ? `skipped ${name}: ${skipped}`
    : `${isGreen ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`
  process.stdout.write(`${line}\n`)
}
if (isEveryday) {
  process.stdout.write('Left out: the drills, and most repeats on the embedded database. ')
  process.stdout.write('Run them with: npm test -- all\n')
}
process.exit(results.every(({ isGreen }) => isGreen) ? 0 : 1)
