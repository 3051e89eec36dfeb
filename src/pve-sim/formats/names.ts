import { isIP } from 'node:net'
import { familyOf, isAlias } from './addresses.ts'
import type { Check } from './property-format.ts'
import { VM_FORMATS } from './vm-formats.ts'

const looksLike =
  (pattern: RegExp, what: string): Check =>
  (value) =>
    pattern.test(value) ? undefined : `value does not look like a valid ${what}`

const LABEL = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const TAG = /^[a-z0-9_][a-z0-9_\-+.]*$/i
const list =
  (check: Check): Check =>
  (value, place) => {
    for (const part of value.split(/[,;\s\0]+/).filter(Boolean)) {
      const wrong = check(part, place)
      if (wrong) return wrong
    }
    return undefined
  }

const configId: Check = (value) =>
  /^[a-z][a-z0-9_-]+$/i.test(value) ? undefined : `invalid configuration ID '${value}'`

const urlencoded: Check = (value) =>
  /^[-%a-zA-Z0-9_.!~*'()]*$/.test(value) ? undefined : `invalid urlencoded string: ${value}`

export const FORMATS = {
  'pve-vmid': looksLike(/^[1-9][0-9]{2,8}$/, 'VM ID'),
  'pve-node': looksLike(/^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/, 'node name'),
  'pve-storage-id': (value) =>
    /^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(value)
      ? undefined
      : `storage ID '${value}' contains illegal characters`,
  'pve-configid': configId,
  'pve-configid-list': list(configId),
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
  urlencoded,
  IPorCIDRorAlias: (value) => {
    if (isAlias(value) || familyOf(value) !== undefined) return undefined
    const [address = '', length = ''] = value.split('/')
    const bits = isIP(address) === 4 ? 32 : 128
    return isIP(address) && Number(length) > bits
      ? `Prefix length ${length} is longer than IP address (${bits})`
      : 'value does not look like a valid IP address or CIDR network'
  },
  ...VM_FORMATS,
} satisfies Record<string, Check>

export type FormatName = keyof typeof FORMATS
