import { resolve } from 'node:path'
import { mergeConfig, type Plugin } from 'vitest/config'
import base from '../../vitest.config.ts'
import { ALL } from './all.ts'
import { current, mutate } from './mutant.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FILES = new Map(ALL.map(({ file }) => [resolve(ROOT, file), file]))

/** The tests of the repository, with one mutant in memory: no file is changed. */
export default mergeConfig(base, {
  root: ROOT,
  plugins: [carrier()],
  test: {
    maxWorkers: 1,
    bail: 1,
    // A mutant must not live on in a process that the next one uses.
    isolate: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

/** Puts the mutant of the moment into its file, whenever that is loaded. */
function carrier(): Plugin {
  return {
    name: 'mutant',
    enforce: 'pre',
    // The cache of transformed modules does not know the mutant: the first one of a file would
    // stand for all of them.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (FILES.has(id) ? false : undefined)),
    transform(text, id) {
      const mutant = ALL.find((one) => one.id === current.id)
      if (!mutant || FILES.get(id) !== mutant.file) return undefined
      current.isInPlace = true
      return mutate(text, mutant)
    },
  }
}
