import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, harness, tokenHeader } from '../testing/harness.ts'

const CONFIG = '/nodes/pve1/qemu/103/config'
const OLD = 'local-lvm:vm-103-disk-0'
const NEW = 'local-lvm:vm-103-disk-1'
const SOURCE = 'ceph-vm:base-9004-disk-0'
const WISH = { scsi0: `local-lvm:0,import-from=${SOURCE},ssd=1,discard=on,mbps=100` }

describe.each(['7.4', '8.4', '9.1'] as const)('a disk imported by PVE %s', (version) => {
  let pve: Harness
  beforeEach(async () => {
    pve = await harness({ version })
  })
  afterEach(() => pve.close())

  const config = async () => (await pve.call('GET', CONFIG)).data
  const change = (form: Record<string, string>) => pve.run('POST', CONFIG, form)
  const refusal = async (form: Record<string, string>) => {
    const { status, reason, body } = await pve.call('POST', CONFIG, form)
    return [status, body.errors ?? reason]
  }
  const vm = () => {
    const found = pve.sim.state.vms.get(103)
    if (!found) throw new Error('the demo has no VM 103')
    return found
  }

  it('is a full copy in place of the old one, which becomes unused', async () => {
    const { data: upid } = await pve.call('POST', CONFIG, WISH)
    expect(upid).toContain(':qmconfig:103:')
    expect(await pve.ended(upid)).toBe('OK')
    expect(await config()).toMatchObject({
      scsi0: `${NEW},discard=on,mbps=100,size=8G,ssd=1`,
      unused0: OLD,
      boot: 'order=scsi0;ide2',
    })
    const log = await pve.call('GET', `/nodes/pve1/tasks/${encodeURIComponent(upid)}/log?limit=50`)
    const lines = log.data.map(({ t }) => t)
    expect(lines).toContain(`create full clone of drive scsi0 (${SOURCE})`)
    expect(lines.join('\n')).toMatch(/transferred 8\.0 GiB of 8\.0 GiB \(100\.00%\)/)
    expect(pve.sim.state.volumes.get(NEW)).toMatchObject({ vmid: 103, size: 8 * 1024 ** 3 })
    expect(pve.sim.state.orphans()).toEqual([])
  })

  it('brings its own system; the old disk still has the old one', async () => {
    vm().guest.os = 'The old one'
    vm().guest.passwords = { root: 'old' }
    await change(WISH)
    expect(vm().guest).toMatchObject({ os: 'Debian GNU/Linux 12', passwords: {} })
    await change({ scsi0: `${OLD},discard=on` })
    expect(vm().guest).toMatchObject({ os: 'The old one', passwords: { root: 'old' } })
  })

  it('that waited comes with the next change after its VM went off; the old disk keeps its system', async () => {
    vm().guest.os = 'The old one'
    vm().qmp = 'running'
    await change(WISH)
    // By itself: nothing is applied yet.
    vm().qmp = 'stopped'
    expect(vm().config.scsi0).toContain(OLD)
    await change({ tags: 'later' })
    expect(vm().config.scsi0).toContain(NEW)
    expect(vm().guest.os).toBe('Debian GNU/Linux 12')
    await change({ scsi0: OLD })
    expect(vm().guest.os).toBe('The old one')
  })

  it('is exchanged for an unused one, and removed when it is unused itself', async () => {
    await change(WISH)
    await change({ scsi0: `${OLD},discard=on,iothread=1` })
    expect(await config()).toMatchObject({
      scsi0: `${OLD},discard=on,iothread=1,size=20G`,
      unused0: NEW,
    })
    expect(await change({ delete: 'unused0' })).toBe('OK')
    expect((await config()).unused0).toBeUndefined()
    expect(pve.sim.state.volumes.has(NEW)).toBe(false)
    expect(await change({ scsi1: `${NEW},discard=on` })).toBe(`volume '${NEW}' does not exist`)
  })

  it('may be detached, or removed by force; the boot order forgets it', async () => {
    await change({ scsi1: 'local-lvm:4', boot: 'order=scsi0;scsi1;ide2' })
    await change({ delete: 'scsi1' })
    expect(await config()).toMatchObject({ unused0: NEW, boot: 'order=scsi0;ide2' })
    await change({ scsi1: NEW })
    expect((await config()).unused0).toBeUndefined()
    await change({ delete: 'scsi1', force: '1' })
    expect(pve.sim.state.volumes.has(NEW)).toBe(false)
    await change({ delete: 'ide2' })
    expect(pve.sim.state.orphans()).toEqual([])
    await change({ delete: 'scsi0' })
    expect(await config()).toMatchObject({ boot: ' ', unused0: OLD })
  })

  it('is refused by what is wrong with the request', async () => {
    const syntax = "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>"
    for (const file of ['local-lvm:8', OLD]) {
      const form = { scsi0: `${file},import-from=${SOURCE}` }
      expect(await refusal(form)).toEqual([400, { scsi0: syntax }])
    }
    expect(await refusal({ scsi0: `local:0,import-from=${SOURCE}` })).toEqual([
      400,
      { storage: "storage 'local' does not support vm images" },
    ])
    const iso = 'local:iso/debian-12.11.0-amd64-netinst.iso'
    const words = version === '7.4' ? 'not an image' : "needs to be 'images' or 'import'"
    expect(await refusal({ scsi0: `local-lvm:0,import-from=${iso}` })).toEqual([
      400,
      { scsi0: `${iso} has wrong type 'iso' - ${words}` },
    ])
    expect(await refusal({ scsi0: 'local-lvm:0,import-from=/etc/shadow' })).toEqual([
      500,
      expect.stringContaining('Only root can pass arbitrary filesystem paths. at /usr/share'),
    ])
    vm().config.lock = 'backup'
    expect(await refusal(WISH)).toEqual([500, 'VM is locked (backup)'])
  })

  it('fails in its task if the owner of the source is on another node, or the source is gone', async () => {
    pve.sim.state.moveVm(9004, 'pve2')
    expect(await change(WISH)).toBe(
      `cannot import from '${SOURCE}' - owner VM 9004 not on local node`,
    )
    const gone = 'ceph-vm:base-9004-disk-7'
    expect(await change({ scsi0: `local-lvm:0,import-from=${gone}` })).toBe(
      `cannot import from '${gone}' - could not get size of ${gone}`,
    )
    const cloudinit = 'ceph-vm:vm-9004-cloudinit'
    pve.sim.state.moveVm(9004, 'pve1')
    expect(await change({ scsi0: `local-lvm:0,import-from=${cloudinit}` })).toBe(
      `cannot import from '${cloudinit}' - cannot import from cloudinit disk`,
    )
    expect((await config()).scsi0).toContain(OLD)
    expect(pve.sim.state.orphans()).toEqual([])
  })

  it('needs VM.Clone on its owner and space on the storage; removing one needs space, too', async () => {
    const vps = pve.as(tokenHeader('vps@pve!app'))
    const { data: upid } = await vps('POST', CONFIG, WISH)
    expect(await pve.ended(upid)).toBe('OK')
    const grants = [...pve.sim.state.acls]
    pve.sim.state.acls = grants.filter(({ roleid }) => roleid !== 'VpsStore')
    const removal = await vps('POST', CONFIG, { delete: 'unused0' })
    expect(await pve.ended(removal.data)).toBe(
      '403 Permission check failed (/storage/local-lvm, Datastore.AllocateSpace)',
    )
    expect((await vps('POST', CONFIG, WISH)).reason).toBe(
      'Permission check failed (/storage/local-lvm, Datastore.AllocateSpace)',
    )
    pve.sim.state.acls = grants.filter(({ roleid }) => roleid !== 'VpsTemplates')
    const forbidden = await vps('POST', CONFIG, WISH)
    expect([forbidden.status, forbidden.reason]).toEqual([
      403,
      'Permission check failed (/vms/9004, VM.Clone)',
    ])
    pve.sim.state.acls = grants
    const foreign = await vps('POST', CONFIG, { scsi1: 'ceph-vm:base-9004-disk-0' })
    expect(foreign.reason).toBe('Permission check failed (/vms/9004, VM.Config.Disk)')
  })

  it('of a running VM waits until it is stopped', async () => {
    vm().qmp = 'running'
    expect(await change(WISH)).toBe(
      "400 Parameter verification failed. scsi0: hotplug problem - can't unplug bootdisk 'scsi0' ",
    )
    expect((await config()).scsi0).toContain(NEW)
    expect((await pve.call('GET', `${CONFIG}?current=1`)).data.scsi0).toContain(OLD)
    await change({ revert: 'scsi0' })
    expect(await config()).toMatchObject({ scsi0: expect.stringContaining(OLD), unused0: NEW })
    await change({ scsi0: NEW })
    expect(await pve.run('POST', '/nodes/pve1/qemu/103/status/stop')).toBe('OK')
    const after = { scsi0: expect.stringContaining(NEW), unused0: OLD }
    expect((await pve.call('GET', `${CONFIG}?current=1`)).data).toMatchObject(after)
  })

  it('is not made for a worker that finds another configuration once it has the lock', async () => {
    const { digest = '' } = await config()
    const first = await pve.call('POST', CONFIG, { ...WISH, digest })
    const second = await pve.call('POST', CONFIG, { ...WISH, digest })
    expect(await pve.ended(first.data)).toBe('OK')
    expect(await pve.ended(second.data)).toBe('checksum mismatch (file change by other user?)')
    expect(pve.sim.state.orphans()).toEqual([])
  })

  it('is not removed from a protected VM, nor while a snapshot needs it', async () => {
    const taken = { name: 'before', snaptime: 1_700_000_000, description: '' }
    vm().snapshots = [{ ...taken, config: structuredClone(vm().config) }]
    const { data } = await pve.call('GET', '/nodes/pve1/qemu/103/snapshot')
    expect(data.map(({ name }) => name)).toEqual(['before', 'current'])
    await change(WISH)
    expect(await change({ delete: 'unused0' })).toBe(
      `unable to delete '${OLD}' - volume is still in use (snapshot?)`,
    )
    delete vm().snapshots
    await change({ protection: '1' })
    expect(await change({ delete: 'unused0' })).toBe(
      `can't remove unused disk '${OLD}' - protection mode enabled`,
    )
    expect(pve.sim.state.volumes.has(OLD)).toBe(true)
  })

  it('is cleaned up by a worker that is stopped, and left behind by one that is killed', async () => {
    const slow = await harness({ version, taskMs: 1000 })
    const { state } = slow.sim
    const stopInTheMiddle = async (ignoresSignals: boolean) => {
      const { data: upid } = await slow.call('POST', CONFIG, WISH)
      await slow.until(() => state.volumes.has(NEW))
      const task = state.tasks.get(upid)
      if (task) task.ignoresSignals = ignoresSignals
      await slow.call('DELETE', `/nodes/pve1/tasks/${encodeURIComponent(upid)}`)
      return slow.ended(upid)
    }
    expect(await stopInTheMiddle(false)).toMatch(/received interrupt/)
    expect(state.orphans()).toEqual([])
    expect(await stopInTheMiddle(true)).toBe('unexpected status')
    expect(state.orphans()).toEqual([NEW])
    expect(state.vms.get(103)?.config.scsi0).toContain(OLD)
    await slow.close()
  })

  it('is made once, although the simulator restarts in the middle', async () => {
    const stateFile = join(mkdtempSync(join(tmpdir(), 'hushbox-import-')), 'state.json')
    const first = await harness({ version, taskMs: 1000, stateFile })
    const { data: upid } = await first.call('POST', CONFIG, WISH)
    await first.until(() => first.sim.state.volumes.has(NEW))
    await first.close()
    const second = await harness({ version, stateFile })
    expect(await second.ended(upid)).toBe('OK')
    expect(second.sim.state.vms.get(103)?.config.scsi0).toContain(NEW)
    expect(second.sim.state.orphans()).toEqual([])
    await second.close()
    rmSync(dirname(stateFile), { recursive: true })
  })
})
