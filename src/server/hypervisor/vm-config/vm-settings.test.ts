import { describe, expect, it } from 'vitest'
import { VmConfig } from '#proxmox/calls/vm-answers.ts'
import { dnsName, guestSetupChange } from '../guest/guest-setup.ts'
import { parseSize } from './disk-size.ts'
import { readSettings, settingsToKeys } from './vm-settings.ts'

const config = VmConfig.parse({
  digest: 'd'.repeat(40),
  memory: '4096',
  cores: 2,
  cpu: 'host,flags=+aes',
  agent: '1,fstrim_cloned_disks=1',
  machine: 'pc-q35-9.0+pve1,viommu=intel',
  boot: 'order=scsi0;ide2;net0',
  scsi0: 'local-lvm:vm-100-disk-0,size=32G',
  scsi1: 'local-lvm:vm-100-disk-1,size=8G',
  ide2: 'local-lvm:vm-100-cloudinit,media=cdrom',
  net0: 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1',
  smbios1: 'uuid=A3A7F4CC-15CE-438E-84D8-4E6F01730C38',
  description: 'Template of debian-12',
})

describe('settings', () => {
  it('are read from property strings', () => {
    const pending = [
      { key: 'cores', value: '2', pending: '4', delete: undefined },
      { key: 'boot', value: 'order=scsi0', pending: undefined, delete: 1 },
      { key: 'name', value: 'a', pending: undefined, delete: undefined },
    ]
    expect(readSettings(config, pending)).toMatchObject({
      memory: 4096,
      cores: 2,
      sockets: 1,
      bios: 'seabios',
      machine: 'q35',
      bootdisk: 'scsi0',
      agent: true,
      balloon: 4096,
      cpu: 'host',
      ostype: 'other',
      pending: ['cores', 'bootdisk'],
      uuid: 'a3a7f4cc-15ce-438e-84d8-4e6f01730c38',
    })
  })

  it.each([
    [undefined, 'i440fx'],
    ['pc', 'i440fx'],
    ['pc-i440fx-8.1', 'i440fx'],
    ['q35', 'q35'],
    ['virt', 'virt'],
  ])('read machine %s as %s', (machine, shown) => {
    expect(readSettings(VmConfig.parse(machine ? { machine } : {}), []).machine).toBe(shown)
  })

  it('that did not change are not sent', () => {
    expect(settingsToKeys(config, readSettings(config, []))).toEqual({})
  })

  it('change only their own sub-key', () => {
    const change = { agent: false, cpu: 'kvm64', machine: 'i440fx', memory: 8192, onboot: true }
    expect(settingsToKeys(config, { ...change, bootdisk: 'scsi1' })).toEqual({
      agent: '0,fstrim_cloned_disks=1',
      cpu: 'kvm64,flags=+aes',
      machine: 'pc,viommu=intel',
      memory: '8192',
      onboot: '1',
      boot: 'order=scsi1;scsi0;ide2;net0',
    })
  })

  it.each([
    [{ bios: 'ovmf' }, 'EFI disk'],
    [{ bootdisk: 'virtio7' }, 'virtio7'],
    [{ balloon: 8192 }, 'larger'],
  ])('that would break the VM are refused: %j', (change, message) => {
    expect(() => settingsToKeys(config, change)).toThrow(message)
  })
})

describe('the setup of a guest', () => {
  const setup = {
    name: 'Müller & Söhne: Shop!',
    marker: 'hushbox:7',
    cores: 2,
    memoryMb: 8192,
    tags: ['Hushbox', 'kunde 7'],
    startsWithNode: true,
    network: {
      mac: '02:00:00:00:00:07',
      bridge: 'vmbr1',
      vlan: 10,
      addresses: [{ address: '203.0.113.7/24', gateway: '203.0.113.1' }],
      nameservers: ['192.0.2.53', '192.0.2.54'],
      searchDomain: 'example.net',
    },
    user: { name: 'root', password: 'secret', sshKeys: ['ssh-ed25519 AAAA a'] },
  }

  it('sends what differs', () => {
    expect(guestSetupChange(config, setup)).toEqual({
      digest: config.digest,
      unset: [],
      set: {
        name: 'muller-sohne-shop',
        description: 'Template of debian-12\nhushbox:7',
        memory: 8192,
        onboot: true,
        tags: 'hushbox;kunde-7',
        net0: 'virtio=02:00:00:00:00:07,bridge=vmbr1,firewall=1,tag=10',
        ipconfig0: 'ip=203.0.113.7/24,gw=203.0.113.1',
        nameserver: '192.0.2.53 192.0.2.54',
        searchdomain: 'example.net',
        ciuser: 'root',
        ciupgrade: false,
        cipassword: 'secret',
        sshkeys: 'ssh-ed25519%20AAAA%20a',
      },
    })
  })

  it('sends only the masked password the second time', () => {
    const { set = {} } = guestSetupChange(config, setup)
    const flags = Object.entries(set).map(([key, value]) => [
      key,
      value === true ? 1 : value === false ? 0 : value,
    ])
    const after = VmConfig.parse({
      ...config.values,
      ...Object.fromEntries(flags),
      cipassword: '**********',
    })
    expect(Object.keys(guestSetupChange(after, setup).set ?? {})).toEqual(['cipassword'])
  })

  it.each([
    [{ name: 'root', password: 'secret' }, ['sshkeys']],
    [{ name: 'root', sshKeys: ['ssh-ed25519 AAAA a'] }, ['cipassword']],
    [{ name: 'root', sshKeys: [] }, ['cipassword', 'sshkeys']],
    [{ name: 'root', password: 'secret', sshKeys: ['ssh-ed25519 AAAA a'] }, []],
    [undefined, []],
  ])('leaves the user %j no credentials of another', (user, unset) => {
    const before = VmConfig.parse({
      ...config.values,
      cipassword: '**********',
      sshkeys: 'ssh-ed25519%20BBBB%20old',
    })
    expect(guestSetupChange(before, { ...setup, user }).unset).toEqual(unset)
  })
})

it.each([
  ['', 'vps'],
  ['---', 'vps'],
  ['Ärger im Büro', 'arger-im-buro'],
  ['日本', 'vps'],
  ['a'.repeat(80), 'a'.repeat(60)],
])('dnsName turns %j into a DNS name', (text, name) => {
  expect(dnsName(text)).toBe(name)
})

it.each([
  ['local-lvm:vm-100-disk-0,size=32G', 32 * 1024 ** 3],
  ['local-lvm:vm-100-disk-0,size=528K', 528 * 1024],
  ['none,media=cdrom', undefined],
  ['', undefined],
])('parseSize reads the size of %s', (drive, size) => {
  expect(parseSize(drive)).toBe(size)
})
