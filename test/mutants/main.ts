// Changes one guard at a time and asks the tests. `npm run test:mutants [part of a file's name]`.
// Fails below the floor, and where a mutant survives that is not listed with its reason.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ALL } from './all.ts'
import { IN_PLACE, mutate, type NumberedMutant } from './mutant.ts'
import { SURVIVORS } from './survivors.ts'

const FLOOR = 0.9
const AT_ONCE = 2
const ROOT = resolve(import.meta.dirname, '../..')

type Result = { mutant: NumberedMutant; end: 'killed' | 'survived' | 'broken'; seconds: number }

function run(args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; text: string }> {
  return new Promise((end, fail) => {
    const child = spawn('vitest', ['run', '--config', 'test/mutants/vitest.config.ts', ...args], {
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: '1', ...env },
    })
    let text = ''
    child.stdout.on('data', (bytes) => {
      text += bytes
    })
    child.stderr.on('data', (bytes) => {
      text += bytes
    })
    child.on('error', fail)
    child.on('close', (code) => end({ code: code ?? 1, text }))
  })
}

/**
 * Killed: an assertion turned red. A run in which no test ran at all, or without the mutant, proves
 * nothing.
 */
async function judge(mutant: NumberedMutant): Promise<Result> {
  const began = Date.now()
  const ended = (end: Result['end']) => ({
    mutant,
    end,
    seconds: Math.round((Date.now() - began) / 1000),
  })
  for (const test of mutant.tests) {
    const { code, text } = await run([test], { MUTANT: mutant.id })
    const isRed = /Tests {2}.*\d+ failed/.test(text)
    if (!text.includes(IN_PLACE) || (code !== 0 && !isRed)) {
      process.stdout.write(`${text.slice(-2000)}\n`)
      return ended('broken')
    }
    if (isRed) return ended('killed')
  }
  return ended('survived')
}

const part = process.argv[2] ?? ''
const chosen = ALL.filter(({ id }) => id.includes(part))
for (const mutant of chosen) mutate(readFileSync(resolve(ROOT, mutant.file), 'utf8'), mutant)

const waiting = [...chosen]
const results: Result[] = []
const worker = async () => {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const result = await judge(mutant)
    results.push(result)
    const { id, find, put } = mutant
    const change = result.end === 'killed' ? '' : `: ${find} → ${put || 'nothing'}`
    const sum = `${results.length}/${chosen.length}`
    process.stdout.write(`${sum} ${result.end} ${id} (${result.seconds} s)${change}\n`)
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, worker))

const killed = results.filter(({ end }) => end === 'killed').length
const rest = results.filter(({ end }) => end !== 'killed')
const unexplained = rest.filter(({ mutant }) => SURVIVORS[mutant.id] === undefined)
const share = killed / results.length
process.stdout.write(`\n${killed} of ${results.length} killed (${(share * 100).toFixed(1)} %)\n`)
for (const { mutant, end } of rest) {
  process.stdout.write(`${end} ${mutant.id}: ${SURVIVORS[mutant.id] ?? 'no reason is given'}\n`)
}
if (part === '') {
  writeFileSync(
    resolve(import.meta.dirname, 'result.json'),
    `${JSON.stringify({ killed, of: results.length, survived: rest.map((one) => one.mutant.id).sort() }, undefined, 2)}\n`,
  )
}
process.exit(share >= FLOOR && unexplained.length === 0 ? 0 : 1)
