import { defineConfig } from 'vitest/config'
import { namesFailedTests } from './scripts/failed-tests.ts'
import { routeTable } from './scripts/route-table.ts'
import { SERVER_DRILLS } from './test/drills.ts'

/** The long figures take their time; the tests themselves read LONG. */
const TIMEOUT_MS = process.env.LONG === '1' || process.env.FAULTS === '1' ? 3_600_000 : 120_000
const PAGE_TESTS = 'src/web/**/*.test.ts'

export default defineConfig({
  plugins: [routeTable()],
  test: {
    reporters: ['default', namesFailedTests()],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // More than the two cores: many tests wait for processes of their own and for timers.
    maxWorkers: 4,
    // Half of a run was importing the server anew for each file. Every test makes its own application.
    isolate: false,
    // Files of one project share processes. Tests of pages stop the clock, which would also stop a
    // server that is still at work.
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [PAGE_TESTS, ...SERVER_DRILLS],
          globalSetup: ['test/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'drills',
          include: SERVER_DRILLS,
          globalSetup: ['test/global-setup.ts'],
        },
      },
      { extends: true, test: { name: 'page', include: [PAGE_TESTS] } },
    ],
  },
})
