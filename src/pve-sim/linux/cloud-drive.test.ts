import { expect, test } from 'vitest'
import { cloudDrive, cloudFiles } from './cloud-drive.ts'

const CONFIG = {
  name: 'mx-1.hushbox.example',
  ciuser: 'debian',
  cipassword: '$5$salt$hash',
  sshkeys: encodeURIComponent('ssh-ed25519 AAAA one\nssh-rsa BBBB two\n'),
  net0: 'virtio=BC:24:11:0A:0B:0C,bridge=vmbr0',
  ipconfig0: 'ip=127.77.0.10/24,gw=127.77.0.1',
  nameserver: '9.9.9.9 1.1.1.1',
  searchdomain: 'hushbox.example',
}

const contentOf = (config: Record<string, string>, name: string) =>
  cloudFiles(config, 'mx-1').find((file) => file.name === name)?.content

test('user-data has what PVE writes', () => {
  expect(contentOf(CONFIG, 'user-data')).toBe(`#cloud-config
hostname: mx-1
manage_etc_hosts: true
fqdn: mx-1.hushbox.example
user: debian
password: $5$salt$hash
ssh_authorized_keys:
  - ssh-ed25519 AAAA one
  - ssh-rsa BBBB two
chpasswd:
  expire: False
users:
  - default
package_upgrade: true
`)
})

test('root may sign in only if it is the user', () => {
  const user = contentOf({ ciuser: 'root', ciupgrade: '0' }, 'user-data')
  expect(user).toContain('user: root\ndisable_root: False\n')
  expect(user).not.toMatch(/^(users|password|package_upgrade|ssh_authorized_keys):/m)
})

test('network-config finds its card by the MAC, in version 1', () => {
  expect(contentOf(CONFIG, 'network-config')).toBe(`version: 1
config:
    - type: physical
      name: eth0
      mac_address: 'bc:24:11:0a:0b:0c'
      subnets:
      - type: static
        address: '127.77.0.10'
        netmask: '255.255.255.0'
        gateway: '127.77.0.1'
    - type: nameserver
      address:
      - '9.9.9.9'
      - '1.1.1.1'
      search:
      - 'hushbox.example'
`)
})

test.each([
  ['ip=dhcp,ip6=auto', ['dhcp4', 'ipv6_slaac']],
  ['ip6=dhcp', ['dhcp6']],
  ['ip=10.0.0.5/30,ip6=2001:db8::5/64,gw6=2001:db8::1', ['static', 'static6']],
])('a card with %s gets the subnets %j', (ipconfig0, kinds) => {
  const network = contentOf({ net0: CONFIG.net0, ipconfig0 }, 'network-config') ?? ''
  expect([...network.matchAll(/- type: (\w+\d?\w*)/g)].map(([, kind]) => kind).slice(1)).toEqual(
    kinds,
  )
})

test('a card without settings gets no section', () => {
  expect(contentOf({ net0: CONFIG.net0 }, 'network-config')).toBe('version: 1\nconfig:\n')
})

test('the instance id changes with the settings, and only then', () => {
  const id = contentOf(CONFIG, 'meta-data')
  expect(id).toMatch(/^instance-id: [0-9a-f]{40}\n$/)
  expect(contentOf({ ...CONFIG, cores: '4' }, 'meta-data')).toBe(id)
  expect(contentOf({ ...CONFIG, cipassword: '$5$salt$other' }, 'meta-data')).not.toBe(id)
})

test('the drive has the label that cloud-init looks for', () => {
  expect(Buffer.from(cloudDrive(CONFIG, 'mx-1')).toString('latin1', 32808, 32814)).toBe('cidata')
})
