import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeNetDevice,
  DEFAULT_KEY,
  getProperty,
  parseProperties,
  readNetDevice,
  setProperty,
  writeProperties,
} from './property-string.ts'

const NET = 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1,tag=10,rate=12.5'
const SMBIOS = 'uuid=a3a7f4cc-15ce-438e-84d8-4e6f01730c38,manufacturer=SHVzaA==,base64=1'

describe('property strings', () => {
  it.each([
    '1,fstrim_cloned_disks=1',
    'host,flags=+aes;-pcid',
    'pc-q35-9.0+pve1,viommu=intel',
    'local-lvm:vm-100-disk-0,size=32G,ssd=1',
    NET,
    SMBIOS,
    '',
  ])('come back unchanged: %s', (text) => {
    expect(writeProperties(parseProperties(text))).toBe(text)
  })

  it('come back unchanged whatever they contain', () => {
    fc.assert(fc.property(fc.string(), (text) => writeProperties(parseProperties(text)) === text))
  })

  it('lose nothing but the key that was changed', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9-]{0,5}$/)
    const value = fc.stringMatching(/^[A-Za-z0-9:;+/=.-]{1,8}$/)
    const text = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name })
    fc.assert(
      fc.property(text, key, value, (pairs, changed, next) => {
        const before = pairs.map(([name, own]) => `${name}=${own}`).join(',')
        const after = setProperty(before, { key: changed, value: next })
        expect(getProperty(after, changed)).toBe(next)
        for (const [name, own] of pairs) {
          if (name !== changed) expect(getProperty(after, name)).toBe(own)
        }
      }),
    )
  })

  it('keep the bare first part when a sub-key changes, and the sub-keys when the first part changes', () => {
    const { agent, cpu, memory } = DEFAULT_KEY
    expect(setProperty('1,type=isa', { key: 'enabled', value: '0', defaultKey: agent })).toBe(
      '0,type=isa',
    )
    expect(
      setProperty('enabled=1,type=isa', { key: 'enabled', value: '0', defaultKey: agent }),
    ).toBe('enabled=0,type=isa')
    expect(setProperty('flags=+aes', { key: 'cputype', value: 'host', defaultKey: cpu })).toBe(
      'host,flags=+aes',
    )
    expect(setProperty('4096', { key: 'current', value: '8192', defaultKey: memory })).toBe('8192')
    expect(setProperty(SMBIOS, { key: 'base64', value: undefined })).toBe(
      'uuid=a3a7f4cc-15ce-438e-84d8-4e6f01730c38,manufacturer=SHVzaA==',
    )
    expect(getProperty(SMBIOS, 'manufacturer')).toBe('SHVzaA==')
  })
})

describe('net devices', () => {
  it('are read in both spellings', () => {
    const expected = { model: 'virtio', mac: 'BC:24:11:AA:BB:CC', bridge: 'vmbr0' }
    expect(readNetDevice(NET)).toEqual(expected)
    expect(readNetDevice('model=virtio,macaddr=bc:24:11:aa:bb:cc,bridge=vmbr0')).toEqual(expected)
    expect(readNetDevice('virtio,bridge=vmbr0')).toEqual({ ...expected, mac: undefined })
    expect(readNetDevice('')).toBeUndefined()
  })

  it('keep their MAC and the other sub-keys when one changes', () => {
    expect(changeNetDevice(NET, { tag: undefined, bridge: 'vmbr1' })).toBe(
      'virtio=BC:24:11:AA:BB:CC,bridge=vmbr1,firewall=1,rate=12.5',
    )
  })

  it.each([
    [NET, 'virtio=02:00:00:00:00:01,bridge=vmbr0,firewall=1,tag=10,rate=12.5'],
    ['virtio,bridge=vmbr0', 'virtio=02:00:00:00:00:01,bridge=vmbr0'],
    ['bridge=vmbr0', 'virtio=02:00:00:00:00:01,bridge=vmbr0'],
    [
      'model=e1000,macaddr=BC:24:11:AA:BB:CC,bridge=vmbr0',
      'model=e1000,macaddr=02:00:00:00:00:01,bridge=vmbr0',
    ],
  ])('take a new MAC: %s', (before, after) => {
    expect(changeNetDevice(before, { mac: '02:00:00:00:00:01' })).toBe(after)
  })
})
