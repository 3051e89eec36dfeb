import { expect, test } from 'vitest'
import { agentTurns } from './agent-turns.ts'

const PAUSE_MS = 4000

type Look = { answer?: string; asksAgain?: boolean }

function manualTurns() {
  let now = 0
  const asked: number[] = []
  const turns = agentTurns(PAUSE_MS, { now: () => now })
  return {
    asked,
    pass: (ms: number) => {
      now += ms
    },
    look: (vmid: number, { answer, asksAgain = true }: Look = {}) =>
      turns.look({ node: 'pve1', vmid, asksAgain }, async () => {
        asked.push(vmid)
        return answer
      }),
  }
}

test('guests of one node are asked in turn, one per pause', async () => {
  const { asked, pass, look } = manualTurns()
  for (let time = 0; time < 6 * PAUSE_MS; time += 1000) {
    await Promise.all([100, 101, 102].map((vmid) => look(vmid)))
    pass(1000)
  }
  expect(asked).toEqual([100, 101, 102, 100, 101, 102])
})

test('a guest that answers causes no pause', async () => {
  const { asked, look } = manualTurns()
  expect(await look(100, { answer: 'here' })).toBe('here')
  expect(await look(101, { answer: 'here' })).toBe('here')
  expect(asked).toEqual([100, 101])
})

test('a guest whose caller has stopped asking loses its turn', async () => {
  const { asked, pass, look } = manualTurns()
  await look(100)
  await look(101)
  await look(102)
  pass(PAUSE_MS + 2000)
  // 101 was next, but its caller has not asked for longer than the limit.
  await look(102)
  expect(asked).toEqual([100, 102])
})

test('a caller that asks once keeps no other caller waiting', async () => {
  const { asked, pass, look } = manualTurns()
  await look(100)
  await look(101, { asksAgain: false })
  pass(PAUSE_MS)
  await look(102)
  expect(asked).toEqual([100, 102])
})
