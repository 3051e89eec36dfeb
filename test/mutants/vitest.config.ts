import { resolve } from 'node:path'
import { mergeConfig, type Plugin } from 'vitest/config'
import base from '../../vitest.config.ts'
import { ALL } from './all.ts'
import { IN_PLACE, mutate, type NumberedMutant } from './mutant.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const mutant = ALL.find(({ id }) => id === process.env.MUTANT)

/** The tests of the repository, with one mutant in memory: no file is changed. */
export default mergeConfig(base, {
  root: ROOT,
  test: { maxWorkers: 1, bail: 1, testTimeout: 60_000, hookTimeout: 60_000 },
  plugins: mutant ? [carrier(mutant)] : [],
})

function carrier(mutant: NumberedMutant): Plugin {
  const file = resolve(ROOT, mutant.file)
  return {
    name: 'mutant',
    enforce: 'pre',
    // The cache of transformed modules does not know the mutant: the first one of a file would
    // stand for all of them.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (id === file ? false : undefined)),
    transform(text, id) {
      if (id !== file) return undefined
      process.stderr.write(IN_PLACE)
      return mutate(text, mutant)
    },
  }
}
