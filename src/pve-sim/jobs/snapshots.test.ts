import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, harness, tokenHeader } from '../testing/harness.ts'

const VM = '/nodes/pve1/qemu/103'
const PATH = `${VM}/snapshot`
const DISK = 'local-lvm:vm-103-disk-0'

describe.each(['7.4', '8.4', '9.1'] as const)('a snapshot of PVE %s', (version) => {
  let pve: Harness
  beforeEach(async () => {
    pve = await harness({ version })
  })
  afterEach(() => pve.close())

  const vm = () => {
    const found = pve.sim.state.vms.get(103)
    if (!found) throw new Error('the demo has no VM 103')
    return found
  }
  /** The end of the task. */
  const run = async (method: string, path: string, form?: Record<string, string>) => {
    const { data, status, reason } = await pve.call(method, path, form)
    expect(`${status} ${reason}`).toBe('200 OK')
    return pve.ended(data)
  }
  const take = (snapname: string, more = {}) => run('POST', PATH, { snapname, ...more })
  const back = (name: string, form = {}) => run('POST', `${PATH}/${name}/rollback`, form)
  const drop = (name: string) => run('DELETE', `${PATH}/${name}`)
  const list = async () => (await pve.call('GET', PATH)).data

  it('is listed with its parent, beside the VM itself', async () => {
    expect(await take('first', { description: 'one' })).toBe('OK')
    await take('second')
    expect(await list()).toEqual([
      {
        name: 'second',
        description: '',
        snaptime: expect.any(Number),
        vmstate: 0,
        parent: 'first',
      },
      { name: 'first', description: 'one', snaptime: expect.any(Number), vmstate: 0 },
      expect.objectContaining({ name: 'current', description: 'You are here!', parent: 'second' }),
    ])
    await drop('first')
    expect((await list()).map(({ name, parent }) => [name, parent])).toEqual([
      ['second', undefined],
      ['current', 'second'],
    ])
  })

  it('brings back the whole configuration, and stops the VM', async () => {
    const { cores, description: _, ...before } = vm().config
    vm().guest.os = 'before'
    await take('first')
    await pve.run('POST', `${VM}/config`, { cores: '7', description: 'mine', name: 'renamed' })
    vm().guest.os = 'after'
    await pve.run('POST', `${VM}/status/start`)
    expect(await back('first')).toBe('OK')
    expect(vm().qmp).toBe('stopped')
    expect(vm().guest.os).toBe('before')
    expect(vm().config).toEqual({ ...before, cores, description: 'mine', parent: 'first' })
  })

  it('keeps the disk that it needs; rolled back to, a newer disk becomes unused', async () => {
    vm().guest.os = 'before'
    await take('first')
    const wish = 'local-lvm:0,import-from=ceph-vm:base-9004-disk-0'
    await pve.run('POST', `${VM}/config`, { scsi0: wish })
    expect(vm().config.unused0).toBe(DISK)
    expect(await run('POST', `${VM}/config`, { delete: 'unused0' })).toBe(
      `unable to delete '${DISK}' - volume is still in use (snapshot?)`,
    )
    await back('first')
    expect(vm().guest.os).toBe('before')
    expect(vm().config.scsi0).toContain(DISK)
    expect(Object.values(vm().config)).toContain('local-lvm:vm-103-disk-1')
    expect(pve.sim.state.orphans()).toEqual([])
  })

  it('is refused as PVE refuses it', async () => {
    const reserved = await pve.call('POST', PATH, { snapname: 'current' })
    expect(reserved.reason).toBe("unable to use snapshot name 'current' (reserved name)")
    await take('first')
    expect(await take('first')).toBe("snapshot name 'first' already used")
    expect(await back('other')).toBe("snapshot 'other' does not exist")
    expect(await drop('other')).toBe("snapshot 'other' does not exist")
    vm().config.lock = 'backup'
    expect(await take('second')).toBe('VM is locked (backup)')
    delete vm().config.lock
    const store = pve.sim.state.storages.get('local-lvm')
    if (store) store.type = 'zfspool'
    await take('second')
    expect(await back('first')).toBe(
      `can't rollback, 'first' is not most recent snapshot on '${DISK}'`,
    )
    if (store) store.type = 'dir'
    expect(await take('third')).toBe('snapshot feature is not available')
  })

  it('locks the VM while it is made, and a task that fails leaves nothing', async () => {
    await pve.close()
    pve = await harness({ version, taskMs: 250 })
    const { data } = await pve.call('POST', PATH, { snapname: 'first' })
    const { reason } = await pve.call('POST', `${VM}/config`, { cores: '3' })
    expect(reason).toBe('VM is locked (snapshot)')
    expect(await pve.ended(data)).toBe('OK')
    expect(vm().config.lock).toBeUndefined()
    pve.sim.faults.add({ kind: 'task-error', path: 'snapshot', method: 'POST', count: 1 })
    expect(await take('second')).not.toBe('OK')
    expect(vm().config.lock).toBeUndefined()
    expect(vm().snapshots?.map(({ name }) => name)).toEqual(['first'])
  })

  it('whose worker is killed leaves the VM locked, also for itself, until root unlocks it', async () => {
    const dying = async (method: string, path: string) => {
      pve.sim.faults.add({ kind: 'worker-dies', path: 'snapshot', method, count: 1 })
      expect(await pve.run(method, path, method === 'POST' ? { snapname: 'half' } : {})).toBe(
        'unexpected status',
      )
    }
    await dying('POST', PATH)
    expect((await list())[0]).toMatchObject({ name: 'half', snapstate: 'prepare' })
    expect(await take('other')).toBe('VM is locked (snapshot)')
    expect(await pve.run('DELETE', `${PATH}/half`)).toBe('VM is locked (snapshot)')
    delete vm().config.lock
    await dying('DELETE', `${PATH}/half`)
    expect(await pve.run('DELETE', `${PATH}/half?force=1`)).toBe('VM is locked (snapshot-delete)')
    delete vm().config.lock
    expect(await pve.run('DELETE', `${PATH}/half`)).toContain('exit code 5')
    expect(vm().config.lock).toBe('snapshot-delete')
    delete vm().config.lock
    expect(await pve.run('DELETE', `${PATH}/half?force=1`)).toBe('OK')
    await take('whole')
    pve.sim.faults.add({ kind: 'worker-dies', path: 'rollback', count: 1 })
    expect(await back('whole')).toBe('unexpected status')
    expect(await back('whole')).toBe('VM is locked (rollback)')
    expect(await pve.run('POST', `${VM}/status/start`)).toBe('VM is locked (rollback)')
  })

  it('brings a disk back that was unused, and leaves the other one unused', async () => {
    await take('first')
    await pve.run('POST', `${VM}/config`, { delete: 'scsi0' })
    expect(vm().config.unused0).toBe(DISK)
    await back('first')
    expect(vm().config.scsi0).toContain(DISK)
    expect(vm().config).not.toHaveProperty('unused0')
  })

  it('shows its configuration without the password, but for its own call', async () => {
    await pve.run('POST', `${VM}/config`, { cipassword: 'secret' })
    await take('first')
    const masked = await pve.call('GET', `${VM}/config?snapshot=first`)
    expect(masked.data.cipassword).toBe('**********')
    const { data } = await pve.call('GET', `${PATH}/first/config`)
    expect(data.cipassword).toMatch(/^\$5\$/)
    await pve.call('PUT', `${PATH}/first/config`, { description: 'another' })
    expect((await list())[0]).toMatchObject({ description: 'another' })
  })

  it('needs a privilege of its own', async () => {
    const viewer = pve.as(tokenHeader('viewer@pve!nothing'))
    const { status } = await viewer('POST', PATH, { snapname: 'first' })
    expect(status).toBe(403)
    expect((await viewer('POST', `${PATH}/first/rollback`)).status).toBe(403)
  })

  it('starts the VM after a rollback if asked to', async () => {
    await take('first')
    await back('first', { start: '1' })
    await expect.poll(() => vm().qmp).toBe('running')
  })
})
