import { createHash } from 'node:crypto'
import { isoImage } from '#shared/iso/iso-image.ts'
import { parseProperties } from '../formats/property-string.ts'
import { isNetKey } from '../vm/config-schema.ts'

type Config = Record<string, string>

function userData(config: Config, hostname: string): string {
  const domain = config.searchdomain?.split(' ')[0]
  const keys = decodeURIComponent(config.sshkeys ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const { ciuser, cipassword } = config
  return [
    '#cloud-config',
    `hostname: ${hostname}`,
    'manage_etc_hosts: true',
    `fqdn: ${domain ? `${hostname}.${domain}` : hostname}`,
    ...(ciuser ? [`user: ${ciuser}`] : []),
    ...(ciuser === 'root' ? ['disable_root: False'] : []),
    ...(cipassword ? [`password: ${cipassword}`] : []),
    ...(keys.length > 0 ? ['ssh_authorized_keys:', ...keys.map((key) => `  - ${key}`)] : []),
    'chpasswd:',
    '  expire: False',
    ...(ciuser === 'root' ? [] : ['users:', '  - default']),
    ...(config.ciupgrade === '0' ? [] : ['package_upgrade: true']),
    '',
  ].join('\n')
}

function netmask(prefix: number): string {
  const bits = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}

function subnets(settings: Map<string, string>): string[] {
  const [ip = '', ip6 = ''] = [settings.get('ip'), settings.get('ip6')]
  const [gateway, gateway6] = [settings.get('gw'), settings.get('gw6')]
  const [address, prefix] = ip.split('/')
  return [
    ...(ip === 'dhcp' ? ['      - type: dhcp4'] : []),
    ...(prefix === undefined
      ? []
      : [
          '      - type: static',
          `        address: '${address}'`,
          `        netmask: '${netmask(Number(prefix))}'`,
          ...(gateway ? [`        gateway: '${gateway}'`] : []),
        ]),
    ...(ip6 === 'dhcp' ? ['      - type: dhcp6'] : []),
    ...(ip6 === 'auto' ? ['      - type: ipv6_slaac'] : []),
    ...(ip6.includes('/')
      ? [
          '      - type: static6',
          `        address: '${ip6}'`,
          ...(gateway6 ? [`        gateway: '${gateway6}'`] : []),
        ]
      : []),
  ]
}

const entries = (name: string, values: string | undefined) => {
  const list = (values ?? '').split(/[\s,]+/).filter(Boolean)
  return list.length === 0 ? [] : [`      ${name}:`, ...list.map((value) => `      - '${value}'`)]
}

/** Version 1 of the format; cards are found by their MAC. */
function networkConfig(config: Config): string {
  const cards = Object.keys(config)
    .filter(isNetKey)
    .sort()
    .flatMap((key) => {
      const index = key.slice(3)
      const settings = config[`ipconfig${index}`]
      const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/i.exec(config[key] ?? '')?.[0]
      if (!mac || !settings) return []
      return [
        '    - type: physical',
        `      name: eth${index}`,
        `      mac_address: '${mac.toLowerCase()}'`,
        '      subnets:',
        ...subnets(parseProperties(settings)),
      ]
    })
  const names = [
    ...entries('address', config.nameserver),
    ...entries('search', config.searchdomain),
  ]
  return [
    'version: 1',
    'config:',
    ...cards,
    ...(names.length > 0 ? ['    - type: nameserver', ...names] : []),
    '',
  ].join('\n')
}

/**
 * The files of a NoCloud drive as PVE writes them at a cold start. Other settings give another
 * instance id, after which cloud-init sets everything up again.
 */
export function cloudFiles(config: Config, hostname: string) {
  const [user, network] = [userData(config, hostname), networkConfig(config)]
  const id = createHash('sha1').update(user).update(network).digest('hex')
  return [
    { name: 'user-data', content: user },
    { name: 'network-config', content: network },
    { name: 'meta-data', content: `instance-id: ${id}\n` },
  ]
}

export const cloudDrive = (config: Config, hostname: string): Uint8Array =>
  isoImage('cidata', cloudFiles(config, hostname))
