import type { TestProject } from 'vitest/node'
import { startPostgres } from '../src/server/testing/postgres.ts'
import { makeTemplates } from '../src/server/testing/test-db.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    pgliteDump: string
  }
}

/** One migrated dump and one PostgreSQL for the whole run; each test file gets its own copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  project.provide('postgresUrl', postgres.url)
  project.provide('pgliteDump', await makeTemplates(postgres.url))
  return () => postgres.stop()
}
