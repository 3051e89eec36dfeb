import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'e2e',
  projects: [
    { name: 'product', testMatch: '**/*.e2e.ts' },
    // Reads what the others saw; alone it would run them all first.
    { name: 'texts', testMatch: '**/*.last.ts', dependencies: ['product'] },
  ],
  workers: 2,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  retries: 0,
  reporter: [['list']],
  use: { locale: 'en-US', screenshot: 'only-on-failure' },
})
