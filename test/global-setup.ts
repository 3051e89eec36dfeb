import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../src/server/testing/postgres.ts'
import { makeTemplates } from '../src/server/testing/test-db.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    pgliteDump: string
  }
}

/** The built server, one migrated dump and one PostgreSQL for the whole run; each test file gets its own copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Tests with a process of their own run the server that is built.
  execFileSync(process.execPath, ['scripts/setup.mjs'], { stdio: 'inherit' })
  const postgres = await startPostgres()
  project.provide('postgresUrl', postgres.url)
  project.provide('pgliteDump', await makeTemplates(postgres.url))
  return () => postgres.stop()
}
