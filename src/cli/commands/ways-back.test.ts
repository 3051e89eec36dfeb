import { describe, expect, test } from 'vitest'
import { openCommandLine, stage } from '../testing/stage.ts'

const { hushbox } = openCommandLine()

const backup = { id: 2, name: 'Before', state: 'ready', isWaiting: false }
const list = {
  backups: [backup],
  confirm: 'web',
  snapshots: 1,
  others: [{ id: 8, label: 'spare', confirm: '108' }],
}
const listed = { status: 200, body: list }
const started = { status: 202, body: { jobId: 'a' } }
const servers = { status: 200, body: [{ id: 8, label: 'spare', name: '2 CPU' }] }

const RESTORE = 'POST /api/instances/7/backups/2/restore'

describe('a backup', () => {
  test('is restored in place', async () => {
    const s = await stage(listed, started)
    const done = await hushbox('servers backup restore 7 2 --yes', s.env)
    expect([done.code, done.out], done.err).toEqual([0, 'The backup is being restored.\n'])
    const body = { as: 'same', confirm: 'web' }
    expect(s.asked.at(-1)).toMatchObject({ line: RESTORE, body })
    s.close()
  })

  test('is restored to another server, by its name, and that one is waited for', async () => {
    const s = await stage(servers, listed, started, { status: 200, body: { id: 8, jobs: [] } })
    const done = await hushbox('servers backup restore 7 2 --into spare --yes --wait', s.env)
    expect([done.code, done.out], done.err).toEqual([0, 'The backup is restored.\n'])
    const body = { as: 'new', into: 8, confirm: '108' }
    expect(s.asked.slice(-2)).toMatchObject([
      { line: RESTORE, body },
      { line: 'GET /api/instances/8' },
    ])
    s.close()
  })

  test('asks for the name of the server that loses its data', async () => {
    const s = await stage(listed, listed, started)
    const ask = (answer: string) => hushbox('servers backup restore 7 2 --into 8', s.env, [answer])
    const refused = await ask('web')
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('108')])
    expect(s.asked.map(({ line }) => line)).toEqual(['GET /api/instances/7/backups'])
    expect((await ask('108')).code).toBe(0)
    s.close()
  })

  test('is not restored to a server that cannot have it', async () => {
    const s = await stage(listed)
    const refused = await hushbox('servers backup restore 7 2 --into 9 --yes', s.env)
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('cannot get this')])
    expect(s.asked).toHaveLength(1)
    s.close()
  })

  test('is listed as waiting until its turn comes', async () => {
    const waiting = { ...backup, state: 'creating', isWaiting: true }
    const s = await stage({ status: 200, body: { ...list, backups: [waiting, backup] } })
    const { out } = await hushbox('servers backup list 7', s.env)
    expect(out).toMatch(/Before +waiting.*Before +ready/s)
    s.close()
  })
})
