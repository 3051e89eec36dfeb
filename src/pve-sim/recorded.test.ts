import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness } from './testing/harness.ts'
import { type Recorded, recordedAnswers } from './testing/recorded.ts'
import { prepareHost, SECRET } from './testing/recorded-host.ts'
import { replaying } from './testing/replay.ts'

/**
 * The same requests, in the same order, as once sent to Proxmox VE itself. README.md lists the
 * omissions and their reasons.
 */
describe.each([
  ['9.2', '9.1'],
  ['8.4', '8.4'],
] as const)('the recorded answers of Proxmox VE %s', (recorded, version) => {
  const answers = recordedAnswers(recorded)
  const given = new Map<Recorded, Recorded>()
  let pve: Harness

  beforeAll(async () => {
    // The clock stands still: a guest that was started is always still booting.
    const time = Date.now()
    const speed = { taskMs: 2, consoleWaitMs: 10, lagMs: 0, authDelayMs: 0 }
    pve = await harness({ ...speed, version, standalone: true, now: () => time })
    prepareHost(pve.sim.state, version)
    const root = await pve.ticket('root@pam', pve.sim.password)
    const { sim: host, ended, logOf } = pve
    const callers = { root, token: SECRET, viewer: SECRET }
    const play = replaying({ host, callers, ended, logOf })
    for (const answer of answers) given.set(answer, await play(answer))
  }, 120_000)
  afterAll(() => pve.close())

  it.each(answers.map((answer) => [answer.label, answer] as const))('%s', (_, answer) => {
    expect(given.get(answer)).toEqual(answer)
  })
})
