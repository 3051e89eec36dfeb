import { resolve } from 'node:path'
import { mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { ALL } from './all.ts'
import { mutate } from './mutant.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const mutant = ALL.find(({ id }) => id === process.env.MUTANT)

/** The tests of the repository, with one mutant in memory: no file is changed. */
export default mergeConfig(base, {
  root: ROOT,
  test: { maxWorkers: 1, bail: 1, testTimeout: 60_000, hookTimeout: 60_000 },
  plugins: mutant
    ? [
        {
          name: 'mutant',
          enforce: 'pre',
          transform: (text: string, file: string) =>
            file === resolve(ROOT, mutant.file) ? mutate(text, mutant) : undefined,
        },
      ]
    : [],
})
