import { afterEach, describe, expect, test, vi } from 'vitest'
import { readPublicKey } from '#shared/rules/ssh/public-key.ts'
import { bytesOf, fromBase64, readFields, textOf, writeFields } from '#shared/rules/ssh/wire.ts'
import { canMakeKeys, keyFileName, makeKey } from './make-key.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a key made in the browser', async () => {
  const { publicKey, privateKeyFile } = await makeKey('robin’s laptop')
  const lines = privateKeyFile.split('\n')
  const whole = fromBase64(lines.slice(1, -2).join('')) ?? bytesOf('')

  test('has a public half that the server accepts', () => {
    expect(readPublicKey(publicKey)).toEqual({
      ok: true,
      key: { type: 'ssh-ed25519', publicKey, comment: '' },
    })
  })

  test('has a private half in lines of 70 characters between the marks of OpenSSH', () => {
    expect(lines.at(0)).toBe('-----BEGIN OPENSSH PRIVATE KEY-----')
    expect(lines.slice(-2)).toEqual(['-----END OPENSSH PRIVATE KEY-----', ''])
    const lengths = lines.slice(1, -2).map((line) => line.length)
    expect(lengths.slice(0, -1).every((length) => length === 70)).toBe(true)
    expect(lengths.at(-1)).toBeLessThanOrEqual(70)
  })

  test('holds both halves, the check twice, the comment, and padding that counts from 1', () => {
    const head = [
      ...bytesOf('openssh-key-v1\0'),
      ...writeFields([bytesOf('none'), bytesOf('none')]),
    ]
    const start = [...head, 0, 0, 0, 0, 0, 0, 0, 1]
    expect([...whole.slice(0, start.length)]).toEqual(start)
    const [blob = bytesOf(''), section = bytesOf('')] = readFields(whole.slice(start.length)) ?? []
    expect(blob).toEqual(fromBase64(publicKey.split(' ')[1] ?? ''))
    expect(section.length % 8).toBe(0)
    expect(section.slice(0, 4)).toEqual(section.slice(4, 8))
    const [, publicHalf = bytesOf('')] = readFields(blob) ?? []
    const comment = bytesOf('robin’s laptop')
    const used = writeFields([bytesOf('ssh-ed25519'), publicHalf, new Uint8Array(64), comment])
    const padding = section.slice(8 + used.length)
    expect([...padding]).toEqual([...padding.keys()].map((index) => index + 1))
    const fields = readFields(section.slice(8, section.length - padding.length)) ?? []
    expect(fields.map((field) => field.length)).toEqual([11, 32, 64, comment.length])
    expect([fields[1], fields[2]?.slice(32)]).toEqual([publicHalf, publicHalf])
    expect(textOf(fields[0] ?? bytesOf(''))).toBe('ssh-ed25519')
  })

  test('is another one each time', async () => {
    const second = await makeKey('robin’s laptop')
    expect(second.publicKey).not.toBe(publicKey)
  })
})

test('a browser that knows Ed25519 can make keys', async () => {
  expect(await canMakeKeys()).toBe(true)
})

test.each([
  ['on a page without https', {}],
  [
    'in an older browser',
    { subtle: { generateKey: () => Promise.reject(new DOMException('', 'NotSupportedError')) } },
  ],
])('no keys are made %s', async (_where, crypto) => {
  vi.stubGlobal('crypto', crypto)
  expect(await canMakeKeys()).toBe(false)
})

test.each([
  ['laptop', 'id_ed25519_laptop'],
  ['Robin’s  work/laptop!', 'id_ed25519_robin_s_work_laptop'],
  ['../../.ssh/authorized_keys', 'id_ed25519_ssh_authorized_keys'],
  ['ключ', 'id_ed25519'],
])('the file of %s is %s', (name, file) => {
  expect(keyFileName(name)).toBe(file)
})
