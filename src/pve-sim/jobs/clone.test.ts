import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness } from '../testing/harness.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

/** Runs slow tasks, to observe them while they run. */
async function withSlow(taskMs: number, act: (slow: Harness) => Promise<void>): Promise<void> {
  const slow = await harness({ taskMs })
  try {
    await act(slow)
  } finally {
    await slow.close()
  }
}

const CLONE = '/nodes/pve1/qemu/9004/clone'
const config = async (vmid: number, node = 'pve1') =>
  (await pve.call('GET', `/nodes/${node}/qemu/${vmid}/config`)).data
const row = async (vmid: number) => {
  const { data } = await pve.call('GET', '/cluster/resources?type=vm')
  return data.find((vm) => Number(vm.vmid) === vmid)
}
const reason = async (form: Record<string, string>, source = CLONE) => {
  const reply = await pve.call('POST', source, form)
  return `${reply.status} ${reply.reason}`
}

describe('a full clone', () => {
  it('exists from the start, locked and without a name', () =>
    withSlow(60_000, async (slow) => {
      const { data: upid } = await slow.call('POST', CLONE, {
        newid: '200',
        full: '1',
        pool: 'vps',
      })
      expect(upid).toMatch(
        /^UPID:pve1:[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:qmclone:9004:root@pam!hushbox:$/,
      )
      const { data: rows } = await slow.call('GET', '/cluster/resources?type=vm')
      // It joins the pool at the very end.
      const base = { id: 'qemu/200', type: 'qemu', vmid: 200, node: 'pve1' }
      expect(rows.at(-1)).toEqual({ ...base, status: 'unknown', lock: 'clone' })
      const { data } = await slow.call('GET', '/nodes/pve1/qemu/200/config')
      expect(data).toEqual({ lock: 'clone', digest: expect.any(String) })
      const locked = await slow.call('PUT', '/nodes/pve1/qemu/200/config', { cores: '2' })
      expect([locked.status, locked.reason]).toEqual([500, 'VM is locked (clone)'])
    }))

  it('is complete at the end', async () => {
    const form = { newid: '200', full: '1', name: 'fresh', pool: 'vps', storage: 'local-lvm' }
    expect(await pve.run('POST', CLONE, form)).toBe('OK')
    await row(200)
    expect(await row(200)).toMatchObject({
      name: 'fresh',
      status: 'stopped',
      template: 0,
      pool: 'vps',
    })
  })

  it('has the settings of its template and an identity of its own', async () => {
    const [template, clone] = [await config(9004), await config(200)]
    expect(clone.net0).toMatch(/^virtio=BC:24:11:..:..:..,bridge=vmbr0,firewall=1$/)
    expect(clone.net0).not.toBe(template.net0)
    expect(clone.smbios1).not.toBe(template.smbios1)
    expect(clone.vmgenid).not.toBe(template.vmgenid)
    expect(clone).toMatchObject({
      description: 'Template of debian-12',
      tags: 'template',
      agent: '1,fstrim_cloned_disks=1',
    })
    expect(clone.template).toBeUndefined()
    expect(clone.scsi0).toBe('local-lvm:vm-200-disk-0,discard=on,iothread=1,size=8G')
    expect(clone.ide2).toBe('local-lvm:vm-200-cloudinit,media=cdrom,size=4M')
  })

  it('logs its progress', async () => {
    const { data } = await pve.call('GET', '/nodes/pve1/tasks?typefilter=qmclone')
    const log = await pve.call('GET', `/nodes/pve1/tasks/${data[0]?.upid}/log?limit=3`)
    expect(log.body.total).toBeGreaterThan(10)
    expect(log.data).toEqual([
      { n: 1, t: 'create full clone of drive scsi0 (ceph-vm:base-9004-disk-0)' },
      { n: 2, t: 'transferred 0.0 B of 8.0 GiB (0.00%)' },
      { n: 3, t: 'transferred 819.2 MiB of 8.0 GiB (10.00%)' },
    ])
  })

  it('of a running VM mirrors its drive', async () => {
    const reply = await pve.call('POST', '/nodes/pve1/qemu/100/clone', {
      newid: '201',
      name: 'copy',
    })
    expect(await pve.ended(reply.data)).toBe('OK')
    const log = await pve.call('GET', `/nodes/pve1/tasks/${reply.data}/log`)
    expect(log.data.map((line) => line.t)).toContain('drive mirror is starting for drive-scsi0')
    expect((await config(201)).scsi0).toMatch(/^local-lvm:vm-201-disk-0,/)
  })
})

describe('a linked clone', () => {
  it('stays on the storage of its template and pins it', async () => {
    expect(await pve.run('POST', CLONE, { newid: '210' })).toBe('OK')
    expect((await config(210)).scsi0).toBe(
      'ceph-vm:base-9004-disk-0/vm-210-disk-0,discard=on,iothread=1,size=8G',
    )
    expect((await config(210)).name).toBe('Copy-of-VM-debian-12')
    expect(await pve.run('DELETE', '/nodes/pve1/qemu/9004')).toMatch(
      /^base volume '.*' is still in use by linked cloned$/,
    )
  })

  it('takes no storage or format, and requires a template', async () => {
    expect(await reason({ newid: '220', storage: 'ceph-vm' })).toBe(
      "500 parameter 'storage' not allowed for linked clones",
    )
    expect(await reason({ newid: '220', format: 'raw' })).toBe(
      "500 parameter 'format' not allowed for linked clones",
    )
    expect(await reason({ newid: '220', full: '0' }, '/nodes/pve1/qemu/103/clone')).toMatch(
      /^500 Linked clone feature is not supported for '.*' \(scsi0\)$/,
    )
  })
})

describe('a clone is refused', () => {
  it('when the id is taken, with a message that depends on where it is taken', async () => {
    expect(await reason({ newid: '100' })).toBe(
      '500 unable to create VM 100: config file already exists',
    )
    expect(await reason({ newid: '107' })).toBe(
      "500 unable to create VM 107 - VM 107 already exists on node 'pve2'",
    )
  })

  it('for unsuitable storages, pools and nodes', async () => {
    const full = { newid: '220', full: '1' }
    expect(await reason({ ...full, storage: 'nowhere' })).toBe(
      "500 storage 'nowhere' does not exist",
    )
    expect(await reason({ ...full, storage: 'local' })).toBe(
      "500 storage 'local' does not support content-type 'images'",
    )
    expect(await reason({ ...full, pool: 'nowhere' })).toBe(
      "403 Permission check failed (pool 'nowhere' does not exist)",
    )
    expect(await reason({ newid: '220', target: 'pve2' }, '/nodes/pve1/qemu/103/clone')).toBe(
      "500 can't clone VM to node 'pve2' (VM uses local storage)",
    )
  })

  it('while its source is locked', async () => {
    const reply = await pve.call('POST', '/nodes/pve2/qemu/106/clone', { newid: '220' })
    expect(reply.reason).toBe('VM is locked (backup)')
  })
})

it('a clone goes to another node when all its storage is shared', async () => {
  expect(await pve.run('POST', CLONE, { newid: '230', full: '1', target: 'pve2' })).toBe('OK')
  expect((await config(230, 'pve2')).scsi0).toMatch(/^ceph-vm:/)
  expect((await pve.call('GET', '/nodes/pve1/qemu/230/config')).reason).toMatch(/does not exist/)
})

it('the third concurrent clone on one storage fails and leaves nothing behind', () =>
  withSlow(250, async (slow) => {
    const start = async (newid: string) =>
      (await slow.call('POST', CLONE, { newid, full: '1' })).data
    const upids = await Promise.all(['240', '241', '242'].map(start))
    const ends = await Promise.all(upids.map((upid) => slow.ended(upid)))
    expect(ends.filter((end) => end === 'OK').length).toBe(2)
    expect(ends).toContain(
      "clone failed: cfs-lock 'storage-ceph-vm' error: got lock request timeout",
    )
    const failed = 240 + ends.findIndex((end) => end !== 'OK')
    expect(slow.sim.state.vms.has(failed)).toBe(false)
    const left = [...slow.sim.state.volumes.values()].filter((volume) => volume.vmid === failed)
    expect(left).toEqual([])
  }))

it('a clone can be stopped half-way, which removes it again', () =>
  withSlow(60_000, async (slow) => {
    const { data: upid } = await slow.call('POST', CLONE, { newid: '250', full: '1' })
    const stopped = await slow.call('DELETE', `/nodes/pve1/tasks/${encodeURIComponent(upid)}`)
    expect(stopped.data).toBeNull()
    expect(await slow.ended(upid)).toBe('clone failed: interrupted by signal')
    expect(slow.sim.state.vms.has(250)).toBe(false)
  }))

it('nextid returns the lowest free id and reserves nothing', async () => {
  expect((await pve.call('GET', '/cluster/nextid')).data).toBe('112')
  expect((await pve.call('GET', '/cluster/nextid')).data).toBe('112')
  const taken = await pve.call('GET', '/cluster/nextid?vmid=100')
  expect(taken.body.errors).toEqual({ vmid: 'VM 100 already exists' })
})
