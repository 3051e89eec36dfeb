import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { SimOptions } from '#pve-sim/options.ts'
import { cloudinitText } from '#pve-sim/vm/cloudinit.ts'
import { readIso } from '#shared/iso/testing/read-iso.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import type { GuestSetup } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { ownVmCluster } from '../testing/own-vm-cluster.ts'
import { connectionTo, impatient } from '../testing/sim-cluster.ts'
import { sha512Crypt } from './sha512-crypt.ts'

const MARKER = 'hushbox:order-7'
const SEED = { node: 'pve1', volume: 'local:iso/hushbox-7-Xy_z-1.iso' }
/** As PVE prints it, with the size that it found. */
const INSERTED = `${SEED.volume},media=cdrom,size=50K`
const USER_DATA = '#cloud-config\n# every letter: ü\npackages: [git]\n'
const PASSWORD = 'correct horse'
const setup: GuestSetup = {
  name: 'mail',
  marker: MARKER,
  network: {
    mac: 'BC:24:11:AA:BB:CC',
    bridge: 'vmbr0',
    addresses: [{ address: '203.0.113.5/24', gateway: '203.0.113.1' }],
    nameservers: ['9.9.9.9'],
    searchDomain: 'example.net',
  },
  user: { name: 'alice', password: PASSWORD },
}
const content = { setup, userData: USER_DATA }

const our = ownVmCluster()
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

async function open(options: SimOptions = {}): Promise<void> {
  await our.open(options)
  our.vm.config.boot = 'order=scsi0'
  await our.hypervisor.power(our.address, 'stop')
  await our.hypervisor.prepare(our.address, setup)
}

const ours = () => [...our.sim.state.volumes.values()].filter(({ volid }) => /hushbox-/.test(volid))
const cloudInitDrives = () =>
  Object.values(our.vm.config).filter((value) => /vm-103-cloudinit/.test(value))
const filesIn = (data = '') => {
  const { label, files } = readIso(Buffer.from(data, 'base64'))
  return { label, files: new Map(files.map((file) => [file.name, text(file.content)])) }
}
/** As on Proxmox's own drive. */
const idOf = () => parse(cloudinitText(our.vm, 'meta'))['instance-id']

describe.each(['7.4', '8.4', '9.1'] as const)('user data on PVE %s', (version) => {
  it('reaches the guest beside its login, and leaves nothing behind', async () => {
    await open({ version })
    expect(await our.hypervisor.seedStore(our.address)).toEqual({ node: 'pve1', storage: 'local' })
    await our.hypervisor.insertSeed(our.address, SEED, content)
    expect(cloudInitDrives()).toEqual([])
    expect(our.vm.config.ide2).toBe(INSERTED)
    await our.hypervisor.power(our.address, 'start')

    const { label, files } = filesIn(our.vm.guest.seed)
    expect(label).toBe('cidata')
    expect(files.get('user-data')).toBe(USER_DATA)
    const own = parse(files.get('vendor-data') ?? '')
    expect(files.get('vendor-data')).toMatch(/^#cloud-config\n/)
    expect(own).toMatchObject({
      hostname: 'mail',
      fqdn: 'mail.example.net',
      user: 'alice',
      users: ['default'],
      chpasswd: { expire: false },
      package_upgrade: false,
    })
    expect(sha512Crypt(PASSWORD, own.password.split('$')[2])).toBe(own.password)
    expect(JSON.stringify([...files])).not.toContain(PASSWORD)
    expect(parse(files.get('network-config') ?? '')).toMatchObject({
      version: 1,
      config: [
        {
          mac_address: 'bc:24:11:aa:bb:cc',
          subnets: [{ address: '203.0.113.5', netmask: '255.255.255.0', gateway: '203.0.113.1' }],
        },
        { type: 'nameserver', address: ['9.9.9.9'], search: ['example.net'] },
      ],
    })
    // Once Proxmox's own drive is back, the guest is the same instance to cloud-init.
    const meta = { 'instance-id': idOf(), 'local-hostname': 'mail' }
    expect(parse(files.get('meta-data') ?? '')).toEqual(meta)

    await our.hypervisor.withdrawSeed(our.address, SEED)
    expect(ours()).toEqual([])
    expect(cloudInitDrives()).toHaveLength(1)
    expect(our.vm.config.ide2).toMatch(/cloudinit/)
    expect([our.vm.config.boot, our.vm.pending.boot]).toEqual(['order=scsi0;ide2', 'order=scsi0'])
    await our.hypervisor.power(our.address, 'stop')
    expect(our.vm.config.boot).toBe('order=scsi0')
    await our.hypervisor.power(our.address, 'start')
    expect(idOf()).toBe(meta['instance-id'])
    expect(our.vm.qmp).toBe('running')
  })

  it('is in place once, and gone at the end, whenever the process dies', async () => {
    await open({ version })
    for (let requests = 1; ; requests += 1) {
      const isCut = await our.dying(async () => {
        await our.hypervisor.insertSeed(our.address, SEED, content)
        await our.hypervisor.withdrawSeed(our.address, SEED)
      }, requests)
      await our.hypervisor.insertSeed(our.address, SEED, content)
      expect(our.vm.config.ide2).toBe(INSERTED)
      expect(ours()).toHaveLength(1)
      await our.hypervisor.withdrawSeed(our.address, SEED)
      await our.hypervisor.withdrawSeed(our.address, SEED)
      expect([ours(), cloudInitDrives().length]).toEqual([[], 1])
      expect(our.sim.state.orphans()).toEqual([])
      if (!isCut) break
    }
  })
})

describe('user data', () => {
  it('comes with keys and without any password for a server with keys', async () => {
    await open()
    const keys = [PUBLIC_KEYS.ed25519.publicKey, PUBLIC_KEYS.ecdsa256.publicKey]
    const root = { ...setup, user: { name: 'root', sshKeys: keys } }
    await our.hypervisor.prepare(our.address, root)
    await our.hypervisor.insertSeed(our.address, SEED, { setup: root, userData: USER_DATA })
    await our.hypervisor.power(our.address, 'start')
    const own = parse(filesIn(our.vm.guest.seed).files.get('vendor-data') ?? '')
    expect(own).toMatchObject({ ssh_authorized_keys: keys, disable_root: false })
    expect(own).not.toHaveProperty('password')
    expect(own).not.toHaveProperty('users')
  })

  it('gives way to the own drive when a VM gets another login', async () => {
    await open()
    await our.hypervisor.insertSeed(our.address, SEED, content)
    await our.hypervisor.prepare(our.address, {
      ...setup,
      user: { name: 'alice', password: 'another' },
    })
    expect([our.vm.config.ide2, cloudInitDrives().length]).toEqual([
      'local-lvm:vm-103-cloudinit,media=cdrom',
      1,
    ])
    await our.hypervisor.withdrawSeed(our.address, SEED)
    expect(ours()).toEqual([])
  })

  it('is deleted although its VM is gone, and another VM with its id is left alone', async () => {
    await open()
    await our.hypervisor.insertSeed(our.address, SEED, content)
    our.vm.config.description = 'somebody else'
    const before = { ...our.vm.config }
    await our.hypervisor.withdrawSeed(our.address, SEED)
    expect(our.vm.config).toEqual(before)
    await our.hypervisor.withdrawSeed(undefined, SEED)
    expect(ours()).toEqual([])
    // The simulator, like Proxmox, does not start a VM with a CD that is not there.
    await expect(our.hypervisor.power({ vmId: 103, node: 'pve1' }, 'start')).rejects.toMatchObject({
      message: expect.stringContaining('does not exist'),
    })
  })

  it('is refused without a cloud-init drive, and with another format of it', async () => {
    await open()
    our.vm.config.citype = 'configdrive2'
    const insert = () => our.hypervisor.insertSeed(our.address, SEED, content)
    await expect(insert()).rejects.toMatchObject({ code: 'INVALID_STATE' })
    delete our.vm.config.citype
    delete our.vm.config.ide2
    await expect(insert()).rejects.toThrow(/no cloud-init drive/)
    expect(ours()).toEqual([])
  })

  it('needs the right to upload and to delete, on a storage that its node has', async () => {
    await open()
    const secret = '00000000-0000-4000-8000-000000000000'
    const guide = () =>
      proxmoxHypervisor(connectionTo(our.sim, { username: 'vps@pve!app', secret }), impatient)
    const storesWith = async (privileges: string[]) => {
      our.sim.state.roles.set('VpsSeeds', privileges)
      const account = guide()
      const { seedStores } = await account.listInventory()
      const { optional } = await account.diagnose({ storages: [], bridges: [] })
      const place = await account.seedStore(our.address).catch((error: unknown) => error)
      await account.close()
      return { seedStores, place, lacks: optional.filter(({ path }) => path === '/storage/local') }
    }
    const propagate = true
    const rule = { path: '/storage/local', type: 'user' as const, ugid: 'vps@pve', propagate }
    our.sim.state.acls.push({ ...rule, roleid: 'VpsSeeds' })
    const all = ['Datastore.AllocateTemplate', 'Datastore.Allocate', 'Datastore.Audit']
    for (const privileges of [[], all.slice(0, 1), all.slice(1)]) {
      const { seedStores, place, lacks } = await storesWith(privileges)
      expect(seedStores).toEqual([])
      expect(place).toMatchObject({ code: 'INVALID_STATE' })
      expect(lacks).toMatchObject([{ commands: expect.arrayContaining([COMMAND]) }])
    }
    const { seedStores, place, lacks } = await storesWith(all)
    expect(seedStores).toEqual([
      { name: 'local', node: 'pve1' },
      { name: 'local', node: 'pve2' },
    ])
    expect(place).toEqual({ node: 'pve1', storage: 'local' })
    expect(lacks).toEqual([])
  })
})

const COMMAND = "pveum acl modify /storage/local --tokens 'vps@pve!app' --roles VpsSeeds"
