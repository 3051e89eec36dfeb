import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, harness, tokenHeader } from '../testing/harness.ts'

const VM = '/nodes/pve1/qemu/103'
const DUMP = '/nodes/pve1/vzdump'
const CONTENT = '/nodes/pve1/storage/local/content'

describe.each(['7.4', '8.4', '9.1'] as const)('backups of PVE %s', (version) => {
  let pve: Harness
  beforeEach(async () => {
    pve = await harness({ version })
    pve.sim.state.storages.set('pbs', {
      id: 'pbs',
      type: 'pbs',
      content: ['backup'],
      shared: true,
      total: 10 ** 13,
      base: 0,
    })
  })
  afterEach(() => pve.close())

  /** Long enough to look at what it does meanwhile. */
  const slowly = async () => {
    await pve.close()
    pve = await harness({ version, taskMs: 400 })
  }
  const vm = (id = 103) => {
    const found = pve.sim.state.vms.get(id)
    if (!found) throw new Error(`the demo has no VM ${id}`)
    return found
  }
  const begin = async (path: string, form: Record<string, string>) => {
    const { data, status, reason } = await pve.call('POST', path, form)
    expect(`${status} ${reason}`).toBe('200 OK')
    return data
  }
  const dump = async (more = {}) =>
    pve.ended(await begin(DUMP, { vmid: '103', storage: 'local', remove: '0', ...more }))
  const list = async (storage = 'local', as = pve.call) =>
    (await as('GET', `/nodes/pve1/storage/${storage}/content?content=backup&vmid=103`)).data
  const volidOf = async (storage = 'local') => (await list(storage))[0]?.volid ?? ''
  const back = async (archive: string, more = {}) =>
    pve.ended(await begin('/nodes/pve1/qemu', { vmid: '103', archive, force: '1', ...more }))

  it('lists an archive by the kind of its storage', async () => {
    expect(await dump({ compress: 'zstd', 'notes-template': '{{guestname}} by us\\nsecond' })).toBe(
      'OK',
    )
    expect(await dump({ storage: 'pbs' })).toBe('OK')
    const [file] = await list()
    const [onServer] = await list('pbs')
    expect(file).toMatchObject({
      volid: expect.stringMatching(/^local:backup\/vzdump-qemu-103-[\d_]+-[\d_]+\.vma\.zst$/),
      format: 'vma.zst',
      notes: `${vm().config.name} by us`,
      ctime: expect.any(Number),
    })
    expect(onServer).toMatchObject({
      volid: expect.stringMatching(/^pbs:backup\/vm\/103\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      format: 'pbs-vm',
    })
    // The file is packed; the server says how large the disks are.
    expect(Number(onServer?.size)).toBeGreaterThan(Number(file?.size))
  })

  it('answers OK and does nothing for a VM on another node', async () => {
    expect(
      (await pve.call('POST', '/nodes/pve2/vzdump', { vmid: '103', storage: 'local' })).data,
    ).toBe('OK')
    expect(await list()).toEqual([])
  })

  it('holds the VM by a lock, and shows one that is off as running', async () => {
    await slowly()
    const { qmp } = vm()
    const task = await begin(DUMP, { vmid: '103', storage: 'local' })
    await pve.until(() => vm().config.lock === 'backup')
    expect(vm().qmp).not.toBe('stopped')
    const { reason } = await pve.call('POST', `${VM}/config`, { cores: '3' })
    expect(reason).toContain('VM is locked (backup)')
    expect(await pve.ended(task)).toBe('OK')
    expect([vm().config.lock, vm().qmp]).toEqual([undefined, qmp])
  })

  it('runs one at a time on a node', async () => {
    await slowly()
    const first = await begin(DUMP, { vmid: '103', storage: 'local' })
    const second = await begin(DUMP, { vmid: '100', storage: 'local' })
    expect([await pve.ended(first), await pve.ended(second)]).toEqual(['OK', 'OK'])
    expect(await pve.logOf(second)).toContain('INFO: trying to get global lock - waiting...')
  })

  it('says in its log only why it failed', async () => {
    vm().config.lock = 'snapshot'
    const task = await begin(DUMP, { vmid: '103', storage: 'local' })
    expect(await pve.ended(task)).toBe('job errors')
    expect(await pve.logOf(task)).toContain(
      'ERROR: Backup of VM 103 failed - VM is locked (snapshot)',
    )
    delete vm().config.lock
    pve.sim.faults.add({ kind: 'task-error', path: /vzdump/, message: 'no space left', count: 1 })
    const spoilt = await begin(DUMP, { vmid: '103', storage: 'local' })
    expect(await pve.ended(spoilt)).toBe('job errors')
    expect(await pve.logOf(spoilt)).toContain('ERROR: Backup of VM 103 failed - no space left')
    expect(vm().config.lock).toBeUndefined()
    expect(await list()).toEqual([])
  })

  it('leaves the VM locked if its worker dies', async () => {
    pve.sim.faults.add({ kind: 'worker-dies', path: /vzdump/, count: 1 })
    expect(await dump()).toBe('unexpected status')
    expect(vm().config.lock).toBe('backup')
    expect(await list()).toEqual([])
  })

  it('deletes older ones by the retention of the storage, unless told not to', async () => {
    const local = pve.sim.state.storages.get('local')
    if (local) local.keepLast = 1
    await dump()
    await dump()
    expect(await list()).toHaveLength(2)
    await dump({ remove: '1' })
    expect(await list()).toHaveLength(1)
  })

  it('shows and deletes nothing for an account without VM.Backup', async () => {
    await dump()
    const volid = await volidOf()
    pve.sim.state.addUser({ userid: 'vps@pve' })
    pve.sim.state.addToken({ userid: 'vps@pve', tokenid: 'few', secret: 's', privsep: false })
    pve.sim.state.addRole('Few', ['Datastore.AllocateSpace', 'Datastore.Audit', 'VM.Audit'])
    pve.sim.state.setAcl({ path: '/', type: 'user', ugid: 'vps@pve', roleid: 'Few' })
    const few = pve.as(tokenHeader('vps@pve!few', 's'))
    expect(await list('local', few)).toEqual([])
    expect((await few('DELETE', `${CONTENT}/${encodeURIComponent(volid)}`)).status).toBe(403)
    expect(
      (await few('PUT', `${CONTENT}/${encodeURIComponent(volid)}`, { notes: 'x' })).status,
    ).toBe(403)
    expect(
      (await few('POST', '/nodes/pve1/qemu', { vmid: '103', archive: volid, force: '1' })).status,
    ).toBe(403)
    const { data } = await few('POST', DUMP, { vmid: '103', storage: 'local' })
    expect(await pve.ended(data)).toBe('job errors')
    expect((await few('POST', DUMP, { vmid: '103', storage: 'local', bwlimit: '1' })).status).toBe(
      403,
    )
    pve.sim.state.addRole('Few', ['Datastore.AllocateSpace', 'VM.Backup'])
    expect(await list('local', few)).toHaveLength(1)
  })

  it('does not remove a protected archive', async () => {
    await dump()
    const volid = await volidOf()
    const path = `${CONTENT}/${encodeURIComponent(volid)}`
    await pve.call('PUT', path, { protected: '1', notes: 'kept' })
    expect((await list())[0]).toMatchObject({ protected: 1, notes: 'kept' })
    expect(await pve.run('DELETE', path)).toContain('cannot remove protected volume')
    await pve.call('PUT', path, { protected: '0' })
    expect(await pve.run('DELETE', path)).toBe('OK')
    expect(await list()).toEqual([])
  })

  it('keeps the archives of a VM that is destroyed', async () => {
    await dump()
    expect(await pve.run('DELETE', VM)).toBe('OK')
    expect(await list()).toHaveLength(1)
  })

  it('brings back configuration, system and firewall, and overrides only what is sent', async () => {
    await pve.call('PUT', `${VM}/firewall/options`, { enable: '1', dhcp: '0' })
    vm().guest.os = 'before'
    const { cores, scsi0 } = vm().config
    await dump()
    await pve.run('POST', `${VM}/config`, { cores: '7', memory: '4096', description: 'new' })
    await pve.run('POST', `${VM}/snapshot`, { snapname: 'first' })
    await pve.call('PUT', `${VM}/firewall/options`, { enable: '0' })
    vm().guest.os = 'after'
    expect(await back(await volidOf(), { memory: '2048' })).toBe('OK')
    expect(vm().config).toMatchObject({ cores, memory: '2048', scsi0 })
    expect(vm().config.description).not.toBe('new')
    expect([vm().guest.os, vm().snapshots, vm().config.lock]).toEqual(['before', [], undefined])
    expect((await pve.call('GET', `${VM}/firewall/options`)).data).toMatchObject({ enable: 1 })
    expect(pve.sim.state.orphans()).toEqual([])
  })

  it('is refused for a VM that runs, in the task, and changes nothing', async () => {
    await dump()
    await pve.run('POST', `${VM}/status/start`)
    const before = structuredClone(vm().config)
    expect(await back(await volidOf())).toBe('unable to restore VM 103 - vm is running')
    expect(vm().config).toEqual(before)
  })

  it('is refused without force, from another node, with disks, and while locked', async () => {
    await dump({ storage: 'pbs' })
    const archive = await volidOf('pbs')
    const refusal = async (node: string, form: Record<string, string>) => {
      const path = `/nodes/${node}/qemu`
      const { status, reason, body } = await pve.call('POST', path, {
        vmid: '103',
        archive,
        ...form,
      })
      return `${status} ${reason} ${JSON.stringify(body.errors ?? {})}`
    }
    expect(await refusal('pve1', {})).toContain("VM 103 already exists on node 'pve1'")
    expect(await refusal('pve1', { force: '1', scsi0: 'local-lvm:1' })).toContain(
      "option conflicts with option 'archive'",
    )
    vm().config.lock = 'backup'
    expect(await refusal('pve1', { force: '1' })).toContain('VM is locked (backup)')
  })

  it('leaves no data if it fails in the middle', async () => {
    await dump()
    const archive = await volidOf()
    pve.sim.faults.add({ kind: 'task-error', path: /qemu$/, message: 'broken pipe', count: 1 })
    expect(await back(archive)).toBe('broken pipe')
    expect(vm().config).toEqual({ memory: '128' })
    expect(pve.sim.state.volumes.has('local-lvm:vm-103-disk-0')).toBe(false)
    expect(await back(archive)).toBe('OK')
    expect(vm().config.scsi0).toContain('local-lvm:vm-103-disk-0')
    pve.sim.faults.add({ kind: 'worker-dies', path: /qemu$/, count: 1 })
    expect(await back(archive)).toBe('unexpected status')
    expect(vm().config).toEqual({ memory: '128', lock: 'create' })
  })

  it('shows the configuration in an archive', async () => {
    await dump()
    const path = `/nodes/pve1/vzdump/extractconfig?volume=${encodeURIComponent(await volidOf())}`
    expect((await pve.call('GET', path)).data).toContain(`cores: ${vm().config.cores}`)
  })
})
