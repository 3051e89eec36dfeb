import { describe, expect, test } from 'vitest'
import {
  type ConfigReply,
  changesOf,
  checkConfig,
  fieldsOf,
  keyWords,
  waitsForRestart,
  withForeign,
} from './config-form.ts'

const config: ConfigReply = {
  memory: 4096,
  cores: 1,
  sockets: 1,
  bios: 'seabios',
  machine: 'q35',
  bootdisk: 'scsi0',
  onboot: 0,
  protection: 0,
  agent: 1,
  balloon: 0,
  cpu: 'x86-64-v2-AES',
  numa: 0,
  ostype: 'l26',
}
const before = fieldsOf(config)

describe('what is sent', () => {
  test('is empty where nothing changed', () => {
    expect(changesOf(before, { ...before })).toEqual({})
  })

  test('contains only changes, spelled as the cluster does', () => {
    const after = { ...before, memory: '8192', agent: false, onboot: true, cpu: 'host' }
    expect(changesOf(before, after)).toEqual({ memory: 8192, agent: 0, onboot: 1, cpu: 'host' })
  })
})

describe('the bounds', () => {
  test.each([
    [{ sockets: '5' }, 'Sockets must be 1 to 4'],
    [{ sockets: '0' }, 'Sockets must be 1 to 4'],
    [{ cores: '33' }, 'Cores must be 1 to 32'],
    [{ cores: '' }, 'Cores must be a whole number'],
    [{ cores: '1.5' }, 'Cores must be a whole number'],
    [{ memory: '256' }, 'Memory must be at least 512 MB'],
    [{ memory: '1000' }, 'Memory must be a multiple of 512 MB'],
    [{ balloon: '-1' }, 'Balloon must be 0 or more'],
  ])('%o is refused', (change, message) => {
    expect(checkConfig(before, { ...before, ...change })).toMatchObject({
      error: { issues: [{ message }] },
    })
  })

  test.each([{ sockets: '4' }, { cores: '32' }, { memory: '512' }, { balloon: '0' }])(
    '%o is allowed',
    (change) => {
      expect(checkConfig(before, { ...before, ...change })).toEqual({ success: true })
    },
  )

  test("do not apply to the cluster's current values", () => {
    const foreign = fieldsOf({ ...config, memory: 300, cores: 64, cpu: 'custom-x,flags=+a' })
    expect(checkConfig(foreign, { ...foreign, onboot: true })).toEqual({ success: true })
  })
})

test('a foreign value is shown among the options', () => {
  const options = [{ value: 'q35', label: 'q35' }]
  expect(withForeign(options, 'q35')).toBe(options)
  expect(withForeign(options, 'virt')[0]).toEqual({
    value: 'virt',
    label: 'virt (as set in the cluster)',
  })
})

test('the changes that wait for a restart are named in words', () => {
  expect(waitsForRestart(['memory', 'onboot', 'cores'])).toEqual(['memory', 'cores'])
  expect(keyWords(['memory', 'cores', 'net0'])).toBe('Memory, Cores, net0')
})
