import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ALL } from './mutants/all.ts'

const ROOT = resolve(import.meta.dirname, '..')
const textOf = (file: string) => readFileSync(resolve(ROOT, file), 'utf8')

test('the place of every mutant is still in its file, and its tests are there', () => {
  const gone = ALL.filter(({ file, find }) => !textOf(file).includes(find)).map(({ id }) => id)
  expect(gone).toEqual([])
  for (const path of new Set(ALL.flatMap(({ tests }) => tests))) expect(textOf(path)).toBeTruthy()
  expect(ALL.length).toBeGreaterThan(500)
})
