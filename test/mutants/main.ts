// Changes one guard at a time and asks the tests. `npm run test:mutants [part of a file's name]`.
// Fails below the floor, and where a mutant survives that is not listed with its reason.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ALL } from './all.ts'
import type { Verdict } from './judge.ts'
import { mutate } from './mutant.ts'
import { SURVIVORS } from './survivors.ts'

const FLOOR = 0.9
const AT_ONCE = 2
const ROOT = resolve(import.meta.dirname, '../..')

const part = process.argv[2] ?? ''
const chosen = ALL.filter(({ id }) => id.includes(part))
for (const mutant of chosen) mutate(readFileSync(resolve(ROOT, mutant.file), 'utf8'), mutant)

const waiting = [...chosen]
const verdicts: Verdict[] = []

/** One process that judges them as long as there are any. */
async function judges(): Promise<void> {
  const child = fork(resolve(import.meta.dirname, 'judge.ts'))
  const exited = once(child, 'exit')
  const answer = async () => {
    const [message] = await Promise.race([
      once(child, 'message'),
      exited.then(([code]) => Promise.reject(new Error(`A judge ended with ${code}.`))),
    ])
    return message as unknown
  }
  await answer()
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    child.send(mutant.id)
    const verdict = (await answer()) as Verdict
    verdicts.push(verdict)
    const { id, find, put } = mutant
    const change = verdict.end === 'killed' ? '' : `: ${find} → ${put || 'nothing'}`
    const sum = `${verdicts.length}/${chosen.length}`
    process.stdout.write(`${sum} ${verdict.end} ${id} (${verdict.seconds} s)${change}\n`)
  }
  child.disconnect()
  await exited
}
await Promise.all(Array.from({ length: Math.min(AT_ONCE, chosen.length) }, judges))

const killed = verdicts.filter(({ end }) => end === 'killed').length
const rest = verdicts.filter(({ end }) => end !== 'killed')
const unexplained = rest.filter(({ id }) => SURVIVORS[id] === undefined)
const share = killed / verdicts.length
process.stdout.write(`\n${killed} of ${verdicts.length} killed (${(share * 100).toFixed(1)} %)\n`)
for (const { id, end } of rest) {
  process.stdout.write(`${end} ${id}: ${SURVIVORS[id] ?? 'no reason is given'}\n`)
}
process.exit(share >= FLOOR && unexplained.length === 0 ? 0 : 1)
