import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness } from '../testing/harness.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

const config = async (vmid: number, query = '') =>
  (await pve.call('GET', `/nodes/pve1/qemu/${vmid}/config${query}`)).data
const put = (vmid: number, form: Record<string, string>) =>
  pve.call('PUT', `/nodes/pve1/qemu/${vmid}/config`, form)
const resize = (vmid: number, form: Record<string, string>) =>
  pve.run('PUT', `/nodes/pve1/qemu/${vmid}/resize`, form)

describe('configuration', () => {
  it('keeps property strings as they were written', async () => {
    const wish = {
      cpu: 'host,flags=+aes',
      agent: '1,fstrim_cloned_disks=1',
      machine: 'pc-q35-9.0+pve1,viommu=intel',
    }
    expect((await put(103, wish)).data).toBeNull()
    expect(await config(103)).toMatchObject(wish)
  })

  it('detects a concurrent change', async () => {
    const digest = (await config(103)).digest ?? ''
    expect((await put(103, { cores: '3', digest })).status).toBe(200)
    const late = await put(103, { cores: '4', digest })
    expect([late.status, late.reason]).toEqual([
      500,
      'checksum mismatch (file change by other user?)',
    ])
    expect(await config(103)).toMatchObject({ cores: 3 })
  })

  it('of a running VM waits for a restart where it must', async () => {
    await put(100, { cores: '16', memory: '9000', description: 'now', delete: 'cpu' })
    expect(await config(100)).toMatchObject({ cores: 16, memory: '9000', description: 'now' })
    expect(await config(100, '?current=1')).toMatchObject({
      cores: 4,
      memory: '8192',
      cpu: 'host',
      description: 'now',
    })
    const { data } = await pve.call('GET', '/nodes/pve1/qemu/100/pending')
    const pending = data.filter((entry) => 'pending' in entry || 'delete' in entry)
    expect(pending).toEqual([
      { key: 'cores', value: 4, pending: 16 },
      { key: 'cpu', value: 'host', delete: 1 },
      { key: 'memory', value: '8192', pending: '9000' },
    ])
    await put(100, { revert: 'memory' })
    expect(await config(100)).toMatchObject({ memory: '8192' })
    expect(await pve.run('POST', '/nodes/pve1/qemu/100/status/reboot')).toBe('OK')
    await pve.until(() => pve.sim.state.vms.get(100)?.qmp === 'running')
    expect(await config(100, '?current=1')).toMatchObject({ cores: 16 })
  })

  it('hides passwords and keeps the rest of cloud-init readable', async () => {
    const keys = encodeURIComponent(
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} me@home\n`,
    )
    await put(103, {
      ciuser: 'me',
      cipassword: 'secret12',
      sshkeys: keys,
      ipconfig0: 'ip=203.0.113.9/24,gw=203.0.113.1',
    })
    expect(await config(103)).toMatchObject({
      ciuser: 'me',
      cipassword: '**********',
      sshkeys: keys,
    })
    expect((await put(103, { sshkeys: encodeURIComponent('hello') })).reason).toBe(
      'SSH public key validation error',
    )
  })

  it('gives a card without a MAC one', async () => {
    await put(103, {
      net1: 'virtio,bridge=vmbr1,tag=5',
      net2: 'virtio=BC:24:11:00:00:99,bridge=vmbr0',
    })
    expect(await config(103)).toMatchObject({
      net1: expect.stringMatching(/^virtio=BC:24:11:..:..:..,bridge=vmbr1,tag=5$/),
      net2: 'virtio=BC:24:11:00:00:99,bridge=vmbr0',
    })
  })

  it('creates disks, detaches them and drops bootdisk', async () => {
    await put(103, { scsi1: 'local-lvm:32,discard=on', bootdisk: 'scsi0' })
    expect(await config(103)).toMatchObject({
      scsi1: 'local-lvm:vm-103-disk-1,discard=on,size=32G',
    })
    await put(103, { delete: 'scsi1', boot: 'order=scsi0;ide2' })
    const after = await config(103)
    expect(after.unused0).toBe('local-lvm:vm-103-disk-1')
    expect([after.scsi1, after.bootdisk]).toEqual([undefined, undefined])
  })

  it('refuses invalid values', async () => {
    expect((await put(103, { memory: '1024', balloon: '2048' })).reason).toMatch(
      /^balloon value too large/,
    )
    expect((await put(101, { delete: 'scsi0' })).reason).toBe(
      "can't remove drive 'scsi0' - protection mode enabled",
    )
    expect((await put(105, { cores: '1' })).reason).toBe('VM is locked (suspended)')
  })

  it('by POST is a task, whose log names missing keys', async () => {
    const path = '/nodes/pve1/qemu/103/config'
    expect(await pve.run('POST', path, { onboot: '1' })).toBe('OK')
    const { data: upid } = await pve.call('POST', path, { delete: 'balloon,startup' })
    expect(await pve.ended(upid)).toBe('OK')
    const log = await pve.call('GET', `/nodes/pve1/tasks/${encodeURIComponent(upid)}/log`)
    expect(log.data.map((line) => line.t)).toContain(
      "cannot delete 'startup' - not set in current configuration!",
    )
    expect((await pve.call('POST', path, { onboot: '0', background_delay: '5' })).data).toBeNull()
    expect(await config(103)).toMatchObject({ onboot: 0 })
  })

  it('has numbers and strings as each release sends them', async () => {
    const old = await harness({ version: '7.4' })
    const path = '/nodes/pve1/qemu'
    await old.call('PUT', `${path}/103/config`, { cpulimit: '2', numa: '0' })
    const read = (await old.call('GET', `${path}/103/config`)).data
    expect(read).toMatchObject({ memory: 2048, cores: 2, cpulimit: '2', numa: 0 })
    const status = (await old.call('GET', `${path}/103/status/current`)).data
    expect(status).toMatchObject({ vmid: '103', pid: null, template: '' })
    expect((await old.call('GET', '/cluster/nextid')).data).toBe('112')
    expect(await config(103)).toMatchObject({ memory: expect.any(String) })
    await old.close()
  })
})

describe('resize', () => {
  it('accepts absolute sizes, increments and bytes', async () => {
    const size = async () => /size=(\w+)/.exec((await config(104)).scsi0 ?? '')?.[1]
    expect(await resize(104, { disk: 'scsi0', size: '30G' })).toBe('OK')
    expect(await resize(104, { disk: 'scsi0', size: '+512M' })).toBe('OK')
    expect(await size()).toBe('31232M')
    expect(await resize(104, { disk: 'scsi0', size: String(40 * 1024 ** 3) })).toBe('OK')
    expect(await resize(104, { disk: 'scsi0', size: '40G' })).toBe('OK')
    expect(await size()).toBe('40G')
  })

  it('fails in the task since PVE 8', async () => {
    expect(await resize(104, { disk: 'scsi0', size: '1G' })).toBe(
      'shrinking disks is not supported',
    )
    expect(await resize(104, { disk: 'scsi7', size: '1G' })).toBe("disk 'scsi7' does not exist")
    expect(await resize(104, { disk: 'ide2', size: '1G' })).toBe("you can't resize a cdrom")
  })

  it('was synchronous before', async () => {
    const old = await harness({ version: '7.4' })
    const path = '/nodes/pve1/qemu/104/resize'
    expect((await old.call('PUT', path, { disk: 'scsi0', size: '+1G' })).data).toBeNull()
    const wrong = await old.call('PUT', path, { disk: 'scsi0', size: '1G' })
    expect([wrong.status, wrong.reason]).toEqual([500, 'shrinking disks is not supported'])
    await old.close()
  })
})

describe('template and destroy', () => {
  it('turns a stopped VM into a template', async () => {
    const running = await pve.call('POST', '/nodes/pve1/qemu/104/template', {})
    expect(running.reason).toBe("you can't convert a VM to template if VM is running")
    expect(await pve.run('POST', '/nodes/pve1/qemu/103/template')).toBe('OK')
    expect(await config(103)).toMatchObject({
      template: 1,
      scsi0: expect.stringMatching(/^local-lvm:base-103-disk-0,/),
    })
    expect((await pve.call('POST', '/nodes/pve1/qemu/103/template', {})).status).toBe(500)
    expect(await pve.run('POST', '/nodes/pve1/qemu/103/status/start')).toBe(
      "you can't start a vm if it's a template",
    )
  })

  it('destroys only a VM that is stopped, unprotected and not managed', async () => {
    const refused = async (node: string, vmid: number) =>
      (await pve.call('DELETE', `/nodes/${node}/qemu/${vmid}`)).reason
    expect(await refused('pve1', 101)).toBe("can't remove VM 101 - protection mode enabled")
    expect(await refused('pve1', 104)).toBe('VM 104 is running - destroy failed')
    expect(await refused('pve2', 110)).toBe(
      'unable to remove VM 110 - used in HA resources and purge parameter not set.',
    )
    expect(await refused('pve1', 105)).toBe('VM is locked (suspended)')
    expect(
      await pve.run('DELETE', '/nodes/pve2/qemu/110?purge=1&destroy-unreferenced-disks=1'),
    ).toBe('OK')
    expect(await refused('pve2', 110)).toMatch(/does not exist$/)
    const content = await pve.call('GET', '/nodes/pve2/storage/ceph-vm/content?vmid=110')
    expect(content.data).toEqual([])
    expect(pve.sim.state.pools.get('vps')?.vms).not.toContain(110)
  })
})

describe('the cloud-init drive', () => {
  const ISO = 'local:iso/debian-12.iso'
  const CD = `${ISO},media=cdrom`
  const OWN = 'local-lvm:vm-104-cloudinit'
  const isThere = (volid: string) => pve.sim.state.volumes.has(volid)
  const power = (act: string) => pve.run('POST', `/nodes/pve1/qemu/104/status/${act}`)

  beforeAll(async () => {
    const image = { volid: ISO, storage: 'local', format: 'iso', size: 51_200, ctime: 0 }
    pve.sim.state.volumes.set(`pve1/${ISO}`, { ...image, content: 'iso', node: 'pve1' })
    await power('stop')
    await put(104, { boot: 'order=scsi0' })
  })

  it('is removed when another CD takes its place, and that CD can be booted from', async () => {
    expect((await put(104, { ide2: CD })).status).toBe(200)
    expect(await config(104)).toMatchObject({ ide2: `${CD},size=50K`, boot: 'order=scsi0;ide2' })
    expect(isThere(OWN)).toBe(false)
    expect((await put(104, { ide2: 'local-lvm:cloudinit' })).status).toBe(200)
    expect(await config(104)).toMatchObject({ ide2: `${OWN},media=cdrom` })
    expect(isThere(OWN)).toBe(true)
  })

  it('is there once', async () => {
    const second = await put(104, { ide3: 'local-lvm:cloudinit' })
    expect(second.reason).toBe("ide3 - cloud-init drive is already attached at 'ide2'")
  })

  it('stays behind in a running VM, in the way of the next one', async () => {
    await power('start')
    expect((await put(104, { ide2: CD })).status).toBe(200)
    expect(pve.sim.state.orphans()).toEqual([OWN])
    expect((await put(104, { ide2: 'local-lvm:cloudinit' })).reason).toMatch(/already exists$/)
    expect((await put(104, { ide2: `${OWN},media=cdrom` })).status).toBe(200)
    expect(pve.sim.state.orphans()).toEqual([])
    expect((await put(104, { ide2: 'none,media=cdrom' })).status).toBe(200)
    expect(isThere(OWN)).toBe(false)
  })

  it('gives way only to images that are there', async () => {
    const missing = await put(104, { ide2: 'local:iso/none.iso,media=cdrom' })
    expect(missing.reason).toBe("volume 'local:iso/none.iso' does not exist")
  })
})
