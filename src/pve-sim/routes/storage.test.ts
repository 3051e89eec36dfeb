import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, harness, tokenHeader } from '../testing/harness.ts'

const IMAGE = Buffer.from('a system on a CD')
const SUM = createHash('sha256').update(IMAGE).digest('hex')
const STORE = '/nodes/pve1/storage/local'
const CONFIG = '/nodes/pve1/qemu/103/config'
const CD = 'local:iso/own.iso'

describe.each(['7.4', '8.4', '9.1'] as const)('CDs of PVE %s', (version) => {
  let pve: Harness
  beforeEach(async () => {
    pve = await harness({
      version,
      internet: async ({ algorithm }) => ({
        size: IMAGE.length,
        checksum: createHash(algorithm).update(IMAGE).digest('hex'),
      }),
    })
  })
  afterEach(() => pve.close())

  const wish = (checksum = SUM, filename = 'own.iso') => ({
    content: 'iso',
    filename,
    url: 'https://example.org/own.iso',
    checksum,
    'checksum-algorithm': 'sha256',
  })
  const download = async (form: Record<string, string>) => {
    const { data: upid } = await pve.call('POST', `${STORE}/download-url`, form)
    return await pve.ended(upid)
  }
  const isos = async () =>
    (await pve.call('GET', `${STORE}/content?content=iso`)).data.map(({ volid }) => String(volid))
  const vm = () => {
    const found = pve.sim.state.vms.get(103)
    if (!found) throw new Error('the demo has no VM 103')
    return found
  }

  it('are downloaded once, and only with the right checksum', async () => {
    expect(await download(wish('0'.repeat(64)))).toMatch(/^checksum mismatch: .* aborting$/)
    expect(await isos()).not.toContain(CD)
    expect(await download(wish())).toBe('OK')
    expect(await isos()).toContain(CD)
    expect(await download(wish())).toBe('OK')
    expect(await download(wish('0'.repeat(64)))).toMatch(/^checksum mismatch/)
    const { checksum: _, 'checksum-algorithm': __, ...bare } = wish()
    expect(await download(bare)).toMatch(/^refusing to override existing file/)
  })

  it('are downloaded by those who may use the network of the node', async () => {
    const { state } = pve.sim
    state.addToken({ userid: 'vps@pve', tokenid: 'iso', secret: 's', privsep: false })
    const token = pve.as(tokenHeader('vps@pve!iso', 's'))
    const ask = async () => (await token('POST', `${STORE}/download-url`, wish())).status
    state.addRole('Iso', ['Datastore.AllocateTemplate', 'Datastore.Audit'])
    state.setAcl({ path: '/storage/local', type: 'user', ugid: 'vps@pve', roleid: 'Iso' })
    expect(await ask()).toBe(403)
    state.addRole('Surf', ['Sys.AccessNetwork'])
    state.setAcl({ path: '/nodes', type: 'user', ugid: 'vps@pve', roleid: 'Surf' })
    expect(await ask()).toBe(version === '7.4' ? 403 : 200)
    expect((await token('DELETE', `${STORE}/content/${encodeURIComponent(CD)}`)).status).toBe(403)
  })

  it('are swapped while the VM runs, but their drives and the order wait', async () => {
    await download(wish())
    vm().config.boot = 'order=scsi0'
    await pve.run('POST', CONFIG, { ide0: 'none,media=cdrom', boot: 'order=scsi0' })
    expect(vm().config).toMatchObject({ ide0: 'none,media=cdrom', boot: 'order=scsi0' })
    await pve.run('POST', '/nodes/pve1/qemu/103/status/start', {})
    await pve.run('POST', CONFIG, { ide0: `${CD},media=cdrom`, boot: 'order=ide0;scsi0' })
    expect(vm().config).toMatchObject({ boot: 'order=scsi0' })
    expect(vm().config.ide0).toContain(CD)
    expect(vm().pending).toEqual({ boot: 'order=ide0;scsi0' })
    await pve.run('POST', CONFIG, { ide1: `${CD},media=cdrom` })
    expect(vm().config.ide1).toBeUndefined()
    expect(vm().pending.ide1).toContain(CD)
    const { data: upid } = await pve.call('POST', CONFIG, { boot: 'order=sata5' })
    expect(await pve.ended(upid)).toBe("invalid bootorder: device 'sata5' does not exist'")
    const gone = await pve.call('POST', CONFIG, { ide0: 'local:iso/none.iso,media=cdrom' })
    expect(await pve.ended(gone.data)).toMatch(/does not exist$/)
  })

  it('and archives of a VM that is gone are seen by those who may back it up', async () => {
    const { state } = pve.sim
    const volid = 'local:backup/vzdump-qemu-777-2026_01_01-00_00_00.vma.zst'
    const archive = {
      storage: 'local',
      node: 'pve1',
      content: 'backup' as const,
      size: 1,
      ctime: 1,
    }
    state.volumes.set(volid, { ...archive, volid, vmid: 777, format: 'vma.zst' })
    const list = `${STORE}/content?content=backup`
    expect((await pve.call('GET', list)).data).toMatchObject([{ volid, vmid: 777 }])
    expect((await pve.call('GET', `${list}&vmid=778`)).data).toEqual([])
    state.addToken({ userid: 'vps@pve', tokenid: 'iso', secret: 's', privsep: false })
    state.setAcl({ path: '/storage/local', type: 'user', ugid: 'vps@pve', roleid: 'VpsStore' })
    const seen = await pve.as(tokenHeader('vps@pve!iso', 's'))('GET', list)
    expect(seen.data).toEqual([])
    expect(state.orphans()).toEqual([])
  })
})
