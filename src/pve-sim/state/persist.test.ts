import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startSim } from '../sim.ts'
import { harness } from '../testing/harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'pve-sim-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the state file', () => {
  it('restores the same VMs, certificate, password and tickets', async () => {
    const stateFile = join(folder, 'deep', 'cluster.json')
    const before = await harness({ stateFile })
    await before.run('POST', '/nodes/pve1/qemu/9004/clone', {
      newid: '200',
      full: '1',
      name: 'kept',
    })
    await before.run('POST', '/nodes/pve1/qemu/200/status/start')
    const ticket = await before.ticket('root@pam', before.sim.password)
    const { fingerprint, password, apiToken } = before.sim
    const config = (await before.call('GET', '/nodes/pve1/qemu/200/config')).data
    await before.close()
    expect(statSync(stateFile).mode & 0o777).toBe(0o600)

    const after = await harness({ stateFile })
    expect(after.sim).toMatchObject({ fingerprint, password, apiToken })
    expect((await after.call('GET', '/nodes/pve1/qemu/200/config')).data).toEqual(config)
    expect((await after.call('GET', '/nodes/pve1/qemu/200/status/current')).data).toMatchObject({
      status: 'running',
    })
    expect((await after.as(ticket)('GET', '/version')).status).toBe(200)
    const { data } = await after.call('GET', '/nodes/pve1/tasks')
    expect(data.map((task) => task.type)).toEqual(['qmstart', 'qmclone'])
    await after.close()
  })

  it('resumes the tasks that a kill interrupted', async () => {
    const stateFile = join(folder, 'killed.json')
    const before = await harness({ stateFile, taskMs: 60_000 })
    const { data: upid } = await before.call('POST', '/nodes/pve1/qemu/9004/clone', {
      newid: '200',
      full: '1',
    })
    // A killed process leaves the file as it was at that moment.
    const left = readFileSync(stateFile, 'utf8')
    expect(left).toContain('"lock":"clone"')
    await before.close()
    const after = await harness({ stateFile })
    expect(await after.ended(upid)).toBe('OK')
    expect((await after.call('GET', '/nodes/pve1/qemu/200/config')).data).toMatchObject({
      scsi0: expect.stringMatching(/vm-200-disk-0/),
    })
    await after.close()
  })

  it('accepts another release when configured', async () => {
    const stateFile = join(folder, 'upgraded.json')
    await (await startSim({ stateFile, version: '8.4' })).close()
    const after = await harness({ stateFile, version: '9.1' })
    expect((await after.call('GET', '/version')).data).toMatchObject({ release: '9.1' })
    await after.close()
  })
})

it('leaves nothing behind when the simulator is closed', async () => {
  const sim = await startSim({ taskMs: 60_000 })
  const { url, port } = sim
  expect(url).toBe(`https://127.0.0.1:${port}`)
  await sim.close()
  const again = await startSim({ port })
  expect(again.port).toBe(port)
  await again.close()
})
