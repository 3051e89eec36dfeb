import { isIPv4, isIPv6 } from 'node:net'
import { CPU_MODELS } from './cpu-models.ts'
import { type Check, type Key, type Keys, propertyFormat } from './property-format.ts'

/** The property strings of a VM's configuration. */

const flag: Key = { type: 'boolean' }

const MAC: Check = (value) =>
  /^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$/i.test(value)
    ? undefined
    : 'value does not look like a valid unicast MAC address'

const CARDS = [
  'e1000',
  'e1000-82540em',
  'e1000-82544gc',
  'e1000-82545em',
  'e1000e',
  'i82551',
  'i82557b',
  'i82559er',
  'ne2k_isa',
  'ne2k_pci',
  'pcnet',
  'rtl8139',
  'virtio',
  'vmxnet3',
]

const NET: Keys = {
  ...Object.fromEntries(
    CARDS.map((card) => [card, { alias: { names: 'model', holds: 'macaddr' } }]),
  ),
  macaddr: { format: MAC },
  model: { enum: CARDS, isDefault: true, required: true },
  bridge: {},
  queues: { type: 'integer', minimum: 0, maximum: 64 },
  rate: { type: 'number', minimum: 0 },
  tag: { type: 'integer', minimum: 1, maximum: 4094 },
  trunks: { pattern: /^\d+(-\d+)?(;\d+(-\d+)?)*$/ },
  firewall: flag,
  link_down: flag,
  mtu: { type: 'integer', minimum: 1, maximum: 65_520 },
  'host-tunnel': flag,
}

const network =
  (family: 'ipv4' | 'ipv6', words: RegExp): Check =>
  (value) => {
    const [address = '', prefix = ''] = value.split('/')
    const isAddress = family === 'ipv4' ? isIPv4(address) : isIPv6(address)
    const bits = family === 'ipv4' ? 32 : 128
    const valid = isAddress && /^\d+$/.test(prefix) && Number(prefix) <= bits
    return valid || words.test(value)
      ? undefined
      : `value does not look like a valid ${family} network configuration`
  }

const address =
  (family: 'IPv4' | 'IPv6', test: (value: string) => boolean): Check =>
  (value) =>
    test(value) ? undefined : `value does not look like a valid ${family} address`

const IPCONFIG: Keys = {
  ip: { format: network('ipv4', /^dhcp$/) },
  gw: { format: address('IPv4', isIPv4), requires: 'ip' },
  ip6: { format: network('ipv6', /^(dhcp|auto)$/) },
  gw6: { format: address('IPv6', isIPv6), requires: 'ip6' },
}

const MACHINE =
  /^(pc|pc(-i440fx)?-\d+(\.\d+)+(\+pve\d+)?(\.pxe)?|q35|pc-q35-\d+(\.\d+)+(\+pve\d+)?(\.pxe)?|virt(-\d+(\.\d+)+)?(\+pve\d+)?)$/

const BASE64 = { pattern: /^[A-Za-z0-9+/]+={0,2}$/ }

const BOOT_DEVICE =
  /^(ide[0-3]|sata[0-5]|scsi([0-9]|[12]\d|30)|virtio([0-9]|1[0-5])|net\d+|usb\d+|hostpci\d+)$/

const bootDevices: Check = (value) => {
  const wrong = value.split(/[,;\s\0]+/).find((device) => device && !BOOT_DEVICE.test(device))
  return wrong === undefined ? undefined : `invalid boot device '${wrong}'`
}

const DISPLAYS =
  'cirrus qxl qxl2 qxl3 qxl4 none serial0 serial1 serial2 serial3 std virtio virtio-gl vmware'

function knownCpu(found: Map<string, string>): string | undefined {
  const type = found.get('cputype')
  if (!type) return 'CPU is missing cputype'
  if (type.startsWith('custom-')) return `Custom cputype '${type.slice(7)}' not found`
  return CPU_MODELS.has(type)
    ? undefined
    : `Built-in cputype '${type}' is not defined (missing 'custom-' prefix?)`
}

const FILE = /^(none|cdrom|cloudinit|\/.+|[a-z][a-z0-9\-_.]*[a-z0-9]:.+)$/i

/** A drive has some forty keys; only the one that names the volume is checked. */
const drive: Check = (value, { path }) => {
  const file = /^(?:(?:file|volume)=)?([^,=]+)(?:,|$)/.exec(value)?.[1] ?? named(value)
  if (!file) return `format error\n${path}.file: property is missing and it is not optional`
  return FILE.test(file)
    ? undefined
    : `format error\n${path}.file: invalid format - unable to parse volume ID '${file}'\n`
}

const named = (value: string) => /(?:^|,)(?:file|volume)=([^,]+)/.exec(value)?.[1]

const hotplug: Check = (value) => {
  if (/^[01]$/.test(value)) return undefined
  const features = value.split(/[,;\s\0]+/).filter(Boolean)
  const wrong = features.find((name) => !/^(network|disk|cpu|memory|usb|cloudinit)$/.test(name))
  return wrong === undefined ? undefined : `invalid hotplug feature '${wrong}'`
}

export const VM_FORMATS = {
  'pve-qm-net': propertyFormat(NET),
  'pve-qm-ipconfig': propertyFormat(IPCONFIG),
  'pve-qm-drive': drive,
  'pve-qm-boot': propertyFormat({
    legacy: { isDefault: true, pattern: /^[acdn]{1,4}$/ },
    order: { format: bootDevices },
  }),
  'pve-qm-machine': propertyFormat({
    type: { isDefault: true, pattern: MACHINE },
    viommu: { enum: ['intel', 'virtio'] },
    'aw-bits': { type: 'number', minimum: 32, maximum: 64 },
    'enable-s3': flag,
    'enable-s4': flag,
  }),
  'pve-qm-agent': propertyFormat({
    enabled: { type: 'boolean', isDefault: true, required: true },
    fstrim_cloned_disks: flag,
    'freeze-fs': flag,
    'freeze-fs-on-backup': flag,
    type: { enum: ['virtio', 'isa'] },
  }),
  'pve-qm-memory': propertyFormat({
    current: { type: 'integer', isDefault: true, required: true, minimum: 16 },
  }),
  'pve-qm-vga': propertyFormat({
    type: { isDefault: true, enum: DISPLAYS.split(' ') },
    memory: { type: 'integer', minimum: 4, maximum: 512 },
    clipboard: { enum: ['vnc'] },
  }),
  'pve-qm-smbios1': propertyFormat({
    uuid: { pattern: /^[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{12}$/i },
    version: BASE64,
    serial: BASE64,
    manufacturer: BASE64,
    product: BASE64,
    sku: BASE64,
    family: BASE64,
    base64: flag,
  }),
  'pve-hotplug-features': hotplug,
  'pve-vm-cpu-conf': propertyFormat(
    {
      cputype: { isDefault: true },
      'reported-model': {},
      hidden: flag,
      'hv-vendor-id': { pattern: /^[a-zA-Z0-9]{1,12}$/ },
      flags: { pattern: /^[+-][a-zA-Z0-9\-_.]+(;[+-][a-zA-Z0-9\-_.]+)*$/ },
      'guest-phys-bits': { type: 'integer', minimum: 32, maximum: 64 },
      'phys-bits': {},
      level: { type: 'integer', minimum: 0 },
    },
    knownCpu,
  ),
} satisfies Record<string, Check>
