import { defineConfig } from 'vitest/config'
import { routeTable } from './scripts/route-table.ts'

/** The long figures take their time; the tests themselves read LONG. */
const TIMEOUT_MS = process.env.LONG === '1' || process.env.FAULTS === '1' ? 3_600_000 : 120_000

export default defineConfig({
  plugins: [routeTable()],
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // More than the two cores: many tests wait for processes of their own and for timers.
    maxWorkers: 4,
    // Half of a run was importing the server anew for each file. Every test makes its own application.
    isolate: false,
  },
})
