import { afterAll, onTestFinished, TestRunner } from 'vitest'

/**
 * Cleans up after the test that runs, or after the file if none does. Files share a process: what
 * one leaves open disturbs the next. Inside a test `afterAll` is never called.
 */
export function atEnd(cleanUp: () => Promise<unknown> | unknown): void {
  const work = async () => void (await cleanUp())
  if (TestRunner.getCurrentTest()) onTestFinished(work)
  else afterAll(work)
}
