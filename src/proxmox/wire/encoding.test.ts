import { describe, expect, it } from 'vitest'
import { encodeForm, encodeSshKeys, path } from './encoding.ts'

describe('path', () => {
  it('encodes inserted values and remembers the node', () => {
    const upid = 'UPID:pve:00000C8B:0000D780:5FBE5E7F:vzdump:100:root@pam!a:'
    expect(path`/nodes/${'pve 1'}/tasks/${upid}/status`).toEqual({
      path: '/nodes/pve%201/tasks/UPID%3Apve%3A00000C8B%3A0000D780%3A5FBE5E7F%3Avzdump%3A100%3Aroot%40pam!a%3A/status',
      node: 'pve 1',
    })
    expect(path`/cluster/resources`).toEqual({ path: '/cluster/resources', node: undefined })
  })

  it('keeps an inserted value within its segment', () => {
    expect(path`/nodes/${'../access'}/status`.path).toBe('/nodes/..%2Faccess/status')
  })
})

describe('encodeForm', () => {
  it('writes booleans as 1 and 0, joins lists, omits undefined values', () => {
    const form = encodeForm({ a: true, b: false, c: 7, d: ['x', 'y'], e: undefined, f: '' })
    expect(form).toBe('a=1&b=0&c=7&d=x%2Cy&f=')
  })

  it('leaves no separator of pveproxy inside a value', () => {
    expect(encodeForm({ v: 'a=b;c&d+e%f g' })).toBe('v=a%3Db%3Bc%26d%2Be%25f+g')
  })
})

describe('encodeSshKeys', () => {
  it('survives the double encoding PVE expects', () => {
    const keys = ["ssh-ed25519 AAAA+/= alice's (key)!", 'ssh-rsa BBBB bob']
    const once = encodeSshKeys(keys)
    expect(once).toMatch(/^[-%a-zA-Z0-9_.!~*'()]*$/)
    const onTheWire = new URLSearchParams(encodeForm({ sshkeys: once })).get('sshkeys') ?? ''
    expect(decodeURIComponent(onTheWire).split('\n')).toEqual(keys)
  })
})
