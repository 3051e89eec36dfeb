import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { BROWSER_WALKS, SERVER_DRILLS } from './drills.ts'

const ROOT = resolve(import.meta.dirname, '..')

test.each([...SERVER_DRILLS, ...BROWSER_WALKS])('%s exists', (files) => {
  expect(globSync(files, { cwd: ROOT })).not.toEqual([])
})
