import { isIP, isIPv4, isIPv6 } from 'node:net'
import { parseProperties } from './property-string.ts'

type Check = (value: string) => string | undefined

const looksLike =
  (pattern: RegExp, what: string): Check =>
  (value) =>
    pattern.test(value) ? undefined : `value does not look like a valid ${what}`

const LABEL = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const TAG = /^[a-z0-9_][a-z0-9_\-+.]*$/i
const MAC = /^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$/i
const DISK_FILE = /^(none|cdrom|\/.+|[a-z][a-z0-9\-_.]*[a-z0-9]:.+)$/i
const NET_MODELS =
  /^(e1000|e1000-82540em|e1000-82544gc|e1000-82545em|e1000e|i82551|i82557b|i82559er|ne2k_isa|ne2k_pci|pcnet|rtl8139|virtio|vmxnet3)$/

const list =
  (check: Check): Check =>
  (value) => {
    for (const part of value.split(/[,;\s\0]+/).filter(Boolean)) {
      const wrong = check(part)
      if (wrong) return wrong
    }
    return undefined
  }

/** Wraps errors of a property string the way JSONSchema.pm prints them. */
function formatError(errors: Record<string, string>): string | undefined {
  const lines = Object.entries(errors).map(([key, wrong]) => `${key}: ${wrong}`)
  return lines.length > 0 ? `format error\n${lines.join('\n')}` : undefined
}

const net: Check = (value) => {
  const parts = parseProperties(value, 'model')
  const errors: Record<string, string> = {}
  const model = parts.get('model') ?? [...parts.keys()].find((key) => NET_MODELS.test(key))
  if (!model) errors.model = 'property is missing and it is not optional'
  else if (!NET_MODELS.test(model))
    errors.model = `value '${model}' does not have a value in the enumeration`
  const mac = parts.get('macaddr') ?? (model && parts.get(model))
  if (mac && !MAC.test(mac))
    errors.macaddr = 'invalid format - value does not look like a valid unicast MAC address'
  const tag = parts.get('tag')
  if (tag && !(Number(tag) >= 1 && Number(tag) <= 4094))
    errors.tag = 'value must be between 1 and 4094'
  return formatError(errors)
}

const ipconfig: Check = (value) => {
  const parts = parseProperties(value)
  const errors: Record<string, string> = {}
  const cidr = (text: string, family: (address: string) => boolean, bits: number) => {
    const [address = '', prefix = ''] = text.split('/')
    return family(address) && /^\d+$/.test(prefix) && Number(prefix) <= bits
  }
  for (const [key, text] of parts) {
    if (key === 'ip' && text !== 'dhcp' && !cidr(text, isIPv4, 32)) {
      errors.ip = `invalid format - value does not look like a valid ipv4 network configuration`
    } else if (key === 'ip6' && !/^(dhcp|auto)$/.test(text) && !cidr(text, isIPv6, 128)) {
      errors.ip6 = 'invalid format - value does not look like a valid ipv6 network configuration'
    } else if (key === 'gw' && !isIPv4(text)) {
      errors.gw = 'invalid format - value does not look like a valid IPv4 address'
    } else if (key === 'gw6' && !isIPv6(text)) {
      errors.gw6 = 'invalid format - value does not look like a valid IPv6 address'
    } else if (!/^(ip|ip6|gw|gw6)$/.test(key)) {
      errors[key] =
        'property is not defined in schema and the schema does not allow additional properties'
    }
  }
  if (parts.has('gw') && !parts.has('ip'))
    errors.ip = "missing property - 'gw' requires this property"
  if (parts.has('gw6') && !parts.has('ip6'))
    errors.ip6 = "missing property - 'gw6' requires this property"
  return formatError(errors)
}

const drive: Check = (value) => {
  const file = parseProperties(value, 'file').get('file') ?? parseProperties(value).get('volume')
  if (!file) return formatError({ file: 'property is missing and it is not optional' })
  return DISK_FILE.test(file)
    ? undefined
    : formatError({ file: `invalid format - unable to parse volume ID '${file}'` })
}

const machine: Check = (value) => {
  const type = parseProperties(value, 'type').get('type') ?? 'pc'
  const valid =
    /^(pc|pc(-i440fx)?-\d+(\.\d+)+(\+pve\d+)?(\.pxe)?|q35|pc-q35-\d+(\.\d+)+(\+pve\d+)?(\.pxe)?|virt(-\d+(\.\d+)+)?(\+pve\d+)?)$/
  return valid.test(type)
    ? undefined
    : formatError({ type: 'value does not match the regex pattern' })
}

const flagFirst =
  (key: string): Check =>
  (value) => {
    const first = parseProperties(value, key).get(key) ?? ''
    return /^[01]$/.test(first)
      ? undefined
      : formatError({ [key]: `type check ('boolean') failed - got '${first}'` })
  }

const memory: Check = (value) => {
  const amount = parseProperties(value, 'current').get('current') ?? ''
  if (!/^\d+$/.test(amount))
    return formatError({ current: `type check ('integer') failed - got '${amount}'` })
  return Number(amount) >= 16
    ? undefined
    : formatError({ current: 'value must have a minimum value of 16' })
}

const cpu: Check = (value) => {
  const type = parseProperties(value, 'cputype').get('cputype') ?? ''
  return /^[a-zA-Z0-9_-]+$/.test(type)
    ? undefined
    : formatError({ cputype: 'invalid format - value does not look like a valid CPU model' })
}

const urlencoded: Check = (value) =>
  /^[-%a-zA-Z0-9_.!~*'()]*$/.test(value) ? undefined : `invalid urlencoded string: ${value}`

const anything: Check = () => undefined

export const FORMATS = {
  'pve-vmid': looksLike(/^[1-9][0-9]{2,8}$/, 'VM ID'),
  'pve-node': looksLike(/^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/, 'node name'),
  'pve-storage-id': (value) =>
    /^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(value)
      ? undefined
      : `storage ID '${value}' contains illegal characters`,
  'pve-configid': (value) =>
    /^[a-z][a-z0-9_-]+$/i.test(value) ? undefined : `invalid configuration ID '${value}'`,
  'pve-configid-list': list((value) =>
    /^[a-z][a-z0-9_-]+$/i.test(value) ? undefined : `invalid configuration ID '${value}'`,
  ),
  'pve-poolid': (value) =>
    /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+){0,2}$/.test(value)
      ? undefined
      : `value '${value}' does not look like a valid pool name`,
  'pve-userid': (value) =>
    /^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+$/.test(value)
      ? undefined
      : `value '${value}' does not look like a valid user name`,
  'dns-name': looksLike(new RegExp(`^${LABEL}(\\.${LABEL})*$`), 'DNS name'),
  'pve-tag-list': list((value) => (TAG.test(value) ? undefined : `invalid characters in tag`)),
  'address-list': list((value) =>
    isIP(value) || new RegExp(`^${LABEL}(\\.${LABEL})*$`).test(value)
      ? undefined
      : 'value is not a valid address',
  ),
  'pve-qm-net': net,
  'pve-qm-ipconfig': ipconfig,
  'pve-qm-drive': drive,
  'pve-qm-boot': anything,
  'pve-qm-machine': machine,
  'pve-qm-agent': flagFirst('enabled'),
  'pve-qm-memory': memory,
  'pve-vm-cpu-conf': cpu,
  urlencoded,
} satisfies Record<string, Check>

export type FormatName = keyof typeof FORMATS
