// Judges one mutant after the other, as its parent names them. Vitest and its databases are started
// once: most of a run of its own would be that.
import { resolve } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'
import { ALL } from './all.ts'
import { current, type NumberedMutant } from './mutant.ts'

export type Verdict = { id: string; end: 'killed' | 'survived' | 'broken'; seconds: number }

const ROOT = resolve(import.meta.dirname, '../..')

const vitest = await createVitest({
  config: resolve(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
  reporters: [{}],
})
await vitest.standalone()

/** What a run of these tests says: an assertion turned red, or none did, or there were none. */
function endOf(modules: readonly TestModule[]): 'red' | 'green' | 'nothing' {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const states = new Set(tests.map((test) => test.result().state))
  if (states.has('failed')) return 'red'
  return states.has('passed') && modules.every((module) => module.ok()) ? 'green' : 'nothing'
}

async function judge(mutant: NumberedMutant): Promise<Verdict['end']> {
  for (const test of mutant.tests) {
    Object.assign(current, { id: mutant.id, isInPlace: false })
    vitest.invalidateFile(resolve(ROOT, mutant.file))
    const specifications = await vitest.globTestSpecifications([test])
    const { testModules } = await vitest.runTestSpecifications(specifications)
    const end = endOf(testModules)
    if (!current.isInPlace || end === 'nothing') return 'broken'
    if (end === 'red') return 'killed'
  }
  return 'survived'
}

async function answer(id: string): Promise<void> {
  const mutant = ALL.find((one) => one.id === id)
  if (!mutant) throw new Error(`There is no mutant ${id}.`)
  const began = Date.now()
  const end = await judge(mutant)
  vitest.invalidateFile(resolve(ROOT, mutant.file))
  const seconds = Math.round((Date.now() - began) / 1000)
  process.send?.({ id, end, seconds } satisfies Verdict)
}

process.on('message', (id: string) => void answer(id))
process.on('disconnect', () => void vitest.close().finally(() => process.exit()))
process.send?.('ready')
