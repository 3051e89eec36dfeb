import { createHash } from 'node:crypto'
import { parseProperties } from '../formats/property-string.ts'
import type { Vm } from '../state/types.ts'
import { isNetKey } from './config-schema.ts'
import { isWindows } from './vm-config.ts'

/** The user-data of Proxmox's own drive. */
function userText({ config, vmid }: Vm): string {
  const name = config.name ?? `VM${vmid}`
  const fqdn = name.includes('.') || !config.searchdomain ? name : `${name}.${config.searchdomain}`
  const keys = decodeURIComponent(config.sshkeys ?? '').split('\n')
  const line = (key: string, value: string | undefined) =>
    value === undefined ? [] : [`${key}: ${value}`]
  return [
    '#cloud-config',
    `hostname: ${name.split('.')[0]}`,
    'manage_etc_hosts: true',
    `fqdn: ${fqdn}`,
    ...line('user', config.ciuser),
    ...line('password', config.cipassword),
    ...(config.sshkeys ? ['ssh_authorized_keys:', ...keys.map((key) => `  - ${key}`)] : []),
    'chpasswd:',
    '  expire: False',
    'users:',
    '  - default',
    ...(config.ciupgrade === '0' ? [] : ['package_upgrade: true']),
    '',
  ].join('\n')
}

const netmask = (prefix: number) =>
  [24, 16, 8, 0].map((shift) => ((0xffffffff << (32 - prefix)) >>> shift) & 255).join('.')

function subnetLines(ipconfig: string): string[] {
  const settings = parseProperties(ipconfig)
  const ip = settings.get('ip')
  if (ip === undefined) return []
  if (ip === 'dhcp') return ['      - type: dhcp4']
  const [address, prefix] = ip.split('/')
  const gateway = settings.get('gw')
  return [
    '      - type: static',
    `        address: '${address}'`,
    `        netmask: '${netmask(Number(prefix))}'`,
    ...(gateway === undefined ? [] : [`        gateway: '${gateway}'`]),
  ]
}

const list = (key: string, value: string | undefined) => {
  const items = (value ?? '').split(/\s+/).filter(Boolean)
  return items.length === 0 ? [] : [`      ${key}:`, ...items.map((item) => `      - '${item}'`)]
}

/** Version 1, each card found by its MAC in small letters. */
function networkText({ config }: Vm): string {
  const cards = Object.keys(config).filter(isNetKey).sort()
  const lines = cards.flatMap((key) => {
    const ipconfig = config[`ipconfig${key.slice(3)}`]
    if (ipconfig === undefined) return []
    const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/i.exec(config[key] ?? '')?.[0] ?? ''
    return [
      '    - type: physical',
      `      name: eth${key.slice(3)}`,
      `      mac_address: '${mac.toLowerCase()}'`,
      '      subnets:',
      ...subnetLines(ipconfig),
    ]
  })
  const resolver = [...list('address', config.nameserver), ...list('search', config.searchdomain)]
  return ['version: 1', 'config:', ...lines, '    - type: nameserver', ...resolver, ''].join('\n')
}

/** The network of the format that Windows guests get (configdrive2), whose cards are named by number. */
function debianText({ config }: Vm): string {
  const line = (key: string, value: string | undefined) =>
    value === undefined ? [] : [`        ${key} ${value}`]
  const cards = Object.keys(config).filter(isNetKey).sort()
  const lines = cards.flatMap((key) => {
    const settings = parseProperties(config[`ipconfig${key.slice(3)}`] ?? '')
    const ip = settings.get('ip')
    if (ip === undefined) return []
    const name = `eth${key.slice(3)}`
    if (ip === 'dhcp') return [`auto ${name}`, `iface ${name} inet dhcp`]
    const [address, prefix] = ip.split('/')
    return [
      `auto ${name}`,
      `iface ${name} inet static`,
      ...line('address', address),
      ...line('netmask', netmask(Number(prefix))),
      ...line('gateway', settings.get('gw')),
    ]
  })
  const resolver = [
    ...line('dns_nameservers', config.nameserver),
    ...line('dns_search', config.searchdomain),
  ]
  return ['auto lo', 'iface lo inet loopback', '', ...resolver, ...lines, ''].join('\n')
}

/** As in the drive that the next start writes. The id changes with every word of the rest. */
export function cloudinitText(vm: Vm, type: 'meta' | 'network' | 'user'): string {
  const isConfigDrive =
    (vm.config.citype ?? (isWindows(vm.config) ? 'configdrive2' : 'nocloud')) !== 'nocloud'
  if (type === 'user') return userText(vm)
  const network = isConfigDrive ? debianText(vm) : networkText(vm)
  if (type === 'network') return network
  const id = createHash('sha1')
    .update(userText(vm) + network)
    .digest('hex')
  if (!isConfigDrive) return `instance-id: ${id}\n`
  return `{\n     "uuid": "${id}",\n     "network_config": { "content_path": "/content/0000" }\n}\n`
}
