import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { LONG_TESTS, PROMISES } from './promises.ts'

const ROOT = resolve(import.meta.dirname, '../..')

test('every promise has a test', () => {
  const names = Object.keys(PROMISES).map((promise) => promise.split(' ')[0])
  expect(names).toEqual(Array.from({ length: 16 }, (_, n) => `R${n + 1}`))
})

test.each([...new Set(Object.values(PROMISES).flat())])('%s exists and contains tests', (path) => {
  expect(readFileSync(resolve(ROOT, path), 'utf8')).toMatch(
    /\b(test|it)[.(]|measureSoak|killAtEveryMoment\(/,
  )
})

test('every test that has a long run is in the long run', () => {
  const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT })
  // Those that kill read it in one place. This file only names it.
  const hasLongRun = /env\.LONG ===|IS_LONG|KILL_DATABASES|killAtEveryMoment/
  const long = tests
    .filter((path) => resolve(ROOT, path) !== import.meta.filename)
    .filter((path) => hasLongRun.test(readFileSync(resolve(ROOT, path), 'utf8')))
  expect(long.toSorted()).toEqual(LONG_TESTS.toSorted())
})
